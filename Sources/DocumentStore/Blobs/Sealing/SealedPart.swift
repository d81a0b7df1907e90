import Crypto
import Foundation

/// The parts of a sealed file, each encrypted by itself.
enum SealedPart {
    case chunk(UInt64, isLast: Bool)
    /// Holds no content. It authenticates the digest and the length, so that opening a file shows whether it is the right
    /// one, and whole.
    case trailer(chunkCount: UInt64, digest: BlobDigest, length: UInt64)

    static let tagByteCount = 16

    /// Different for every part of a file: the kind, three zero bytes, and the index as a big-endian number.
    private var nonce: [UInt8] {
        switch self {
        case .chunk(let index, let isLast): [isLast ? 1 : 0, 0, 0, 0] + index.bigEndianBytes
        case .trailer(let chunkCount, _, _): [2, 0, 0, 0] + chunkCount.bigEndianBytes
        }
    }

    private var authenticatedData: [UInt8] {
        switch self {
        case .chunk: []
        case .trailer(_, let digest, let length): digest.bytes + length.bigEndianBytes
        }
    }

    /// `content` encrypted, and the tag that goes after it.
    func seal(_ content: UnsafeRawBufferPointer, key: SymmetricKey) throws -> (ciphertext: Data, tag: Data) {
        let nonce = try AES.GCM.Nonce(data: nonce)
        let box = try AES.GCM.seal(content, using: key, nonce: nonce, authenticating: authenticatedData)
        return (box.ciphertext, box.tag)
    }

    /// The content of what ``seal(_:key:)`` made, ciphertext and tag.
    ///
    /// - Throws: When it is not that, but changed, of another part, of another file or of another key.
    func open(_ sealed: UnsafeRawBufferPointer, key: SymmetricKey) throws -> Data {
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce),
            ciphertext: UnsafeRawBufferPointer(rebasing: sealed.dropLast(Self.tagByteCount)),
            tag: UnsafeRawBufferPointer(rebasing: sealed.suffix(Self.tagByteCount))
        )
        return try AES.GCM.open(box, using: key, authenticating: authenticatedData)
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }
}
