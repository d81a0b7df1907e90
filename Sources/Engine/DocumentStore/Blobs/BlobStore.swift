import Base
import Crypto
import Synchronization

/// The blobs of a database: one file per content, named by its digest (Storage format 4.1).
///
/// Thread-safe. Several stores and processes may use one directory concurrently.
package final class BlobStore: Sendable {
    /// The directory `Attachments` in the bundle. It is created when the first blob is written.
    package let directory: String
    /// The encryption of the files. Digests, and so the names of files, are those of the unencrypted content.
    let encryption: BlobEncryption
    /// The blobs known to be on the medium, and those whose names may not be there yet.
    private let names = Mutex(DurableBlobs())
    private let kept: KeptDirectory

    /// Creates the store of a directory, which need not exist.
    ///
    /// - Parameter cipher: The cipher of the files; `nil`, the default, if they are not encrypted.
    package init(directory: String, cipher: BlobCipher? = nil) {
        self.directory = directory
        encryption = BlobEncryption(cipher)
        kept = KeptDirectory(path: directory)
    }

    /// Returns the path of the file for the content with `digest`, whether it exists or not.
    package func path(of digest: BlobDigest) -> String {
        directory + "/" + digest.fileName
    }

    /// Stores `content`, unless it is already stored, and returns its digest. It is durable after the next ``flush()``.
    package func store(_ content: UnsafeRawBufferPointer) throws(BlobError) -> BlobDigest {
        let digest = BlobDigest(of: content)
        if adopts(digest, size: UInt64(content.count)) { return digest }
        var writer = try BlobWriter(store: self, digest: digest)
        try writer.write(content)
        return try writer.install()
    }

    /// Stores `content`, unless it is already stored, and returns its digest. It is durable after the next ``flush()``.
    package func store(_ content: [UInt8]) throws(BlobError) -> BlobDigest {
        try content.withUnsafeBytes { bytes in
            Result<BlobDigest, BlobError> { () throws(BlobError) in try store(bytes) }
        }.get()
    }

    /// Returns whether the blob is stored with this size. A file that has another size was truncated by a full disk or a crash, and must be
    /// written again.
    ///
    /// - Parameter size: The size of the content in bytes; `nil` if it is not known.
    private func holds(_ digest: BlobDigest, size: UInt64?) throws(BlobError) -> Bool {
        guard let stored = try self.size(of: digest) else { return false }
        return size == nil || size == stored
    }

    /// Returns the size of the blob's content in bytes, or `nil` if it is not stored.
    package func size(of digest: BlobDigest) throws(BlobError) -> UInt64? {
        try encryption.withCipher { cipher throws(BlobError) in
            cipher == nil ? try fileSize(of: digest) : try reader(of: digest, cipher)?.size
        }
    }

    /// Returns whether the blob has a file, even if the file is damaged.
    package func contains(_ digest: BlobDigest) throws(BlobError) -> Bool {
        try fileSize(of: digest) != nil
    }

    private func fileSize(of digest: BlobDigest) throws(BlobError) -> UInt64? {
        let name = digest.fileName
        return try kept.find { directory throws(BlobError) in
            guard case .file(let size) = try directory.entry(name) else { return nil }
            return size
        }
    }

    /// Opens the file of a blob; `nil` if it does not exist. The caller must close it.
    private func file(of digest: BlobDigest) throws(BlobError) -> BlobFile? {
        let name = digest.fileName
        return try kept.find { directory throws(BlobError) in try directory.file(name) }
    }

    /// Must be called when another directory has been put in the place of the store's.
    func directoryWasReplaced() { kept.close() }

    /// Opens the blob for reading. Returns `nil` if it is not stored.
    ///
    /// - Throws: `notAFile` or `notADirectory` if the path of the blob or of the directory is a symbolic link or another kind of entry.
    package func reader(of digest: BlobDigest) throws(BlobError) -> BlobReader? {
        try encryption.withCipher { cipher throws(BlobError) in try reader(of: digest, cipher) }
    }

    private func reader(of digest: BlobDigest, _ cipher: BlobCipher?) throws(BlobError) -> BlobReader? {
        guard let file = try self.file(of: digest) else { return nil }
        return try BlobReader(file, digest: digest, cipher: cipher)
    }

    /// Returns the whole content, or `nil` if the blob is not stored.
    ///
    /// - Throws: `tooLarge` if it has more than 2 GiB; the errors of reading.
    package func contents(of digest: BlobDigest) throws(BlobError) -> [UInt8]? {
        guard let reader = try self.reader(of: digest) else { return nil }
        var content = [UInt8](repeating: 0, count: try reader.sizeInMemory())
        let count = try content.withUnsafeMutableBytes { buffer in
            Result<Int, BlobError> { () throws(BlobError) in try reader.read(into: buffer) }
        }.get()
        guard count == content.count else { throw BlobError(.cutShort, action: "read", path: reader.path) }
        return content
    }

    /// Returns the digest computed from the stored content, which differs from `digest` if the file is damaged. Returns `nil` if the blob
    /// does not exist.
    func actualDigest(of digest: BlobDigest) throws(BlobError) -> BlobDigest? {
        guard let reader = try self.reader(of: digest) else { return nil }
        return try Self.digest(reader)
    }

    /// Returns the digest computed from the content of an open file, which stays open.
    private func contentDigest(of file: BlobFile, storedAs digest: BlobDigest) throws(BlobError) -> BlobDigest {
        try encryption.withCipher { cipher throws(BlobError) in
            try Self.digest(BlobReader(sharing: file, digest: digest, cipher: cipher))
        }
    }

    private static func digest(_ reader: BlobReader) throws(BlobError) -> BlobDigest {
        defer { reader.close() }
        var hash = Insecure.SHA1()
        try reader.forEachPiece { piece throws(BlobError) in hash.update(bufferPointer: piece) }
        return BlobDigest(hash.finalize())
    }

    // MARK: Durability

    /// Returns whether the blob is already stored, by any process. If so, a document may refer to it after the next ``flush()``.
    ///
    /// A blob that this store does not know is read and verified: its content may be incomplete after a power failure, because it is flushed
    /// only before the first commit of a document that refers to it. One whose flush has failed is not used.
    func adopts(_ digest: BlobDigest, size: UInt64?) -> Bool {
        // What cannot be read must be written again.
        (try? adoption(of: digest, size: size)) == .adopted
    }

    private enum Adoption {
        case adopted
        /// The blob is not stored with the size, or its content is damaged.
        case missing
        /// Flushing the file has failed, so that its content may be lost although it can still be read.
        case unflushed
    }

    private func adoption(of digest: BlobDigest, size: UInt64?) throws(BlobError) -> Adoption {
        guard try holds(digest, size: size) else { return .missing }
        // A document must not refer to a file of a directory that was replaced.
        if !kept.isCurrent(), try !holds(digest, size: size) { return .missing }
        guard let file = try self.file(of: digest) else { return .missing }
        defer { file.close() }
        let identity = try file.identity
        let (isKnown, hasFailed) = names.withLock { ($0.knows(digest, in: identity), $0.hasFailed(identity)) }
        if isKnown { return .adopted }
        if hasFailed { return .unflushed }
        guard try isIntact({ () throws(BlobError) in try contentDigest(of: file, storedAs: digest) == digest }) else { return .missing }
        noteName(of: digest, in: identity, needsContent: true)
        return .adopted
    }

    /// Returns the result of `read`, or `false` if it finds that the content is damaged.
    ///
    /// - Throws: The error of the system if the content cannot be read at the moment.
    private func isIntact(_ read: () throws(BlobError) -> Bool) throws(BlobError) -> Bool {
        do throws(BlobError) {
            return try read()
        } catch {
            if case .system = error.reason { throw error }
            return false
        }
    }

    /// Returns whether a document may refer to the blob after the next ``flush()``, although its content is not at hand.
    ///
    /// Fast for a blob that this store knows. Another one is read and verified, so this should be called before a transaction. One whose flush
    /// has failed is written to a new file, as long as its content can still be read.
    ///
    /// - Throws: The error of the system if the blob is stored, but cannot be read at the moment.
    package func ensureStored(_ digest: BlobDigest) throws(BlobError) -> Bool {
        switch try adoption(of: digest, size: nil) {
        case .adopted: return true
        case .missing: return false
        case .unflushed:
            guard let reader = try self.reader(of: digest) else { return false }
            return try isIntact { () throws(BlobError) in
                try reader.verifiedCopy(of: digest, in: self).addToStore()
                return true
            }
        }
    }

    /// Returns whether a document may still refer to a blob for which ``ensureStored(_:)`` returned `true` before, or to which the stored
    /// document refers. Takes a system call, without reading the content.
    package func stillHolds(_ digest: BlobDigest) throws(BlobError) -> Bool {
        guard names.withLock(\.hasFailures) else { return try contains(digest) }
        guard let file = try self.file(of: digest) else { return false }
        defer { file.close() }
        return try !hasFailed(file.identity)
    }

    /// Records that a blob has got its name.
    ///
    /// - Parameter needsContent: Whether its content may not be on the medium yet.
    func noteName(of digest: BlobDigest, in file: FileIdentity, needsContent: Bool) {
        names.withLock { $0.add(digest, in: file, needsContent: needsContent) }
    }

    /// Returns whether content in a file may be lost, because flushing it has failed.
    func hasFailed(_ file: FileIdentity) -> Bool { names.withLock { $0.hasFailed(file) } }

    /// From this number of contents on, the whole file system is flushed, instead of file by file.
    private static let contentsForFileSystem = 16

    /// Makes new blobs durable, so that after a crash no document refers to a blob without content or name. Called before every commit. Fast
    /// if there are no new blobs.
    ///
    /// - Returns: Whether there were new blobs.
    /// - Throws: The error of the system. The contents may be lost then, although they can still be read: ``adopts(_:size:)`` does not use
    ///   them, so that they are written to new files when they are stored again. Their files are kept, because a document of another
    ///   process may refer to them.
    @discardableResult
    package func flush() throws(BlobError) -> Bool {
        // Other threads may store blobs meanwhile.
        let pending = names.withLock(\.pending)
        guard !pending.isEmpty else { return false }
        guard let opened = try BlobDirectory(directory) else { throw BlobError(.notFound, action: "open", path: directory) }
        let contents = pending.filter(\.value.needsContent).map(\.key)
        do throws(BlobError) {
            try flushContents(contents, in: opened)
            guard synchronize(descriptor: opened.descriptor) else { throw BlobError.current("write to", directory) }
        } catch {
            names.withLock { $0.fail(pending) }
            throw error
        }
        names.withLock { $0.confirm(pending) }
        return true
    }

    private func flushContents(_ contents: [BlobDigest], in directory: borrowing BlobDirectory) throws(BlobError) {
        if contents.count >= Self.contentsForFileSystem, canFlushFileSystem {
            guard flushFileSystem(of: directory.descriptor) else { throw BlobError.current("write to", directory.path) }
            return
        }
        for digest in contents {
            // A file that was removed meanwhile is not referred to any more.
            guard let file = try directory.file(digest.fileName) else { continue }
            defer { file.close() }
            guard flushContent(descriptor: file.descriptor) else { throw BlobError.current("write to", file.path) }
        }
    }

    /// Creates the directory if it is missing, accessible only by the user.
    func makeDirectory() throws(BlobError) {
        guard mkdir(directory, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw BlobError.current("create the directory", directory)
        }
        // The names in the directory are lost if its own name is lost.
        guard synchronize(directory + "/..") else { throw BlobError.current("write to", directory) }
    }
}

extension BlobStore {
    /// Copies all blobs to `other`, with the encryption of that store. Used when the key of a database is changed. Keeps only a piece of
    /// one blob in memory at a time.
    ///
    /// - Throws: `damaged` if the content of a blob does not have its digest, because the damage could not be detected afterwards. The
    ///   blobs copied before remain in `other`.
    package func copyAll(to other: BlobStore) throws(BlobError) {
        for digest in try digests() {
            guard let reader = try self.reader(of: digest) else { continue }
            try reader.verifiedCopy(of: digest, in: other).install()
        }
        try other.flush()
    }
}
