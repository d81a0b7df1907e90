import SQLiteEngine

extension OpenedFile {
    /// Returns the reason why a file cannot be read without a key.
    static func unreadable(_ connection: Connection, _ bundle: BundlePath) throws -> StoreError {
        switch DatabaseFileHead(try connection.header(DatabaseFileHead.size)) {
        case .encrypted: .encrypted(path: bundle.directory)
        case .encryptedByOriginal: .encryptedByOriginal(path: bundle.directory)
        case .empty, .sqlite, .other: .notADatabase(path: bundle.directory)
        }
    }

    /// Opens the encryption of a bundle with `key`. Returns `nil` if there is no key.
    ///
    /// - Throws: `encryptedByOriginal`, `notEncrypted`, `notADatabase`, `wrongKey` or `unreadableEncryption`.
    static func encryption(_ bundle: BundlePath, _ key: EncryptionSecret?) throws -> EncryptedFileSystem? {
        guard let key else { return nil }
        let path = bundle.directory
        do {
            switch DatabaseFileHead(ofFileAt: bundle.sqliteFile) {
            case .encrypted: return try EncryptedFileSystem(opening: bundle.sqliteFile, with: key)
            case .encryptedByOriginal: throw StoreError.encryptedByOriginal(path: path)
            case .sqlite, .empty: throw StoreError.notEncrypted(path: path)
            case .other: throw StoreError.notADatabase(path: path)
            }
        } catch EncryptionError.wrongKey {
            throw StoreError.wrongKey(path: path)
        } catch let error as EncryptionError {
            throw StoreError.unreadableEncryption(path: path, reason: error.description)
        }
    }
}
