import Backup
import CouchbaseLiteSwift
import DocumentStore
import Fleece
import Foundation
import SQLiteEngine

/// The errors of the layers below the public API.
extension Advice {
    /// Returns the advice for an error of the library, of a layer below it, or of the system; `nil` if there is none.
    static func hint(_ error: any Error) -> String? {
        switch error {
        case let error as StoreError: hint(store: error)
        case let error as SQLiteError: hint(sqlite: error)
        case let error as BackupError: hint(backup: error)
        case is FleeceError: check
        default: DatabaseError(error).flatMap(hint(database:))
        }
    }

    /// The cases that share a code with others are told apart.
    private static func hint(store error: StoreError) -> String? {
        switch error {
        case .encrypted: giveKey
        case .notEncrypted: "Omit the key or password."
        case .notADatabase, .encryptedByOriginal, .unreadableEncryption, .moved, .insideRead, .insideModel: nil
        case .alreadyExists: "Choose another name, or move the existing database."
        case .notADirectory: "Give the directory, not a file in it."
        case .reservedKey: renameProperty
        case .system(_, let code) where code == ENOSPC: diskIsFull
        default: hint(code: error.code)
        }
    }

    private static func hint(sqlite error: SQLiteError) -> String? {
        if error.isBusy { return hint(code: CBLError.busy) }
        if error.isCorrupt || error.isNotADatabase || error.isInterrupted { return check }
        if error.isFull { return diskIsFull }
        // SQLite does not say which error of the system it was.
        return error.isFailedRead ? "The disk is full, or cannot be read or written." : nil
    }

    private static func hint(backup error: BackupError) -> String? {
        switch error {
        case .alreadyExists: "Replace it with --replace, or add to it with --incremental."
        case .tooNew: hint(code: CBLError.databaseTooNew)
        case .damaged: "See all damage with cblite backup --verify; restore an earlier section with --at NUMBER."
        case .system(_, let code) where code == ENOSPC: diskIsFull
        case .system, .missing, .noSection, .inUse, .notABackup: nil
        }
    }
}
