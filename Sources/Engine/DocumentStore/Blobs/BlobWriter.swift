import Crypto

/// Writes one blob in pieces to a temporary file, which gets its final name when the whole content is known.
///
/// If a writer is released before it is finished, its file is removed.
package struct BlobWriter: ~Copyable {
    private let store: BlobStore
    private let encryption: BlobEncryption.Use
    private let temporary: TemporaryBlobFile
    private var sealer: BlobSealer?
    private var hash = Insecure.SHA1()
    private let knownDigest: BlobDigest?
    /// The number of bytes written.
    package private(set) var count: UInt64 = 0

    /// Creates the file, and the store's directory if it is missing.
    ///
    /// - Parameter digest: The digest of the content if it is known, so that it is not computed again; otherwise `nil`.
    package init(store: BlobStore, digest: BlobDigest? = nil) throws(BlobError) {
        encryption = store.encryption.use()
        let temporary = try TemporaryBlobFile(in: store)
        sealer = if let cipher = encryption.cipher { try BlobSealer(temporary.file, cipher: cipher) } else { nil }
        self.store = store
        self.temporary = temporary
        knownDigest = digest
    }

    /// Appends `bytes`.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(BlobError) {
        if knownDigest == nil { hash.update(bufferPointer: bytes) }
        if sealer == nil { try temporary.file.write(bytes) } else { try sealer?.append(bytes) }
        count += UInt64(bytes.count)
    }

    /// Appends `bytes`.
    package mutating func write(_ bytes: [UInt8]) throws(BlobError) {
        var failure: BlobError?
        bytes.withUnsafeBytes { bytes in
            do throws(BlobError) { try write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Appends the content of `reader` from its current position to its end.
    mutating func write(contentsOf reader: BlobReader) throws(BlobError) {
        try reader.forEachPiece { piece throws(BlobError) in try write(piece) }
    }

    /// Finishes the content. The blob is not in the store yet.
    package consuming func finish() throws(BlobError) -> FinishedBlob {
        let digest = knownDigest ?? BlobDigest(hash.finalize())
        try sealer?.finish(digest: digest)
        try temporary.seal(size: count)
        return FinishedBlob(temporary, encryption, digest: digest, size: count, store: store)
    }

    /// Finishes the content and adds it to the store, unless it is already stored. Returns its digest.
    package consuming func install() throws(BlobError) -> BlobDigest {
        let finished = try finish()
        try finished.install()
        return finished.digest
    }
}

/// A blob with complete content in a temporary file. If it is released before ``install()``, the file is removed.
package final class FinishedBlob: Sendable {
    private let temporary: TemporaryBlobFile
    /// The digest of the content, before any encryption.
    package let digest: BlobDigest
    /// The size of the content, in bytes.
    package let size: UInt64
    /// The store to which ``install()`` adds the content.
    package let store: BlobStore
    /// The encryption of the content. The encryption of the store may have changed since.
    private let cipher: BlobCipher?
    private let generation: Int

    fileprivate init(_ temporary: TemporaryBlobFile, _ encryption: BlobEncryption.Use, digest: BlobDigest, size: UInt64, store: BlobStore) {
        self.temporary = temporary
        cipher = encryption.cipher
        generation = encryption.generation
        self.digest = digest
        self.size = size
        self.store = store
    }

    /// Adds the content to the store, unless it is already stored. Takes the same short time for any size. It can be called again during
    /// the lifetime of this object if the content has been removed from the store.
    package func install() throws(BlobError) {
        if !store.adopts(digest, size: size) { try addToStore() }
    }

    /// Adds the content to the store, in the place of the file that may be there.
    func addToStore() throws(BlobError) {
        let encryption = store.encryption.use()
        try withExtendedLifetime(encryption) { () throws(BlobError) in
            // If the key of the database has been changed, the temporary file was removed with the old bundle.
            guard encryption.generation == generation else { return try copy(for: store).install() }
            let identity = try temporary.file.identity
            // The content is still readable here, but may be missing on the medium.
            guard !store.hasFailed(identity) else { return try reader().verifiedCopy(of: digest, in: store).install() }
            try temporary.addName(digest.fileName)
            store.noteName(of: digest, in: identity, needsContent: temporary.needsFlush)
        }
    }

    /// Opens the content for reading. This is possible before it is in the store.
    package func reader() throws(BlobError) -> BlobReader {
        try BlobReader(sharing: temporary.file, digest: digest, cipher: cipher)
    }

    /// Returns a copy of the content in a temporary file of another store.
    package func copy(for other: BlobStore) throws(BlobError) -> FinishedBlob {
        var writer = try BlobWriter(store: other, digest: digest)
        try writer.write(contentsOf: try reader())
        return try writer.finish()
    }
}

extension BlobReader {
    /// Returns a copy of the content, which must have `digest`, in a temporary file of `store`.
    ///
    /// - Throws: `damaged` if the content has another digest.
    func verifiedCopy(of digest: BlobDigest, in store: BlobStore) throws(BlobError) -> FinishedBlob {
        var writer = try BlobWriter(store: store)
        try writer.write(contentsOf: self)
        let copy = try writer.finish()
        guard copy.digest == digest else { throw BlobError(.damaged, action: "copy", path: path) }
        return copy
    }
}
