import Foundation

/// The errors of a database file, except those that SQLite itself reports.
///
/// Descriptions name the object and the remedy, but never contain the content of documents.
package enum StoreError: Error, Equatable, Sendable {
    // MARK: Opening

    /// There is no database at the path.
    case missing(path: String)
    /// A database already exists at the path.
    case alreadyExists(path: String)
    /// The path is a file, but the directory of a bundle is required.
    case notADirectory(path: String)
    /// The file inside the bundle is not an SQLite database.
    case notADatabase(path: String)
    /// The file is encrypted, and no key was given.
    case encrypted(path: String)
    /// The file is encrypted with another key than the one given.
    case wrongKey(path: String)
    /// A key was given, but the file is not encrypted.
    case notEncrypted(path: String)
    /// The file is encrypted with the codec of Couchbase Lite Enterprise Edition.
    case encryptedByOriginal(path: String)
    /// The file is encrypted, but this release cannot interpret its header.
    case unreadableEncryption(path: String, reason: String)
    /// A database of Couchbase Lite 1.x that was opened read-only, or a database older than any version that can be upgraded.
    case tooOld(path: String, version: Int)
    /// A database written by a newer release.
    case tooNew(path: String, version: Int)
    /// The upgrade required for opening the database for writing is not possible.
    case cannotUpgrade(path: String, version: Int?, reason: String)
    /// The content cannot be stored in a file of an older release.
    case cannotDowngrade(path: String, release: String, reason: String)
    /// The documents have version vectors, with which something cannot be done.
    case versionVectors(path: String, reason: String)
    /// The documents have revision trees, but version vectors were required.
    case revisionTrees(path: String)
    /// The file is an SQLite database, but not a document database.
    case wrongFormat(path: String, reason: String)
    /// The documents cannot get version vectors, because remote databases with which they are replicated serve revision trees only.
    case remotesWithTrees(path: String, remotes: [String])
    /// Another process held a lock for longer than the busy timeout.
    case locked(path: String)
    /// The operating system failed to create or copy a file; `code` is the `errno`.
    case system(path: String, code: Int32)
    /// The medium is read-only, or the permissions do not allow writing.
    case readOnlyMedium(path: String)
    /// The file was opened read-only.
    case notWritable(path: String)
    /// The file is still open elsewhere in this process.
    case inUse(path: String)

    // MARK: Use

    /// The database has been closed, or the collection deleted.
    case notOpen(what: String)
    /// The file was deleted, moved or replaced while it was open.
    case moved(path: String)
    /// The operation is not allowed inside a transaction of the calling thread.
    case inTransaction(path: String)
    /// The calling thread is inside a batch of another user of the file, so waiting for the end of that batch would be a deadlock.
    case batchOfAnother(path: String)
    /// The calling thread is inside of a block that only reads.
    case insideRead(path: String)
    /// The calling thread is inside of a predictive model, which may only read.
    case insideModel(path: String)
    /// The transaction was rolled back because of an earlier error, and cannot be continued.
    case transactionAborted
    /// The collection or another object does not exist.
    case notFound(what: String)
    /// The stored revision is not the one the change was based on.
    case conflict(documentID: String)
    /// A document ID that is empty, too long, or otherwise not allowed (Storage format 3.10).
    case invalidDocumentID(String)
    /// A name of a collection or scope that is too long, or contains characters that are not allowed.
    case invalidCollectionName(String)
    /// A name of a database that is empty or cannot be the name of a directory.
    case invalidDatabaseName(String)
    /// The default collection cannot be deleted.
    case cannotDeleteDefaultCollection
    /// The document has a top-level property whose name is reserved.
    case reservedKey(String, documentID: String)

    // MARK: Damage

    /// A stored document cannot be read.
    case corruptDocument(documentID: String, reason: String)
    /// Something else in the file cannot be read.
    case corrupt(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path): "there is no database at \(path)"
        case .alreadyExists(let path): "a database already exists at \(path)"
        case .notADirectory(let path): "\(path) is a file; a database is a directory with the extension .cblite2"
        case .notADatabase(let path): "\(path) is not a database file"
        case .encrypted(let path): "the database at \(path) is encrypted: a key is needed to open it"
        case .wrongKey(let path):
            "the database at \(path) cannot be opened with this key: the key is wrong, or the file's header is damaged"
        case .notEncrypted(let path): "the database at \(path) is not encrypted, and cannot be opened with a key"
        case .encryptedByOriginal(let path):
            "the database at \(path) was encrypted by Couchbase Lite's own codec, which is not supported; "
                + "decrypt it with the product that wrote it"
        case .unreadableEncryption(let path, let reason): "the database at \(path) cannot be opened: \(reason)"
        case .tooOld(let path, let version) where FileVersion.legacy.contains(FileVersion(version)):
            "the database at \(path) has version \(version), of Couchbase Lite 1.x; it must be opened for writing, which upgrades it"
        case .tooOld(let path, let version):
            "the database at \(path) has version \(version), which is too old to be opened"
        case .tooNew(let path, let version):
            "the database at \(path) has version \(version), which was written by a newer release"
        case .cannotUpgrade(let path, let version, let reason):
            "the database at \(path)\(version.map { " has version \($0) and" } ?? "") cannot be upgraded: \(reason)"
        case .cannotDowngrade(let path, let release, let reason):
            "the database at \(path) cannot be converted for release \(release): \(reason)"
        case .wrongFormat(let path, let reason): "\(path) is not a database of documents: \(reason)"
        case .versionVectors(let path, let reason): "the documents of the database at \(path) have version vectors: \(reason)"
        case .revisionTrees(let path):
            "the documents of the database at \(path) have revision trees: open it without requiring version vectors, and upgrade it"
        case .remotesWithTrees(let path, let remotes):
            "the database at \(path) cannot get version vectors, because \(remotes.joined(separator: ", ")) served only revision trees at the "
                + "last connection: upgrade the remote side first and let the replicator connect once, or pass ignoringRemotes: true"
        case .locked(let path): "the database at \(path) is locked by another process"
        case .readOnlyMedium(let path):
            "the database at \(path) cannot be written: its medium or directory is read-only"
        case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .notWritable(let path): "the database at \(path) was opened read-only"
        case .inUse(let path): "the database at \(path) is still open elsewhere"
        case .notOpen(let what): "\(what) is closed or has been deleted"
        case .moved(let path): "\(path) was deleted or moved while it was open, so nothing can be stored in it"
        case .inTransaction(let path): "the database at \(path) is inside a batch; wait until the batch has ended"
        case .batchOfAnother(let path):
            "nothing can be written to \(path): another Database object has a batch open on this thread"
        case .insideRead(let path): "nothing can be written to \(path) inside of a block that reads; use a block that writes"
        case .insideModel(let path): "nothing can be written to \(path) while a predictive model is being called: a model may only read"
        case .transactionAborted: "the transaction was rolled back because of an earlier error"
        case .notFound(let what): "\(what) does not exist"
        case .conflict(let id): "document \"\(id)\" was changed concurrently"
        case .invalidDocumentID(let id):
            "\"\(id)\" is not a valid document ID: 1 to 240 bytes, no control characters, not starting with an underscore"
        case .invalidCollectionName(let name):
            "\"\(name)\" is not a valid scope or collection name: 1 to 251 of the characters A-Z a-z 0-9 _ - %, "
                + "not starting with _ or %"
        case .invalidDatabaseName(let name):
            "\"\(name)\" is not a valid database name: it must have 1 to 240 bytes, no \"/\", no NUL, and not be \".\" or \"..\""
        case .cannotDeleteDefaultCollection: "the default collection cannot be deleted"
        case .reservedKey(let key, let id): "document \"\(id)\" has the reserved top-level property \"\(key)\""
        case .corruptDocument(let id, let reason): "document \"\(id)\" is damaged: \(reason)"
        case .corrupt(let path, let reason): "the database at \(path) is damaged: \(reason)"
        }
    }
}

extension StoreError {
    /// The error code in the domain `CouchbaseLite` and, between replicating peers, in the domain `LiteCore` (API 14, Replication 3.14).
    package var code: Int {
        switch self {
        case .missing, .notFound, .alreadyExists: 7
        case .system: 12
        case .inTransaction: 18
        case .notADirectory, .wrongFormat: 21
        case .notADatabase, .encrypted, .wrongKey, .notEncrypted, .encryptedByOriginal, .unreadableEncryption: 20
        case .tooOld: 27
        case .tooNew: 28
        case .cannotUpgrade, .cannotDowngrade: 30
        case .locked, .inUse, .batchOfAnother: 16
        case .readOnlyMedium, .notWritable, .moved, .insideRead: 14
        case .versionVectors, .revisionTrees, .remotesWithTrees: 19
        case .notOpen: 6
        case .transactionAborted: 17
        case .conflict: 8
        case .invalidDocumentID: 29
        case .invalidCollectionName, .invalidDatabaseName, .cannotDeleteDefaultCollection, .reservedKey, .insideModel: 9
        case .corruptDocument: 5
        case .corrupt: 15
        }
    }
}

extension StoreError {
    /// Converts an error of a file operation on the database at `path`.
    init(_ error: any Error, path: String) {
        switch Self.systemCode(of: error) {
        case EROFS, EACCES, EPERM: self = .readOnlyMedium(path: path)
        case let code?: self = .system(path: path, code: code)
        case nil: self = .system(path: path, code: EIO)
        }
    }

    /// Returns the system's error number, which the file manager wraps into its own errors.
    private static func systemCode(of error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(clamping: error.code) }
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return systemCode(of: underlying) }
        return CocoaError.Code(rawValue: error.code) == .fileWriteFileExists ? EEXIST : nil
    }
}
