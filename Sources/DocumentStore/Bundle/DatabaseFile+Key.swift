import SQLiteEngine

extension DatabaseFile {
    /// Whether the database is encrypted.
    package var isEncrypted: Bool { encryption != nil }

    /// - Throws: `encrypted`, `wrongKey` or `notEncrypted` unless the file could be opened with `key`, or for nil without one.
    func checkKey(_ key: EncryptionSecret?) throws {
        switch (encryption, key) {
        case (nil, nil): return
        case (nil, _?): throw StoreError.notEncrypted(path: bundle.directory)
        case (_?, nil): throw StoreError.encrypted(path: bundle.directory)
        case (let encryption?, let key?):
            guard encryption.isOpened(by: key) else { throw StoreError.wrongKey(path: bundle.directory) }
        }
    }

    /// Encrypts everything with another key, or with none: makes a new bundle beside the old one, which it then replaces.
    ///
    /// Whatever happens meanwhile, there is the whole old bundle or the whole new one. The caller has made sure that nobody else in
    /// this process uses the file; other threads of its own wait.
    ///
    /// - Throws: `inUse` when another process has the file open, or a blob is being written; `inTransaction`; what keeps the new
    ///   bundle from being made. Then nothing has changed.
    func changeKey(to key: EncryptionSecret?) throws {
        if key == nil, encryption == nil { return }
        try whileAlone { connection in
            let isChanged = try blobs.encryption.change { current in
                let replacement = try BundleReplacement(of: bundle)
                let made = try copyContents(of: connection, current, to: replacement.unfinished, key)
                try replacement.install()
                try useReplacement(made)
                return made.map { BlobCipher(key: $0.keys.blobs) }
            }
            guard isChanged else { throw StoreError.inUse(path: bundle.directory) }
        }
    }

    /// Copies the database and the blobs.
    ///
    /// - Returns: What the copy is encrypted with.
    private func copyContents(
        of connection: Connection,
        _ cipher: BlobCipher?,
        to copy: BundlePath,
        _ key: EncryptionSecret?
    ) throws -> EncryptedFileSystem? {
        let encryption = try key.map { try EncryptedFileSystem.begin(at: copy.sqliteFile, with: $0) }
        // Building an index computes its expressions, which know properties by the numbers of their keys.
        try writer().context.reloadSharedKeys()
        try connection.vacuum(into: copy.sqliteFile, encryption: encryption) {
            _ = try ConnectionContext(preparing: $0, options)
        }
        let target = BlobStore(directory: copy.attachments, cipher: encryption.map { BlobCipher(key: $0.keys.blobs) })
        try BlobStore(directory: blobs.directory, cipher: cipher).copyAll(to: target)
        return encryption
    }
}
