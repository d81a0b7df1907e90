import Crypto
import Foundation

/// A blob's file that is encrypted: gives the content from any place in it, a chunk at a time.
struct SealedBlob {
    private let file: BlobFile
    private let key: SymmetricKey
    private let chunkSize: Int
    private let chunkCount: UInt64
    /// How many bytes the content has.
    let length: UInt64
    /// The chunk read last: what is read next is mostly in it, too.
    private var current: (index: UInt64, content: Data)?

    /// Finds out whether `file` is the blob with `digest`, and whole, as far as its header, its size and its trailer tell.
    /// Chunks are checked when they are read.
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
        guard trailer.withUnsafeBytes({ try? part.open($0, key: key) }) != nil else {
            throw BlobError(.damaged, action: "open", path: file.path)
        }
        self.file = file
        self.key = key
        chunkSize = header.chunkSize
        (chunkCount, length) = layout
    }

    /// What the chunks hold that take `size` bytes in the file; nil when no chunks take that many.
    private static func layout(sealedSize size: UInt64, chunkSize: UInt64) -> (chunkCount: UInt64, length: UInt64)? {
        let tag = UInt64(SealedPart.tagByteCount)
        let (full, rest) = size.quotientAndRemainder(dividingBy: chunkSize + tag)
        guard rest == 0 || rest > tag else { return nil }
        let count = full + (rest == 0 ? 0 : 1)
        return (count, size - count * tag)
    }

    /// Fills `buffer` with what stands at `position` of the content, as far as it goes, and returns how many bytes that were.
    ///
    /// - Throws: `damaged` when a chunk is not what was written. What stands before it in `buffer` is right, and not counted.
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
