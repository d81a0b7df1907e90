import Crypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes one blob piece by piece to a temporary file, which gets its name when the whole content is known.
///
/// A writer that is dropped before ``install()`` leaves nothing behind.
package struct BlobWriter: ~Copyable {
    private let store: BlobStore
    private let file: BlobFile
    private var sealer: BlobSealer?
    private var hash = Insecure.SHA1()
    /// How many bytes have been written.
    package private(set) var count: UInt64 = 0

    /// Creates the temporary file `incoming_XXXXXX`, and the store's directory if it is missing.
    package init(store: BlobStore) throws(BlobError) {
        var file = Self.makeFile(in: store.directory)
        if file == nil, errno == ENOENT {
            try store.makeDirectory()
            file = Self.makeFile(in: store.directory)
        }
        guard let file else { throw BlobError.current("create a file in", store.directory) }
        let sealer: BlobSealer?
        do throws(BlobError) {
            sealer = if let cipher = store.cipher { try BlobSealer(file, cipher: cipher) } else { nil }
        } catch {
            Self.discard(file)
            throw error
        }
        self.store = store
        self.file = file
        self.sealer = sealer
    }

    private static func makeFile(in directory: String) -> BlobFile? {
        var template = Array((directory + "/incoming_XXXXXX").utf8) + [0]
        return template.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let descriptor = mkstemp(start.assumingMemoryBound(to: CChar.self))
            guard descriptor >= 0 else { return nil }
            return BlobFile(descriptor: descriptor, path: String(decoding: bytes.dropLast(), as: UTF8.self))
        }
    }

    private static func discard(_ file: BlobFile) {
        file.close()
        unlink(file.path)
    }

    deinit {
        Self.discard(file)
    }

    /// Appends `bytes`.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(BlobError) {
        hash.update(bufferPointer: bytes)
        if sealer == nil { try file.write(bytes) } else { try sealer?.append(bytes) }
        count += UInt64(bytes.count)
    }

    /// Makes the content durable and gives the file its final name, unless it is stored already.
    package consuming func install() throws(BlobError) -> BlobDigest {
        let digest = BlobDigest(hash.finalize())
        try install(as: digest)
        return digest
    }

    /// As ``install()``, but only when the content has the digest that is expected; else returns false.
    consuming func install(ifDigestIs expected: BlobDigest) throws(BlobError) -> Bool {
        guard BlobDigest(hash.finalize()) == expected else { return false }
        try install(as: expected)
        return true
    }

    private consuming func install(as digest: BlobDigest) throws(BlobError) {
        if store.holds(digest, size: count) { return }
        try sealer?.finish(digest: digest)
        guard fsync(file.descriptor) == 0, fchmod(file.descriptor, 0o400) == 0 else {
            throw BlobError.current("write to", file.path)
        }
        let path = store.path(of: digest)
        guard rename(file.path, path) == 0 else { throw BlobError.current("create the blob", path) }
        // `deinit` still runs: it closes the descriptor, and finds nothing under the temporary name.
    }
}
