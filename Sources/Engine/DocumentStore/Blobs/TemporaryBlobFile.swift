import Base
import Synchronization

/// A file `incoming_XXXXXX` that is removed with its last reference, unless it was renamed to the name of a blob.
///
/// The file is locked while it is open, which distinguishes it from a file left by a terminated process.
final class TemporaryBlobFile: Sendable {
    private static let prefix = "incoming_"

    let file: BlobFile
    private let name: String
    private let directory: String
    private let isRenamed = Atomic(false)

    /// Creates the file, and the store's directory if it is missing.
    init(in store: BlobStore) throws(BlobError) {
        directory = store.directory
        while true {
            let (made, name) = try Self.makeFile(in: store)
            do throws(BlobError) {
                // Before it was locked, another process may have removed it as an abandoned file, or be about to do so and hold the lock.
                // On a file system without locks nobody removes it.
                let isLocked = Self.lock(made.descriptor)
                if isLocked ? try !made.hasName : errno == EWOULDBLOCK {
                    made.close()
                    continue
                }
            } catch {
                made.close()
                Self.remove(name, in: store.directory)
                throw error
            }
            file = made
            self.name = name
            return
        }
    }

    private static func makeFile(in store: BlobStore) throws(BlobError) -> (BlobFile, name: String) {
        while true {
            guard let directory = try BlobDirectory(store.directory) else {
                try store.makeDirectory()
                continue
            }
            let name = prefix + randomSuffix()
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = openat(directory.descriptor, name, flags, 0o600)
            if descriptor >= 0 { return (BlobFile(descriptor: descriptor, name, in: store.directory), name) }
            guard errno == EEXIST || errno == ENOENT else { throw BlobError.current("create a file in", store.directory) }
        }
    }

    /// Returns six random letters and digits, like `mkstemp` (Storage format 4.1).
    private static func randomSuffix() -> String {
        let characters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<6).compactMap { _ in characters.randomElement() })
    }

    deinit {
        file.close()
        if !isRenamed.load(ordering: .acquiring) { Self.remove(name, in: directory) }
    }

    private static func remove(_ name: String, in directory: String) {
        // What is left is removed when the blobs are tidied.
        guard let opened = try? BlobDirectory(directory) else { return }
        unlinkat(opened.descriptor, name, 0)
    }

    /// From this size on, content is flushed when it is complete, and not before the commit, where other writers wait for it.
    private static let sizeToFlushAtOnce: UInt64 = 1 << 20
    private let isFlushed = Atomic(false)

    /// Whether the content may not be on the medium yet.
    var needsFlush: Bool { !isFlushed.load(ordering: .acquiring) }

    /// Makes the file read-only, and flushes large content to the medium.
    func seal(size: UInt64) throws(BlobError) {
        guard fchmod(file.descriptor, 0o400) == 0 else { throw BlobError.current("write to", file.path) }
        guard size >= Self.sizeToFlushAtOnce else { return }
        guard synchronize(descriptor: file.descriptor) else { throw BlobError.current("write to", file.path) }
        isFlushed.store(true, ordering: .releasing)
    }

    /// Adds a second name for the file in its directory. Replaces a file that has this name.
    ///
    /// The file also keeps its temporary name, if the file system supports hard links. So the content still exists if the second name is
    /// removed.
    func addName(_ newName: String) throws(BlobError) {
        guard let opened = try BlobDirectory(directory) else { throw BlobError(.notFound, action: "create a blob in", path: directory) }
        if linkat(opened.descriptor, name, opened.descriptor, newName, 0) == 0 { return }
        guard renameat(opened.descriptor, name, opened.descriptor, newName) == 0 else {
            throw BlobError.current("create the blob", opened.path(of: newName))
        }
        isRenamed.store(true, ordering: .releasing)
    }

    /// Removes the files of terminated writers. Files that cannot be locked are kept.
    static func removeAbandoned(in directory: borrowing BlobDirectory) throws(BlobError) {
        for name in try directory.names() where name.utf8.starts(with: prefix.utf8) {
            guard let file = (try? directory.file(name)) ?? nil else { continue }
            defer { file.close() }
            if lock(file.descriptor) { try directory.remove(name) }
        }
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
