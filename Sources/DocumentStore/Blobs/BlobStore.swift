import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The blobs of a database: one file for each content, named by its digest (Storage format 4.1).
///
/// Any number of stores and processes may use one directory at once.
package final class BlobStore: Sendable {
    /// The directory `Attachments` in the bundle. It is made when the first blob is written.
    package let directory: String
    /// Encrypts the files; nil when they are plain. Digests, and so the names of files, are those of the content in any case.
    let encryption: BlobEncryption
    /// What is on the medium, and what may not be yet.
    private let names = Mutex(DurableBlobs())

    package init(directory: String, cipher: BlobCipher? = nil) {
        self.directory = directory
        encryption = BlobEncryption(cipher)
    }

    /// What files are encrypted with at the moment; nil when they are plain.
    var cipher: BlobCipher? { encryption.use().cipher }

    /// Where the content with `digest` is, or would be.
    package func path(of digest: BlobDigest) -> String {
        directory + "/" + digest.fileName
    }

    /// Stores `content` unless it is there already.
    package func store(_ content: UnsafeRawBufferPointer) throws(BlobError) -> BlobDigest {
        let digest = BlobDigest(of: content)
        if adopts(digest, size: UInt64(content.count)) { return digest }
        var writer = try BlobWriter(store: self, digest: digest)
        try writer.write(content)
        return try writer.install()
    }

    /// Stores `content` unless it is there already.
    package func store(_ content: [UInt8]) throws(BlobError) -> BlobDigest {
        try content.withUnsafeBytes { bytes in
            Result<BlobDigest, BlobError> { () throws(BlobError) in try store(bytes) }
        }.get()
    }

    /// Whether the blob is stored and has this size. A file of another size, or one that cannot be opened, was cut short by a
    /// full disk or a crash: it is to be written again.
    func holds(_ digest: BlobDigest, size: UInt64) -> Bool {
        ((try? self.size(of: digest)) ?? nil) == size
    }

    /// How many bytes the blob has; nil when it is not stored.
    package func size(of digest: BlobDigest) throws(BlobError) -> UInt64? {
        cipher == nil ? try fileSize(of: digest) : try reader(of: digest)?.size
    }

    /// Whether there is a file for the blob, be it damaged.
    package func contains(_ digest: BlobDigest) throws(BlobError) -> Bool {
        try fileSize(of: digest) != nil
    }

    private func fileSize(of digest: BlobDigest) throws(BlobError) -> UInt64? {
        guard let directory = try BlobDirectory(directory), case .file(let size) = try directory.entry(digest.fileName)
        else { return nil }
        return size
    }

    /// Opens the blob for reading; nil when it is not stored.
    ///
    /// - Throws: `notAFile` or `notADirectory` when a symbolic link or the like stands in the place of the blob or of the directory.
    package func reader(of digest: BlobDigest) throws(BlobError) -> BlobReader? {
        let use = encryption.use()
        return try withExtendedLifetime(use) { () throws(BlobError) in
            guard let directory = try BlobDirectory(directory), let file = try directory.file(digest.fileName) else { return nil }
            return try BlobReader(file, digest: digest, cipher: use.cipher)
        }
    }

    /// The whole content; nil when it is not stored.
    package func contents(of digest: BlobDigest) throws(BlobError) -> [UInt8]? {
        guard let reader = try reader(of: digest) else { return nil }
        var content = [UInt8](repeating: 0, count: Int(reader.size))
        let count = try content.withUnsafeMutableBytes { buffer in
            Result<Int, BlobError> { () throws(BlobError) in try reader.read(into: buffer) }
        }.get()
        guard count == content.count else { throw BlobError(.cutShort, action: "read", path: reader.path) }
        return content
    }

    // MARK: Durability

    /// Whether the blob is stored and has this size, whoever has stored it. Then it is made durable, so that a document may refer to it
    /// after the next ``syncNames()``.
    func adopts(_ digest: BlobDigest, size: UInt64) -> Bool {
        guard holds(digest, size: size), let directory = try? BlobDirectory(directory),
            let file = (try? directory.file(digest.fileName)) ?? nil
        else { return false }
        defer { file.close() }
        guard let inode = try? file.inode else { return false }
        if names.withLock({ $0.knows(digest, inode: inode) }) { return true }
        // Who gave it its name may not have got as far as that.
        guard synchronize(descriptor: file.descriptor) else { return false }
        noteName(of: digest, inode: inode)
        return true
    }

    /// A blob, whose content is on the medium in that file, got its name.
    func noteName(of digest: BlobDigest, inode: UInt64) {
        names.withLock { $0.add(digest, inode: inode) }
    }

    /// Makes the names of new blobs durable, so that no document can outlive the name of a blob it refers to. Called before
    /// every commit; quick when there are none.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    package func syncNames() throws(BlobError) -> Bool {
        try names.withLock { names throws(BlobError) in
            guard !names.isComplete else { return false }
            guard let opened = try BlobDirectory(directory) else { throw BlobError(.notFound, action: "open", path: directory) }
            guard synchronize(descriptor: opened.descriptor) else { throw BlobError.current("write to", directory) }
            names.confirm()
            return true
        }
    }

    /// Makes the directory if it is missing, for the user alone.
    func makeDirectory() throws(BlobError) {
        guard mkdir(directory, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw BlobError.current("create the directory", directory)
        }
        // The names in it are of no use if its own is lost.
        guard synchronize(directory + "/..") else { throw BlobError.current("write to", directory) }
    }
}
