import SQLiteEngine

extension DatabaseFile {
    /// Whether the database is encrypted.
    package var isEncrypted: Bool { encryption != nil }

    /// Checks that the file could be opened with `key`.
    ///
    /// - Throws: `encrypted`, `wrongKey` or `notEncrypted`.
    func checkKey(_ key: EncryptionSecret?) throws {
        switch (encryption, key) {
        case (nil, nil): return
        case (nil, _?): throw StoreError.notEncrypted(path: bundle.directory)
        case (_?, nil): throw StoreError.encrypted(path: bundle.directory)
        case (let encryption?, let key?):
            guard encryption.isOpened(by: key) else { throw StoreError.wrongKey(path: bundle.directory) }
        }
    }

    /// Changes or removes the encryption key: builds a new bundle beside the old one, which it then replaces.
    ///
    /// At any time, even after a crash, there is either the complete old bundle or the complete new one. The caller must ensure that there
    /// is no other user of the file in this process. Other threads of the same user wait.
    ///
    /// - Throws: `inUse` if another process has the file open, or a blob is being written; `inTransaction`; the error that prevented
    ///   building the new bundle. After an error nothing has changed.
    func changeKey(to key: EncryptionSecret?) throws {
        if key == nil, encryption == nil { return }
        try withExclusiveAccess { connection in
            let isChanged = try blobs.encryption.change { current in
                let replacement = try BundleReplacement(of: bundle)
                let made = try copyContents(of: connection, current, to: replacement.unfinished, key)
                try replacement.install { try useReplacement(made) }
                blobs.directoryWasReplaced()
                return made.map { BlobCipher(key: $0.keys.blobs) }
            }
            guard isChanged else { throw StoreError.inUse(path: bundle.directory) }
        }
    }

    /// Copies the database and the blobs.
    ///
    /// - Returns: The encryption of the copy.
    private func copyContents(
        of connection: Connection,
        _ cipher: BlobCipher?,
        to copy: BundlePath,
        _ key: EncryptionSecret?
    ) throws -> EncryptedFileSystem? {
        let encryption = try key.map { try EncryptedFileSystem.begin(at: copy.sqliteFile, with: $0) }
        // Building an index evaluates its expressions, which look up properties by the numbers of their shared keys.
        try writer().context.reloadSharedKeys()
        try connection.vacuum(into: copy.sqliteFile, encryption: encryption) {
            _ = try ConnectionContext(preparing: $0, options)
        }
        let target = BlobStore(directory: copy.attachments, cipher: encryption.map { BlobCipher(key: $0.keys.blobs) })
        try BlobStore(directory: blobs.directory, cipher: cipher).copyAll(to: target)
        return encryption
    }
}
