package import Crypto

/// Encrypts the files of blobs (`Documentation/formats/encryption.md`, "Blobs").
///
/// Every file has a key of its own, derived from this one and a random salt, so that nonces have to tell apart nothing but
/// the parts of one file.
package struct BlobCipher: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: 256 bits that nothing else is encrypted with.
    package init(key: SymmetricKey) {
        self.key = key
    }

    /// The key of the file that begins with `header`.
    func fileKey(for header: SealedBlobHeader) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: header.salt, info: header.parameters, outputByteCount: 32)
    }
}
