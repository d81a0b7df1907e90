import Crypto

extension BlobStore {
    /// Returns the digest computed from the stored content, which differs from `digest` if the file is damaged. Returns `nil` if the blob
    /// does not exist. Reads the whole blob in pieces of 64 KB.
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
