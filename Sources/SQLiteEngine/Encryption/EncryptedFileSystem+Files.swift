internal import CSQLiteSystem
internal import Crypto
internal import Foundation

extension EncryptedFileSystem {
    /// Creates the file system for the encrypted database file at `path`.
    ///
    /// Takes about a quarter of a second if the secret is a password that has not been used for the file before.
    ///
    /// - Throws: ``EncryptionError``, if the secret is wrong or the header is invalid.
    package convenience init(opening path: String, with secret: EncryptionSecret) throws {
        let header = try EncryptionHeader(DatabaseFileHead.read(path, count: EncryptionHeader.size))
        try self.init(header: header, secret: secret)
    }

    private convenience init(header: EncryptionHeader, secret: EncryptionSecret) throws {
        guard let key = secret.key(for: header.derivation), header.isAuthentic(for: key) else { throw EncryptionError.wrongKey }
        try self.init(header: header, key: key)
    }

    /// Returns whether `secret` opens the files of this file system.
    package func isOpened(by secret: EncryptionSecret) -> Bool {
        guard let key = secret.key(for: header.derivation) else { return false }
        return header.isAuthentic(for: key)
    }

    /// Creates the file of a new encrypted database at `path`. It contains only the header, so SQLite finds no pages. Used for
    /// ``Connection/vacuum(into:encryption:)``.
    package static func begin(at path: String, with secret: EncryptionSecret) throws -> EncryptedFileSystem {
        let derivation = secret.derivationForNewFile()
        guard let key = secret.key(for: derivation) else { throw EncryptionError.wrongKey }
        let system = try EncryptedFileSystem(header: EncryptionHeader(derivation: derivation, key: key), key: key)
        try system.begin(at: path)
        return system
    }

    /// Creates another file with the same header and therefore the same keys, for a copy.
    package func begin(at path: String) throws(SQLiteError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .file("create", path) }
        defer { close(file) }
        let block = header.encoded
        guard write(file, block, block.count) == block.count, fsync(file) == 0 else { throw .file("write", path) }
    }
}

extension SQLiteError {
    /// Returns the error for a failed system call, from the current `errno`.
    fileprivate static func file(_ action: String, _ path: String) -> SQLiteError {
        let code = errno
        let extendedCode =
            switch code {
            case ENOSPC, EDQUOT: SQLITE_FULL
            case EROFS, EACCES, EPERM: SQLITE_READONLY
            default: action == "create" ? SQLITE_CANTOPEN : SQLITE_IOERR
            }
        return SQLiteError(extendedCode: extendedCode, message: "cannot \(action) \(path): \(String(cString: strerror(code)))")
    }
}
