import Backup
import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import SQLiteEngine

#if Replication
import Hub
import SyncCore
#endif

/// The errors of the layers below the public API, which the functions in this folder throw. Those of the public API have fewer codes.
extension Failure {
    /// Creates a failure from an error of a lower layer; `nil` for other errors.
    init?(engine error: any Error) {
        switch error {
        case let error as StoreError: self.init(error)
        case let error as SQLiteError: self.init(error)
        case let error as BlobError: self.init(error)
        case let error as BackupError: self.init(error)
        case let error as JSONError: self.init(.badData, error.description)
        case let error as FleeceError: self.init(.badData, "the data cannot be read: \(error)")
        case let error as QueryError where error.kind == .missingIndex: self.init(.notFound, error.message)
        case let error as QueryError: self.init(invalidQuery: error.description)
        default: return nil
        }
    }

    /// The names of the values that `meta()` has.
    static var metaKeys: String { MetaField.allCases.map { $0 == .rowID ? "rowid" : $0.rawValue }.joined(separator: ", ") }

    private init(_ error: StoreError) {
        let message = error.description
        switch error {
        case .missing(let path): self = .noDatabase(path)
        case .notFound, .notOpen: self.init(.notFound, message)
        case .alreadyExists: self.init(.cannotCreate, message)
        case .notADirectory, .notADatabase, .wrongFormat: self.init(.badData, message)
        case .encrypted, .wrongKey, .encryptedByOriginal, .unreadableEncryption, .notEncrypted: self.init(.badData, message)
        case .tooOld, .tooNew, .cannotUpgrade, .cannotDowngrade, .versionVectors, .revisionTrees, .remotesWithTrees:
            self.init(.unsupportedVersion, message)
        case .locked, .inUse: self.init(.busy, message)
        case .readOnlyMedium, .notWritable: self.init(.noPermission, message)
        case .system, .moved: self.init(.inputOutput, message)
        case .inTransaction, .transactionAborted, .batchOfAnother, .insideRead, .insideModel: self.init(.internalError, message)
        case .conflict: self.init(.conflict, message)
        case .invalidDocumentID, .invalidCollectionName, .invalidDatabaseName, .cannotDeleteDefaultCollection: self.init(.usage, message)
        case .reservedKey, .corruptDocument, .corrupt: self.init(.badData, message)
        }
    }

    private init(_ error: SQLiteError) {
        let message = error.description
        if error.isBusy {
            self.init(.busy, message)
        } else if error.isCorrupt || error.isNotADatabase {
            self.init(.badData, message)
        } else if error.isReadOnly {
            self.init(.noPermission, message)
        } else if error.isInterrupted {
            self.init(.badData, "reading the database takes longer than its size explains")
        } else if error.isFull || error.isCantOpen || error.isFailedRead {
            self.init(.inputOutput, message)
        } else {
            self.init(.internalError, message)
        }
    }

    private init(_ error: BlobError) {
        switch error.reason {
        case .notFound: self.init(.notFound, error.description)
        case .system(let code) where code == EACCES || code == EROFS || code == EPERM:
            self.init(.noPermission, error.description)
        case .notAFile, .notADirectory: self.init(.badData, error.description)
        case .system, .cutShort, .notSealed, .damaged, .tooLarge, .notSealable: self.init(.inputOutput, error.description)
        }
    }
}

#if Replication
/// Errors of a hub, which is below the public API.
enum HubFailure {
    /// Runs `body`, and converts its errors.
    ///
    /// - Parameters:
    ///   - port: The port that `body` uses; `nil` if it uses none.
    ///   - hint: What to do about an error of the configuration; `nil` if the message says it.
    /// - Throws: ``Failure`` for errors of the hub.
    static func converting<Result>(port: Int? = nil, hint: String? = nil, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ChannelMappingError {
            throw Failure(.badData, "the mapping of channels is not valid: \(error)")
        } catch let error as StoreError {
            guard case .encrypted = error else { throw error }
            throw Failure(
                .badData,
                error.description,
                hint: "A hub serves databases that are not encrypted. Decrypt this one with: cblite rekey --decrypt, or move it elsewhere."
            )
        } catch let error as SyncError {
            if let port, error.domain == .posix, error.code == Int(EADDRINUSE) {
                throw Failure(.unreachable, "port \(port) is in use", hint: "Choose another with --port, or 0 for any free port.")
            }
            switch error.domain {
            case .posix where error.code == Int(ENOENT): throw Failure(.notFound, error.message)
            case .posix where error.code == Int(EACCES): throw Failure(.noPermission, error.message)
            case .posix: throw Failure(.inputOutput, error.message)
            case _ where error.isEngine(.crypto): throw Failure(.badData, error.message)
            default: throw Failure(.usage, error.message, hint: hint)
            }
        }
    }
}
#endif
