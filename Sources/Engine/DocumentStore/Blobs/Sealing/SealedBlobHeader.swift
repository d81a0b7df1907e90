package import Crypto

/// The first bytes of an encrypted blob: the file type, the size of chunks, and the salt of the key.
struct SealedBlobHeader {
    static let byteCount = 48
    static let saltByteCount = 32
    private static let magic = Array("CBLSBlob".utf8)
    private static let version: UInt8 = 1
    /// Larger chunks would make it slower to read a few bytes, smaller chunks would make every file longer.
    private static let defaultChunkBits: UInt8 = 16
    /// The values accepted when reading, which limit the size of buffers.
    private static let allowedChunkBits: ClosedRange<UInt8> = 12...20

    /// All bytes before the salt. They are part of the key derivation, so that changes are detected.
    let parameters: [UInt8]
    let salt: [UInt8]
    /// The number of bytes of content in a chunk, except the last one, which may have fewer.
    let chunkSize: Int

    /// Creates the header of a new file.
    init(salt: [UInt8]) {
        precondition(salt.count == Self.saltByteCount)
        self.salt = salt
        parameters = Self.magic + [Self.version, Self.defaultChunkBits, 0, 0, 0, 0, 0, 0]
        chunkSize = 1 << Int(Self.defaultChunkBits)
    }

    /// Creates the header of a new file, with a random salt.
    init() {
        var generator = SystemRandomNumberGenerator()
        self.init(salt: (0..<Self.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Parses a header. Returns `nil` if these bytes are not a header, or one of a later version.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        let chunkBits = bytes[Self.magic.count + 1]
        guard bytes[Self.magic.count] == Self.version, Self.allowedChunkBits.contains(chunkBits) else { return nil }
        parameters = Array(bytes.dropLast(Self.saltByteCount))
        salt = Array(bytes.suffix(Self.saltByteCount))
        chunkSize = 1 << Int(chunkBits)
    }

    var bytes: [UInt8] { parameters + salt }
}

/// Encrypts the files of blobs (`Documentation/formats/encryption.md`, "Blobs").
///
/// Every file has its own key, derived from this key and a random salt. So nonces need to be unique only within one file.
package struct BlobCipher: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: A key of 256 bits that is used for no other purpose.
    package init(key: SymmetricKey) {
        self.key = key
    }

    /// Returns the key of the file that begins with `header`.
    func fileKey(for header: SealedBlobHeader) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: header.salt, info: header.parameters, outputByteCount: 32)
    }
}
