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
    private let temporaryPath: String
    private let descriptor: Int32
    private var hash = Insecure.SHA1()
    /// How many bytes have been written.
    package private(set) var count: UInt64 = 0

    /// Creates the temporary file `incoming_XXXXXX`, and the store's directory if it is missing.
    package init(store: BlobStore) throws(BlobError) {
        self.store = store
        var file = Self.makeFile(in: store.directory)
        if file == nil, errno == ENOENT {
            try store.makeDirectory()
            file = Self.makeFile(in: store.directory)
        }
        guard let file else { throw BlobError.current("create a file in", store.directory) }
        (descriptor, temporaryPath) = file
    }

    private static func makeFile(in directory: String) -> (descriptor: Int32, path: String)? {
        var template = Array((directory + "/incoming_XXXXXX").utf8) + [0]
        return template.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let descriptor = mkstemp(start.assumingMemoryBound(to: CChar.self))
            guard descriptor >= 0 else { return nil }
            return (descriptor, String(decoding: bytes.dropLast(), as: UTF8.self))
        }
    }

    deinit {
        close(descriptor)
        unlink(temporaryPath)
    }

    /// Appends `bytes`.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(BlobError) {
        hash.update(bufferPointer: bytes)
        var rest = bytes
        while let start = rest.baseAddress, rest.count > 0 {
            let written = systemWrite(descriptor, start, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw BlobError.current("write to", temporaryPath)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
        count += UInt64(bytes.count)
    }

    /// Makes the content durable and gives the file its final name, unless it is stored already.
    package consuming func install() throws(BlobError) -> BlobDigest {
        let digest = BlobDigest(hash.finalize())
        let path = store.path(of: digest)
        if let size = try store.size(of: digest), size == count { return digest }
        guard fsync(descriptor) == 0, fchmod(descriptor, 0o400) == 0 else {
            throw BlobError.current("write to", temporaryPath)
        }
        guard rename(temporaryPath, path) == 0 else { throw BlobError.current("create the blob", path) }
        // `deinit` still runs: it closes the descriptor, and finds nothing under the temporary name.
        return digest
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
