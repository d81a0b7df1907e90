package import Crypto

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
