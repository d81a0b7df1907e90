import Base
package import Foundation

/// A section of a backup: the database at one moment.
package struct BackupSection: Sendable {
    /// The number of the section, from 1.
    package let number: Int
    /// The time of the snapshot that the section contains, exact to the millisecond.
    package let time: Date
    /// Whether the section contains only what has changed since the section before it.
    package let isIncremental: Bool
    /// Whether the database was encrypted. Its files are then in the backup as they are, and can only be used with its key.
    package let isEncrypted: Bool
    /// The name of the database, without its extension.
    package let name: String
    /// The size of the whole database file in bytes, also if the section contains only a part of it.
    package let databaseSize: UInt64
    /// The number of blobs of the database, those of earlier sections included.
    package fileprivate(set) var blobs = 0
    /// The size of these blobs in bytes.
    package fileprivate(set) var blobBytes: UInt64 = 0
    /// The size of the section in the file.
    package fileprivate(set) var storedSize: UInt64 = 0
}

/// Receives the content of a backup while it is read and checked.
protocol BackupVisitor: AnyObject {
    func begin(_ section: BackupSection) throws
    func database(_ bytes: [UInt8], at position: UInt64) throws
    func log(_ bytes: [UInt8], at position: UInt64) throws
    func blob(_ name: String) throws
    func content(_ bytes: [UInt8], at position: UInt64) throws
}

/// Reads a whole backup, and checks all that can be checked without a key.
struct BackupScan: ~Copyable {
    /// A damage, and where it is.
    struct Problem {
        let offset: UInt64
        let section: Int
        let message: String

        var description: String { "at byte \(offset), in section \(section): \(message)" }
    }

    private var reader: BlockReader
    private let visitor: (any BackupVisitor)?
    private(set) var sections: [BackupSection] = []
    private(set) var problems: [Problem] = []
    /// More are counted, but not kept.
    private static let maximumProblems = 1_000
    private(set) var problemCount = 0
    /// Where the last complete section ends, and the digest of its last block: there another section can be added.
    private(set) var end: (offset: UInt64, digest: [UInt8])
    /// Where a section begins that was not completed, because writing it was interrupted; `nil` if there is none.
    private(set) var unfinished: UInt64?
    /// The digests of the chunks of the database file in the last complete section.
    private(set) var chunks: [UInt8] = []
    /// The blobs of the last complete section, and the sizes of their contents.
    private(set) var blobs: [ExactString: UInt64] = [:]

    // The section that is being read.
    private var current: BackupSection?
    private var start: UInt64 = 0
    private var newChunks: [UInt8] = []
    private var checkedChunks = 0
    private var logSize: UInt64 = 0
    private var openBlob: (name: String, size: UInt64)?
    /// The sizes of all blobs that were found, which also those of a section that is not complete replace.
    private var blobSizes: [ExactString: UInt64] = [:]
    private var newNames: Set<ExactString> = []
    private var offset: UInt64 = 0

    init(_ path: String, visitor: (any BackupVisitor)? = nil) throws(BackupError) {
        reader = try BlockReader(path)
        self.visitor = visitor
        end = (reader.position, reader.digest)
    }

    var fileSize: UInt64 { reader.size }

    /// The most that a database with its log and blobs takes, in bytes.
    private var maximumSize: UInt64 {
        let (size, isTooLarge) = reader.size.multipliedReportingOverflow(by: BackupFormat.maximumRatio)
        return isTooLarge ? .max : size
    }

    /// Reads the file up to its end, or to the end of a section.
    ///
    /// - Parameters:
    ///   - last: The number of the last section to read; `nil` for all.
    ///   - progress: Called with the number of bytes that were read.
    mutating func run(upTo last: Int? = nil, progress: (UInt64) throws -> Void = { _ in }) throws {
        while sections.count < last ?? .max {
            offset = reader.position
            switch try reader.next() {
            case .block(let header): try handle(header)
            case .damaged(let header, let reason):
                note("a block of \(Self.name(of: header.kind)): \(reason)")
                // What the block would have changed is not known any more, but the blocks after it can be checked.
                if header.kind == BlockKind.end.rawValue { endSection(nil) }
            case .unreadable:
                note("this is no block; nothing after it can be read")
                return checkCount()
            case .cut, .end:
                if current != nil || reader.position < reader.size { unfinished = end.offset }
                return checkCount()
            }
            try progress(reader.position)
        }
    }

    /// Compares the sections that were found with the number in the header, which is written after each.
    private mutating func checkCount() {
        offset = 0
        guard let count = reader.sectionCount else { return note("the number of sections cannot be read") }
        guard sections.count < count else { return }
        unfinished = nil
        note("\(count) sections were written, but only \(sections.count) are complete")
    }

    private mutating func note(_ message: String) {
        problemCount += 1
        if problems.count < Self.maximumProblems {
            problems.append(Problem(offset: offset, section: sections.count + 1, message: message))
        }
    }

    private static func name(of kind: UInt8) -> String {
        switch BlockKind(rawValue: kind) {
        case .start: "the begin of a section"
        case .database: "the database file"
        case .log: "the log"
        case .blob: "the name of a blob"
        case .content: "a blob"
        case .chunks: "the digests of the database file"
        case .blobNames: "the names of blobs"
        case .end: "the end of a section"
        case nil: "an unknown kind, \(kind)"
        }
    }

    private mutating func handle(_ header: BlockHeader) throws {
        let content = reader.content
        guard let kind = BlockKind(rawValue: header.kind) else { return note("a block of an unknown kind, \(header.kind)") }
        if kind == .start { return try beginSection(content) }
        guard current != nil else { return note("a block of \(Self.name(of: header.kind)) outside of a section") }
        if kind != .content { closeBlob() }
        switch kind {
        case .start: break
        case .database: try handleDatabase(content, at: header.position)
        case .log:
            guard header.position == logSize else { return note("a part of the log is missing") }
            logSize += UInt64(content.count)
            try visitor?.log(content, at: header.position)
        case .blob:
            let name = String(decoding: content, as: UTF8.self)
            guard BackupFormat.isBlobName(name) else { return note("\"\(name.prefix(100))\" is no name of a blob") }
            openBlob = (name, 0)
            try visitor?.blob(name)
        case .content:
            guard let blob = openBlob, header.position == blob.size else { return note("a part of a blob is missing") }
            openBlob?.size += UInt64(content.count)
            try visitor?.content(content, at: header.position)
        case .chunks: handleChunks(content, from: header.position)
        case .blobNames:
            for name in content.split(separator: UInt8(ascii: "\n")) {
                let name = String(decoding: name, as: UTF8.self)
                if blobSizes[ExactString(name)] == nil { note("the blob \(name.prefix(100)) is missing") }
                newNames.insert(ExactString(name))
            }
        case .end: endSection(try? JSONDecoder().decode(SectionEnd.self, from: Data(content)))
        }
    }

    private mutating func beginSection(_ content: [UInt8]) throws {
        if current != nil { note("a section begins before the one before it has ended") }
        guard let head = try? JSONDecoder().decode(SectionStart.self, from: Data(content)) else {
            return note("the begin of the section cannot be read")
        }
        guard head.databaseSize <= maximumSize else {
            return note("a database of \(head.databaseSize) bytes cannot be in this file")
        }
        guard Self.times.contains(head.time) else { return note("the time of the section is invalid") }
        if head.isIncremental, sections.isEmpty { note("the first section needs one before it") }
        let section = BackupSection(
            number: sections.count + 1,
            time: Date(timeIntervalSince1970: Double(head.time) / 1000),
            isIncremental: head.isIncremental,
            isEncrypted: head.isEncrypted,
            name: head.name,
            databaseSize: head.databaseSize
        )
        (current, start, logSize, openBlob, newNames, checkedChunks) = (section, offset, 0, nil, [], 0)
        newChunks = head.isIncremental ? chunks : []
        let size = Self.chunkCount(head.databaseSize) * BackupFormat.chunkDigestSize
        if newChunks.count > size { newChunks.removeLast(newChunks.count - size) }
        try visitor?.begin(section)
    }

    /// The years 1970 to 9999.
    private static let times: Range<Int64> = 0..<253_402_300_800_000

    private static func chunkCount(_ size: UInt64) -> Int {
        Int(clamping: size / UInt64(BackupFormat.chunkSize)) + (size % UInt64(BackupFormat.chunkSize) > 0 ? 1 : 0)
    }

    private mutating func handleDatabase(_ content: [UInt8], at position: UInt64) throws {
        guard let section = current, position % UInt64(BackupFormat.chunkSize) == 0, position <= section.databaseSize,
            UInt64(content.count) <= section.databaseSize - position
        else { return note("bytes that are outside of the database file") }
        let first = Int(position / UInt64(BackupFormat.chunkSize)) * BackupFormat.chunkDigestSize
        guard first <= newChunks.count else { return note("a part of the database file is missing") }
        content.withUnsafeBytes { bytes in
            var place = first
            for start in stride(from: 0, to: bytes.count, by: BackupFormat.chunkSize) {
                let chunk = bytes[start..<min(start + BackupFormat.chunkSize, bytes.count)]
                let digest = BackupFormat.chunkDigest(UnsafeRawBufferPointer(rebasing: chunk))
                if place < newChunks.count {
                    newChunks.replaceSubrange(place..<place + BackupFormat.chunkDigestSize, with: digest)
                } else {
                    newChunks.append(contentsOf: digest)
                }
                place += BackupFormat.chunkDigestSize
            }
        }
        try visitor?.database(content, at: position)
    }

    private mutating func handleChunks(_ content: [UInt8], from first: UInt64) {
        let start = Int(clamping: first).multipliedReportingOverflow(by: BackupFormat.chunkDigestSize)
        guard !start.overflow, start.partialValue == checkedChunks, content.count <= newChunks.count - checkedChunks,
            content.elementsEqual(newChunks[checkedChunks..<checkedChunks + content.count])
        else { return note("the database file is not what its digests say") }
        checkedChunks += content.count
    }

    private mutating func closeBlob() {
        if let blob = openBlob { blobSizes[ExactString(blob.name)] = blob.size }
        openBlob = nil
    }

    private mutating func endSection(_ found: SectionEnd?) {
        closeBlob()
        guard var section = current else { return }
        if let found {
            let size = Self.chunkCount(section.databaseSize) * BackupFormat.chunkDigestSize
            if newChunks.count != size || checkedChunks != size { note("a part of the database file is missing") }
            if found.logSize != logSize { note("a part of the log is missing") }
            if found.blobs != newNames.count { note("names of blobs are missing") }
        } else if problems.last?.offset != offset {
            note("the end of the section cannot be read")
        }
        section.blobs = newNames.count
        section.blobBytes = newNames.reduce(0) { $0 &+ (blobSizes[$1] ?? 0) }
        if let found, found.blobBytes != section.blobBytes { note("a part of a blob is missing") }
        let total = [logSize, section.blobBytes].reduce(section.databaseSize) { $0.addingReportingOverflow($1).partialValue }
        if total > maximumSize { note("a database of \(total) bytes with its log and blobs cannot be in this file") }
        section.storedSize = reader.position - start
        sections.append(section)
        chunks = newChunks
        blobs = Dictionary(uniqueKeysWithValues: newNames.map { ($0, blobSizes[$0] ?? 0) })
        current = nil
        end = (reader.position, reader.digest)
    }
}
