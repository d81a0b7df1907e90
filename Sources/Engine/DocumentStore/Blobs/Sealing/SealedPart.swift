import Crypto
import Foundation

/// The parts of an encrypted file. Each is encrypted separately.
enum SealedPart {
    case chunk(UInt64, isLast: Bool)
    /// The end of the file, without content. It authenticates the digest and the length, so that a wrong or truncated file is detected when
    /// it is opened.
    case trailer(chunkCount: UInt64, digest: BlobDigest, length: UInt64)

    static let tagByteCount = 16

    /// A value that is unique among the parts of a file: the kind, three zero bytes, and the index as a big-endian number.
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

    /// Encrypts `content`. The tag is stored after the ciphertext.
    func seal(_ content: UnsafeRawBufferPointer, key: SymmetricKey) throws -> (ciphertext: Data, tag: Data) {
        let nonce = try AES.GCM.Nonce(data: nonce)
        let box = try AES.GCM.seal(content, using: key, nonce: nonce, authenticating: authenticatedData)
        return (box.ciphertext, box.tag)
    }

    /// Decrypts the result of ``seal(_:key:)``, ciphertext and tag.
    ///
    /// - Throws: If the data was changed, or belongs to another part, another file or another key.
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
