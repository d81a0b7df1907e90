import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file `incoming_XXXXXX` that goes with the last reference, unless it got the name of a blob.
///
/// It is locked as long as it is open, which tells it from one that a dead process left behind.
final class TemporaryBlobFile: Sendable {
    private static let prefix = "incoming_"

    let file: BlobFile
    private let isRenamed = Atomic(false)

    /// Creates the file, and the store's directory if it is missing.
    init(in store: BlobStore) throws(BlobError) {
        while true {
            var made = Self.makeFile(in: store.directory)
            if made == nil, errno == ENOENT {
                try store.makeDirectory()
                made = Self.makeFile(in: store.directory)
            }
            guard let made else { throw BlobError.current("create a file in", store.directory) }
            // Before it was locked, somebody who tidies up may have taken it for an abandoned one.
            if Self.lock(made.descriptor), try !made.hasName {
                made.close()
                continue
            }
            file = made
            return
        }
    }

    private static func makeFile(in directory: String) -> BlobFile? {
        var template = Array((directory + "/\(prefix)XXXXXX").utf8) + [0]
        return template.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let descriptor = mkstemp(start.assumingMemoryBound(to: CChar.self))
            guard descriptor >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return BlobFile(descriptor: descriptor, path: String(decoding: bytes.dropLast(), as: UTF8.self))
        }
    }

    deinit {
        file.close()
        if !isRenamed.load(ordering: .acquiring) { unlink(file.path) }
    }

    /// Writes what the system still holds in memory to the medium, and lets nobody write any more.
    func seal() throws(BlobError) {
        guard fsync(file.descriptor) == 0, fchmod(file.descriptor, 0o400) == 0 else {
            throw BlobError.current("write to", file.path)
        }
    }

    /// Gives the file the name `path`; a file that has it is replaced.
    ///
    /// The file keeps its temporary name besides, where the file system knows files with two names: should the other be removed, the
    /// content is still there.
    func addName(_ path: String) throws(BlobError) {
        if link(file.path, path) == 0 { return }
        guard rename(file.path, path) == 0 else { throw BlobError.current("create the blob", path) }
        isRenamed.store(true, ordering: .releasing)
    }

    /// Removes the files of writers that have died. Those that cannot be locked, for whatever reason, stay.
    static func removeAbandoned(in directory: String) throws(BlobError) {
        for name in try BlobStore.fileNames(in: directory) where name.hasPrefix(prefix) {
            let path = directory + "/" + name
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if lock(descriptor) { unlink(path) }
            BlobFile(descriptor: descriptor, path: path).close()
        }
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
