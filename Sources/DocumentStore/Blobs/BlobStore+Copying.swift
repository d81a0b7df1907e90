extension BlobStore {
    /// Stores all blobs in `other` as well, encrypted as that one does it, however this one does. Used when a database gets
    /// another key. Keeps a piece of a blob in memory at a time.
    ///
    /// - Throws: `damaged` for a blob whose content does not have its digest: it could not be told from a good one afterwards.
    ///   What has been stored by then stays.
    package func copyAll(to other: BlobStore) throws(BlobError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        for digest in try digests() {
            guard let reader = try reader(of: digest) else { continue }
            var writer = try BlobWriter(store: other)
            while case let count = try reader.read(into: buffer), count > 0 {
                try writer.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            guard try writer.install(ifDigestIs: digest) else {
                throw BlobError(.damaged, action: "copy", path: reader.path)
            }
        }
    }
}
