import Base
import DocumentStore
import Fleece
import SQLiteEngine
package import SyncCore

extension SyncError {
    /// Converts an error of the layers below into its protocol form (Replication 3.14). The codes of the domain LiteCore are those of
    /// `CBLError`.
    package init(_ error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as StoreError: self.init(error)
        case let error as SQLiteError: self.init(error)
        case let error as BlobError: self.init(error)
        case let error as FleeceError: self.init(engine: .corruptData, error.description)
        case let error as JSONError: self.init(http: .badRequest, error.description)
        case AdmissionRefusal.noAccess: self = .missingAccess
        case AdmissionRefusal.invalidDigest: self.init(http: .badRequest, "The digest of an attachment is not valid")
        case let error as DeltaError: self.init(engine: .corruptDelta, String(describing: error))
        default: self.init(engine: .unexpectedError, String(describing: error))
        }
    }

    private init(_ error: StoreError) {
        if case .system(_, let code) = error {
            self.init(.posix, Int(code), error.description)
        } else {
            self.init(.liteCore, error.code, error.description)
        }
    }

    private init(_ error: SQLiteError) {
        if error.isFull {
            // The only database error for which the protocol requires the code of the operating system (Replication 4.1).
            self.init(.posix, Int(ENOSPC), error.description)
        } else if error.isBusy {
            self.init(engine: .busy, error.description)
        } else if error.isNotADatabase {
            self.init(engine: .unreadableDatabase, error.description)
        } else if error.isReadOnly {
            self.init(engine: .notWriteable, error.description)
        } else if error.isCorrupt {
            self.init(engine: .corruptData, error.description)
        } else {
            self.init(.sqlite, Int(error.code), error.description)
        }
    }

    private init(_ error: BlobError) {
        switch error.reason {
        case .notFound: self.init(engine: .notFound, error.description)
        case .system(let code): self.init(.posix, Int(code), error.description)
        case .cutShort, .notSealed, .damaged, .notAFile, .notADirectory: self.init(engine: .corruptData, error.description)
        case .tooLarge: self.init(engine: .memoryError, error.description)
        case .notSealable: self.init(engine: .crypto, error.description)
        }
    }
}
