import Foundation

/// A hidden directory beside a bundle, in which a replacement of the bundle is built, or an old bundle is removed
/// (`Documentation/bundle-files.md`).
///
/// Its name, `.NAME.cblite2.replacing-` and 16 random hexadecimal digits, is one that users do not choose, and a marker file in it contains
/// its purpose and the bundle it belongs to. Only a directory with both is treated as a leftover. Other files beside a bundle, for example
/// a backup, are not changed.
struct ReplacementDirectory: Equatable {
    let path: String

    private static let infix = ".replacing-"
    private static let digitCount = 16
    /// The maximum length of the bundle's name in the name of the directory, in bytes, so that the whole name has at most 255 bytes, the
    /// limit of file systems.
    private static let longestNamePart = 200
    private static let markerName = "replacement"
    private static let magic = "CouchbaseLiteSwift replacement of a bundle, 1\n"

    /// The path of the new bundle; after directories were exchanged, that of the old one.
    var new: BundlePath { BundlePath(path + "/new") }
    /// The path of the old bundle between the two steps of a replacement, on a file system that cannot exchange directories.
    var setAside: BundlePath { BundlePath(path + "/set-aside") }
    /// The path of a bundle that is being removed.
    var deleted: BundlePath { BundlePath(path + "/deleted") }
    private var marker: String { path + "/" + Self.markerName }

    /// A directory created by this process, which other processes do not change as long as the lock is held.
    struct Locked: ~Copyable {
        let directory: ReplacementDirectory
        fileprivate let lock: DirectoryLock
    }

    /// Creates a directory for a bundle.
    ///
    /// - Throws: `readOnlyMedium` or `system` if it cannot be created.
    static func make(for bundle: BundlePath) throws(StoreError) -> Locked {
        while true {
            let made = ReplacementDirectory(path: bundle.parent + "/" + name(for: bundle))
            guard mkdir(made.path, 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw .current(bundle)
            }
            let lock: DirectoryLock
            do throws(DirectoryLock.Failure) {
                lock = try DirectoryLock(made.path)
            } catch .missing {
                // Before it was locked, another process has removed it as a leftover.
                continue
            } catch {
                rmdir(made.path)
                throw StoreError(error, bundle)
            }
            do throws(StoreError) {
                try made.writeMarker(for: bundle)
            } catch {
                made.remove()
                throw error
            }
            return Locked(directory: made, lock: lock)
        }
    }

    /// Returns all directories that belong to a bundle, created by any process, whether they are in use or not.
    static func all(of bundle: BundlePath) -> [ReplacementDirectory] {
        let parent = bundle.parent
        // What cannot be listed cannot be replaced either, and its error says why.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        return names.filter(isName).sorted().map { ReplacementDirectory(path: parent + "/" + $0) }
            .filter { $0.belongs(to: bundle) }
    }

    /// Removes the directory with its content, as far as possible. If the process ends before this is complete, the rest is still
    /// recognized as a leftover, and never as a bundle that was set aside.
    func remove() {
        _ = rename(setAside.directory, deleted.directory)
        // What cannot be removed now is a leftover, which the next opening removes.
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: path)) ?? [] where name != Self.markerName {
            try? files.removeItem(atPath: path + "/" + name)
        }
        // A directory that cannot be listed keeps its marker, too.
        guard (try? files.contentsOfDirectory(atPath: path)) == [Self.markerName] || !files.fileExists(atPath: marker)
        else { return }
        unlink(marker)
        rmdir(path)
    }

    // MARK: Names

    private static func name(for bundle: BundlePath) -> String {
        var name = bundle.name
        while name.utf8.count > longestNamePart { name.unicodeScalars.removeLast() }
        let number = String(UInt64.random(in: 0 ... .max), radix: 16)
        return "." + name + infix + String(repeating: "0", count: digitCount - number.utf8.count) + number
    }

    private static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let tail = bytes.suffix(infix.utf8.count + digitCount)
        return bytes.first == UInt8(ascii: ".") && tail.starts(with: infix.utf8)
            && tail.dropFirst(infix.utf8.count).count == digitCount
            && tail.suffix(digitCount).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    // MARK: The marker

    private static func content(for bundle: BundlePath) -> [UInt8] { Array((magic + bundle.name).utf8) }

    /// Writes the marker, and flushes it with its name to the medium.
    private func writeMarker(for bundle: BundlePath) throws(StoreError) {
        let descriptor = open(marker, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .current(bundle) }
        defer { close(descriptor) }
        let isWritten = Self.content(for: bundle).withUnsafeBytes { writeAll($0, to: descriptor) }
        guard isWritten, synchronize(descriptor: descriptor), synchronize(path) else { throw .current(bundle) }
    }

    /// Returns whether the marker exists and contains the name of the bundle. Removes a directory that has an incomplete marker or none,
    /// and no other content, because its process ended while creating it.
    private func belongs(to bundle: BundlePath) -> Bool {
        let expected = Self.content(for: bundle)
        let (found, code) = contentOfMarker(upTo: expected.count + 1)
        guard let found else {
            if code == ENOENT { removeUnmarked(hasMarker: false) }
            return false
        }
        if found == expected { return true }
        if expected.starts(with: found) { removeUnmarked(hasMarker: true) }
        return false
    }

    /// Returns the first bytes of the marker, or `nil` and the `errno` of the failure.
    private func contentOfMarker(upTo limit: Int) -> ([UInt8]?, code: Int32) {
        let descriptor = open(marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return (nil, errno) }
        defer { close(descriptor) }
        var found = [UInt8](repeating: 0, count: limit)
        while true {
            let count = read(descriptor, &found, limit)
            if count >= 0 { return (Array(found.prefix(count)), 0) }
            if errno != EINTR { return (nil, errno) }
        }
    }

    /// Removes the directory if it is empty except for the marker, and no process is creating it.
    private func removeUnmarked(hasMarker: Bool) {
        guard let lock = try? DirectoryLock(path) else { return }
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        if hasMarker, names == [Self.markerName] { unlink(marker) }
        // Fails if the directory is not empty.
        rmdir(path)
        _ = consume lock
    }
}

extension BundlePath {
    /// The path of the directory that contains the bundle.
    package var parent: String { URL(fileURLWithPath: directory).deletingLastPathComponent().path }
    /// The last component of the path, with its extension.
    var name: String { directory.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? directory }
}
