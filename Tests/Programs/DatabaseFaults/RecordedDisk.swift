import CFileFaults
import Foundation
import TestSupport

/// A disk after a recorded sequence of calls: the durable content, and the changes that were not synced and may or may not be on
/// the medium. Files and directories are identified by numbers, as on a real disk, so that they can be renamed.
struct RecordedDisk {
    /// The changes that are lost in a power failure.
    enum Loss: String, CaseIterable {
        /// All changes that were not synced.
        case unsynced
        /// Some of those changes: random writes, and all changes of names after a random one.
        case random
        /// Like `random`, but random sectors of the other writes are lost, too.
        case torn
        /// No changes: the process was killed, but the system continues.
        case nothing
    }

    private enum Node: Hashable {
        case file(Int32)
        case directory(Int)
    }

    private enum Change {
        case write(offset: Int, bytes: UnsafeRawBufferPointer)
        case truncate(Int)
    }

    private struct File {
        var content: [UInt8] = []
        var pending: [Change] = []
    }

    /// Names that change atomically. The node is `nil` for a removed name.
    private struct NameChange {
        var entries: [(directory: Int, name: String, node: Node?)]
    }

    private typealias Names = [Int: [String: Node]]

    static let sectorSize = 512

    private let root: String
    private var files: [Int32: File] = [:]
    private var durableNames: Names = [0: [:]]
    /// The names as programs see them.
    private var names: Names = [0: [:]]
    private var pendingNames: [NameChange] = []
    private var directoryCount = 1

    init(root: String) {
        self.root = root
    }

    // MARK: Replaying

    mutating func apply(_ entry: ff_entry) {
        let path = entry.path.map { String(cString: $0) } ?? ""
        let other = entry.other.map { String(cString: $0) } ?? ""
        switch Int(entry.kind) {
        case Int(FF_WRITE):
            let bytes = UnsafeRawBufferPointer(start: entry.bytes, count: entry.length)
            files[entry.file, default: File()].pending.append(.write(offset: entry.offset, bytes: bytes))
        case Int(FF_TRUNCATE): files[entry.file, default: File()].pending.append(.truncate(entry.offset))
        case Int(FF_SYNC): sync(entry.file)
        case Int(FF_SYNC_ALL):
            for file in files.keys { sync(file) }
            for change in pendingNames { Self.apply(change, to: &durableNames) }
            pendingNames = []
        case Int(FF_CREATE):
            files[entry.file] = File()
            change([(path, .file(entry.file))])
        case Int(FF_MAKE_DIRECTORY):
            names[directoryCount] = [:]
            durableNames[directoryCount] = [:]
            change([(path, .directory(directoryCount))])
            directoryCount += 1
        case Int(FF_LINK): change([(other, node(path))])
        case Int(FF_RENAME): change([(path, nil), (other, node(path))])
        case Int(FF_EXCHANGE): change([(path, node(other)), (other, node(path))])
        case Int(FF_REMOVE): change([(path, nil)])
        case Int(FF_SYNC_DIRECTORY): if case .directory(let number)? = node(path) { syncDirectory(number) }
        default: break
        }
    }

    private func node(_ path: String) -> Node? {
        var nodes = [Node.directory(0)]
        for name in path.dropFirst(root.count).split(separator: "/") where name != "." {
            if name == ".." {
                nodes.removeLast()
                guard !nodes.isEmpty else { return nil }
                continue
            }
            guard case .directory(let number)? = nodes.last, let next = names[number]?[String(name)] else { return nil }
            nodes.append(next)
        }
        return nodes.last
    }

    private mutating func change(_ changes: [(path: String, node: Node?)]) {
        var made = NameChange(entries: [])
        for (path, node) in changes {
            let parent = (path as NSString).deletingLastPathComponent
            guard case .directory(let number)? = self.node(parent) else { continue }
            made.entries.append((number, (path as NSString).lastPathComponent, node))
        }
        Self.apply(made, to: &names)
        pendingNames.append(made)
    }

    private mutating func sync(_ file: Int32) {
        let pending = files[file]?.pending ?? []
        files[file]?.pending = []
        for change in pending { Self.apply(change, to: &files[file, default: File()].content) }
    }

    private mutating func syncDirectory(_ number: Int) {
        let isMeant = { (change: NameChange) in change.entries.contains { $0.directory == number } }
        for change in pendingNames where isMeant(change) { Self.apply(change, to: &durableNames) }
        pendingNames.removeAll(where: isMeant)
    }

    private static func apply(_ change: NameChange, to names: inout Names) {
        for (directory, name, node) in change.entries { names[directory, default: [:]][name] = node }
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .truncate(let length):
            if length < content.count {
                content.removeLast(content.count - length)
            } else {
                extend(&content, to: length)
            }
        case .write(let offset, let bytes):
            extend(&content, to: offset + bytes.count)
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
    }

    private static func extend(_ content: inout [UInt8], to length: Int) {
        if length > content.count { content.append(contentsOf: repeatElement(0, count: length - content.count)) }
    }

    // MARK: Images

    /// Writes a possible content of the disk after a power failure at this point into the empty directory `target`.
    func writeImage(to target: URL, _ loss: Loss, _ generator: inout SeededGenerator) throws {
        var kept = durableNames
        let count =
            switch loss {
            case .unsynced: 0
            case .nothing: pendingNames.count
            case .random, .torn: Int.random(in: 0...pendingNames.count, using: &generator)
            }
        for change in pendingNames.prefix(count) { Self.apply(change, to: &kept) }
        // Sorted, so that the same seed gives the same image.
        var contents: [Int32: [UInt8]] = [:]
        for (number, file) in files.sorted(by: { $0.key < $1.key }) {
            contents[number] = content(of: file, loss, &generator)
        }
        try write(directory: 0, of: kept, contents, to: target)
    }

    private func content(of file: File, _ loss: Loss, _ generator: inout SeededGenerator) -> [UInt8] {
        var content = file.content
        for change in file.pending {
            switch loss {
            case .unsynced: break
            case .nothing: Self.apply(change, to: &content)
            case .random: if Bool.random(using: &generator) { Self.apply(change, to: &content) }
            case .torn:
                guard Bool.random(using: &generator) else { continue }
                guard case .write(let offset, let bytes) = change else {
                    Self.apply(change, to: &content)
                    continue
                }
                var start = offset
                while start < offset + bytes.count {
                    let end = min(offset + bytes.count, (start / Self.sectorSize + 1) * Self.sectorSize)
                    if Bool.random(using: &generator) {
                        let sector = UnsafeRawBufferPointer(rebasing: bytes[start - offset..<end - offset])
                        Self.apply(.write(offset: start, bytes: sector), to: &content)
                    }
                    start = end
                }
            }
        }
        return content
    }

    private func write(directory: Int, of names: Names, _ contents: [Int32: [UInt8]], to target: URL) throws {
        for (name, node) in names[directory] ?? [:] {
            let url = target.appendingPathComponent(name)
            switch node {
            case .file(let number): try Data(contents[number] ?? []).write(to: url)
            case .directory(let number):
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
                try write(directory: number, of: names, contents, to: url)
            }
        }
    }
}
