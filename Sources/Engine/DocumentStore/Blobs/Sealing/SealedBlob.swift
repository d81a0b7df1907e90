import Crypto
import Foundation

/// Reads the content of an encrypted file of a blob from any position, one chunk at a time.
struct SealedBlob {
    private let file: BlobFile
    private let key: SymmetricKey
    private let chunkSize: Int
    private let chunkCount: UInt64
    /// The size of the content, in bytes.
    let length: UInt64
    /// The last chunk read. The next read is usually in the same chunk.
    private var current: (index: UInt64, content: Data)?

    /// Checks with the header, the size and the trailer that `file` contains the blob with `digest` completely. Chunks are checked when
    /// they are read.
    ///
    /// - Throws: `notSealed` or `damaged`.
    init(_ file: BlobFile, cipher: BlobCipher, digest: BlobDigest) throws(BlobError) {
        let size = try file.size
        let overhead = UInt64(SealedBlobHeader.byteCount + SealedPart.tagByteCount)
        guard
            let bytes = try file.bytes(SealedBlobHeader.byteCount, at: 0),
            let header = bytes.withUnsafeBytes({ SealedBlobHeader($0) })
        else { throw BlobError(.notSealed, action: "open", path: file.path) }
        guard size >= overhead,
            let layout = Self.layout(sealedSize: size - overhead, chunkSize: UInt64(header.chunkSize)),
            let trailer = try file.bytes(SealedPart.tagByteCount, at: size - UInt64(SealedPart.tagByteCount))
        else { throw BlobError(.damaged, action: "open", path: file.path) }
        let key = cipher.fileKey(for: header)
        let part = SealedPart.trailer(chunkCount: layout.chunkCount, digest: digest, length: layout.length)
        // The only error is that the tag does not match.
        guard trailer.withUnsafeBytes({ try? part.open($0, key: key) }) != nil else {
            throw BlobError(.damaged, action: "open", path: file.path)
        }
        self.file = file
        self.key = key
        chunkSize = header.chunkSize
        (chunkCount, length) = layout
    }

    /// Returns the number of chunks and the size of their content if they have `size` bytes in the file; `nil` if `size` is impossible.
    private static func layout(sealedSize size: UInt64, chunkSize: UInt64) -> (chunkCount: UInt64, length: UInt64)? {
        let tag = UInt64(SealedPart.tagByteCount)
        let (full, rest) = size.quotientAndRemainder(dividingBy: chunkSize + tag)
        guard rest == 0 || rest > tag else { return nil }
        let count = full + (rest == 0 ? 0 : 1)
        return (count, size - count * tag)
    }

    /// Fills `buffer` with the content at `position`, and returns the number of bytes read, which is lower only at the end of the content.
    ///
    /// - Throws: `damaged` if a chunk is not authentic. The bytes of earlier chunks in `buffer` are authentic, but not counted.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer, at position: UInt64) throws(BlobError) -> Int {
        let wanted = Int(min(UInt64(buffer.count), length - min(position, length)))
        var filled = 0
        while filled < wanted {
            let (index, offset) = (position + UInt64(filled)).quotientAndRemainder(dividingBy: UInt64(chunkSize))
            let content = try chunk(index)
            let count = min(wanted - filled, content.count - Int(offset))
            content.withUnsafeBytes { bytes in
                buffer[filled..<filled + count].copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
            }
            filled += count
        }
        return filled
    }

    private mutating func chunk(_ index: UInt64) throws(BlobError) -> Data {
        if let current, current.index == index { return current.content }
        let isLast = index == chunkCount - 1
        let contentCount = isLast ? Int(length - index * UInt64(chunkSize)) : chunkSize
        let position = UInt64(SealedBlobHeader.byteCount) + index * UInt64(chunkSize + SealedPart.tagByteCount)
        // Whatever a chunk lacks, it does not have the content that was written.
        guard
            let sealed = try file.bytes(contentCount + SealedPart.tagByteCount, at: position),
            let content = sealed.withUnsafeBytes({
                try? SealedPart.chunk(index, isLast: isLast).open($0, key: key)
            })
        else { throw BlobError(.damaged, action: "read", path: file.path) }
        current = (index, content)
        return content
    }
}
