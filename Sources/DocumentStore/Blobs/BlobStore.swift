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
    /// Whether blobs got names that may not be on the medium yet.
    private let hasNewNames = Mutex(false)

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
        if holds(digest, size: UInt64(content.count)) { return digest }
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
        let path = path(of: digest)
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw BlobError.current("inspect the blob", path) }
            return nil
        }
        return UInt64(status.st_size)
    }

    /// Opens the blob for reading; nil when it is not stored.
    package func reader(of digest: BlobDigest) throws(BlobError) -> BlobReader? {
        do {
            let use = encryption.use()
            return try withExtendedLifetime(use) { () throws(BlobError) in
                try BlobReader(path: path(of: digest), digest: digest, cipher: use.cipher)
            }
        } catch {
            guard error.reason == .notFound else { throw error }
            return nil
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

    /// A blob got its name.
    func noteNewName() {
        hasNewNames.withLock { $0 = true }
    }

    /// Makes the names of new blobs durable, so that no document can outlive the name of a blob it refers to. Called before
    /// every commit; quick when there are none.
    package func syncNames() throws(BlobError) {
        try hasNewNames.withLock { hasNewNames throws(BlobError) in
            guard hasNewNames else { return }
            let file = BlobFile(descriptor: open(directory, O_RDONLY | O_CLOEXEC), path: directory)
            guard file.descriptor >= 0 else { throw BlobError.current("open", directory) }
            defer { file.close() }
            // Some file systems cannot do it for directories, and need not.
            guard fsync(file.descriptor) == 0 || errno == EINVAL else { throw BlobError.current("write to", directory) }
            hasNewNames = false
        }
    }

    /// Makes the directory if it is missing.
    func makeDirectory() throws(BlobError) {
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            throw BlobError.current("create the directory", directory)
        }
    }
}
