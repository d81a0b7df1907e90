import Foundation

/// What can go wrong with a database file, apart from what SQLite itself reports.
///
/// Descriptions name the object and say what to do, but never contain what is in documents.
package enum StoreError: Error, Equatable, Sendable {
    // MARK: Opening

    /// There is no database at the path.
    case missing(path: String)
    /// A database is there already.
    case alreadyExists(path: String)
    /// The path is a file, where the directory of a bundle was expected.
    case notADirectory(path: String)
    /// The file inside the bundle is not an SQLite database.
    case notADatabase(path: String)
    /// The file is encrypted, and no key was given.
    case encrypted(path: String)
    /// The file is encrypted with another key than the one given.
    case wrongKey(path: String)
    /// A key was given, but the file is not encrypted.
    case notEncrypted(path: String)
    /// The file is encrypted in the way of the original's Enterprise Edition.
    case encryptedByOriginal(path: String)
    /// The file is encrypted, but its header makes no sense to this release.
    case unreadableEncryption(path: String, reason: String)
    /// A database of Couchbase Lite 1.x that was opened for reading only, or one older than what can be upgraded.
    case tooOld(path: String, version: Int)
    /// A database written by a newer release.
    case tooNew(path: String, version: Int)
    /// The upgrade that a writable open needs cannot be done.
    case cannotUpgrade(path: String, version: Int?, reason: String)
    /// An SQLite database, but not one of documents, or one whose documents use version vectors.
    case wrongFormat(path: String, reason: String)
    /// Another process holds a lock that does not end within the busy timeout.
    case locked(path: String)
    /// The operating system refused to make or copy a file, for the reason with that number.
    case system(path: String, code: Int32)
    /// The medium or the permissions allow no writing.
    case readOnlyMedium(path: String)
    /// The file was opened for reading only.
    case notWritable(path: String)
    /// The file is still open elsewhere in this process.
    case inUse(path: String)

    // MARK: Use

    /// The database has been closed, or the collection deleted.
    case notOpen(what: String)
    /// The file was deleted, moved or replaced while it was open.
    case moved(path: String)
    /// What was asked for cannot be done inside a transaction of the calling thread.
    case inTransaction(path: String)
    /// The calling thread is inside a batch of another user of the file, whose end the change would have to wait for.
    case batchOfAnother(path: String)
    /// A transaction was rolled back because of an earlier error, and cannot go on.
    case transactionAborted
    case notFound(what: String)
    /// The stored revision is not the one the change was based on.
    case conflict(documentID: String)
    case invalidDocumentID(String)
    case invalidCollectionName(String)
    case cannotDeleteDefaultCollection
    /// A property that documents cannot have at their top level.
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
        case .alreadyExists(let path): "there is a database at \(path) already"
        case .notADirectory(let path): "\(path) is a file; a database is a directory with the extension .cblite2"
        case .notADatabase(let path): "\(path) is not a database file"
        case .encrypted(let path): "the database at \(path) is encrypted: a key is needed to open it"
        case .wrongKey(let path):
            "the database at \(path) cannot be opened with this key: the key is wrong, or the file's header is damaged"
        case .notEncrypted(let path): "the database at \(path) is not encrypted, and cannot be opened with a key"
        case .encryptedByOriginal(let path):
            "the database at \(path) was encrypted by Couchbase Lite's own codec, which cannot be read here; "
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
        case .wrongFormat(let path, let reason): "\(path) is not a database of documents: \(reason)"
        case .locked(let path): "the database at \(path) is locked by another process"
        case .readOnlyMedium(let path):
            "the database at \(path) cannot be written: its medium or directory is read-only"
        case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .notWritable(let path): "the database at \(path) was opened for reading only"
        case .inUse(let path): "the database at \(path) is still open elsewhere"
        case .notOpen(let what): "\(what) is closed or has been deleted"
        case .moved(let path): "\(path) was deleted or moved while it was open, so nothing can be stored in it"
        case .inTransaction(let path): "the database at \(path) is inside a batch; wait until that has ended"
        case .batchOfAnother(let path):
            "nothing can be written to \(path): another Database object has a batch open on this thread"
        case .transactionAborted: "the transaction was rolled back because of an earlier error"
        case .notFound(let what): "\(what) does not exist"
        case .conflict(let id): "document \"\(id)\" was changed by somebody else"
        case .invalidDocumentID(let id):
            "\"\(id)\" is not a valid document ID: 1 to 240 bytes, no control characters, not starting with an underscore"
        case .invalidCollectionName(let name):
            "\"\(name)\" is not a valid scope or collection name: 1 to 251 of the characters A-Z a-z 0-9 _ - %, "
                + "not starting with _ or %"
        case .cannotDeleteDefaultCollection: "the default collection cannot be deleted"
        case .reservedKey(let key, let id): "document \"\(id)\" has the reserved top-level property \"\(key)\""
        case .corruptDocument(let id, let reason): "document \"\(id)\" is damaged: \(reason)"
        case .corrupt(let path, let reason): "the database at \(path) is damaged: \(reason)"
        }
    }
}
