import Crypto

/// Writes one blob piece by piece to a temporary file, which gets its name when the whole content is known.
///
/// A writer that is dropped leaves nothing behind.
package struct BlobWriter: ~Copyable {
    private let store: BlobStore
    private let encryption: BlobEncryption.Use
    private let temporary: TemporaryBlobFile
    private var sealer: BlobSealer?
    private var hash = Insecure.SHA1()
    private let knownDigest: BlobDigest?
    /// How many bytes have been written.
    package private(set) var count: UInt64 = 0

    /// Creates the file, and the store's directory if it is missing.
    ///
    /// - Parameter digest: That of the content, if it is known: it is not computed a second time then.
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

    /// Appends everything that `reader` has from its position on.
    mutating func write(contentsOf reader: BlobReader) throws(BlobError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try reader.read(into: buffer), count > 0 {
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Ends the content and makes it durable. It is not in the store yet.
    package consuming func finish() throws(BlobError) -> FinishedBlob {
        let digest = knownDigest ?? BlobDigest(hash.finalize())
        try sealer?.finish(digest: digest)
        try temporary.seal()
        return FinishedBlob(temporary, encryption, digest: digest, size: count, store: store)
    }

    /// Ends the content and puts it into the store, unless it is there already.
    package consuming func install() throws(BlobError) -> BlobDigest {
        let finished = try finish()
        try finished.install()
        return finished.digest
    }
}

/// A blob whose content is complete and on the medium, in a temporary file. Dropped before ``install()`` it leaves nothing
/// behind.
package final class FinishedBlob: Sendable {
    private let temporary: TemporaryBlobFile
    package let digest: BlobDigest
    /// How many bytes the content has.
    package let size: UInt64
    package let store: BlobStore
    /// How the content is encrypted, which the store may have changed since.
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

    /// Puts the content into the store, unless it is there already. Quick, whatever its size. It can be repeated, as long as the
    /// object lives, should the content be removed from the store.
    package func install() throws(BlobError) {
        guard !store.adopts(digest, size: size) else { return }
        let encryption = store.encryption.use()
        try withExtendedLifetime(encryption) { () throws(BlobError) in
            // When the database has got another key meanwhile, the temporary file went with the old bundle.
            guard encryption.generation == generation else { return try copy(for: store).install() }
            try temporary.addName(digest.fileName)
            store.noteName(of: digest, inode: try temporary.file.inode)
        }
    }

    /// Reads the content, also before it is in the store.
    package func reader() throws(BlobError) -> BlobReader {
        try BlobReader(sharing: temporary.file, digest: digest, cipher: cipher)
    }

    /// The same content, to be put into another store.
    package func copy(for other: BlobStore) throws(BlobError) -> FinishedBlob {
        var writer = try BlobWriter(store: other, digest: digest)
        try writer.write(contentsOf: try reader())
        return try writer.finish()
    }
}
