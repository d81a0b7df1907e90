import Crypto

extension BlobStore {
    /// The digest that the stored content really has, which differs from its name when the file is damaged; nil when there
    /// is no such blob. Reads it piece by piece.
    func actualDigest(of digest: BlobDigest) throws(BlobError) -> BlobDigest? {
        guard let reader = try reader(of: digest) else { return nil }
        defer { reader.close() }
        var hash = Insecure.SHA1()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.read(into: buffer)
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return BlobDigest(hash.finalize())
    }
}
