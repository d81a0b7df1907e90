import DocumentStore
import Fleece
import Foundation
import QueryEngine
import SQLiteEngine

/// The error with which a command ends: a message for the user, an optional hint what to do, and an exit code.
struct Failure: Error {
    let status: ExitReason
    let message: String
    let hint: String?

    init(_ status: ExitReason, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// Creates a failure from any error; `nil` for errors of the argument parser, which prints them itself.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as StoreError: self.init(error)
        case let error as SQLiteError: self.init(error)
        case let error as BlobError: self.init(error)
        case let error as JSONError: self.init(.badData, error.description)
        case let error as FleeceError: self.init(.badData, "the data cannot be read: \(error)", hint: Self.checkHint)
        case let error as QueryError: self.init(error.kind == .missingIndex ? .notFound : .usage, error.message)
        case let error as OutputError: self.init(.inputOutput, error.description)
        default:
            // The other errors are those of Foundation, and those of the argument parser, which are not `NSError` objects.
            guard type(of: error) is NSError.Type || error is CocoaError || error is POSIXError else { return nil }
            self.init(foundation: error as NSError)
        }
    }

    /// Prints the message as `cblite: MESSAGE`, and the hint on an indented line.
    func printToStandardError() {
        let style = Style(for: .standardError)
        var text = style.red("cblite: ") + message + "\n"
        if let hint { text += style.faint("  \(hint)") + "\n" }
        StandardStreams.printError(text)
    }

    private static let checkHint = "Look for other damage with: cblite check DATABASE"
    private static let busyHint = "Close the other program, or wait longer with --busy-timeout SECONDS."
    private static let legacyHint =
        "Any command that writes upgrades databases of release 1.1 and later, for example: cblite compact DATABASE"
    private static let upgradeHint = "Open it with a newer version of this tool."
}

extension Failure {
    private init(_ error: StoreError) {
        let message = error.description
        switch error {
        case .missing: self.init(.notFound, message, hint: "Check the path, or create a database with: cblite import --create")
        case .notFound, .notOpen: self.init(.notFound, message)
        case .alreadyExists: self.init(.cannotCreate, message, hint: "Choose another name, or move the existing database.")
        case .notADirectory: self.init(.badData, message, hint: "Give the directory, not a file in it.")
        case .notADatabase, .wrongFormat: self.init(.badData, message)
        case .encrypted:
            self.init(.badData, message, hint: "Give --password, --password-file FILE or --key-file FILE.")
        case .wrongKey, .encryptedByOriginal, .unreadableEncryption: self.init(.badData, message)
        case .notEncrypted: self.init(.badData, message, hint: "Omit the key or password.")
        case .tooOld:
            self.init(.unsupportedVersion, message, hint: Self.legacyHint)
        case .tooNew: self.init(.unsupportedVersion, message, hint: Self.upgradeHint)
        case .cannotUpgrade: self.init(.unsupportedVersion, message)
        case .locked, .inUse: self.init(.busy, message, hint: Self.busyHint)
        case .readOnlyMedium, .notWritable:
            self.init(.noPermission, message, hint: "Check the permissions of the directory and the files in it.")
        case .system, .moved: self.init(.inputOutput, message)
        case .inTransaction, .transactionAborted, .batchOfAnother: self.init(.internalError, message)
        case .conflict: self.init(.conflict, message, hint: "Run the command again.")
        case .invalidDocumentID, .invalidCollectionName, .cannotDeleteDefaultCollection: self.init(.usage, message)
        case .reservedKey: self.init(.badData, message, hint: "Rename the property.")
        case .corruptDocument, .corrupt: self.init(.badData, message, hint: Self.checkHint)
        }
    }

    private init(_ error: SQLiteError) {
        let message = error.description
        if error.isBusy {
            self.init(.busy, message, hint: Self.busyHint)
        } else if error.isCorrupt || error.isNotADatabase {
            self.init(.badData, message, hint: Self.checkHint)
        } else if error.isReadOnly {
            self.init(.noPermission, message)
        } else if error.isInterrupted {
            self.init(.badData, "reading the database takes longer than its size explains", hint: Self.checkHint)
        } else if error.isFull {
            self.init(.inputOutput, message, hint: "Free disk space.")
        } else {
            self.init(error.isCantOpen || error.code == 10 ? .inputOutput : .internalError, message)
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

    /// Creates a failure from an error of Foundation or of the library's public API.
    private init(foundation error: NSError) {
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error, let failure = Failure(underlying) {
            self = failure
            return
        }
        let message = error.localizedDescription
        switch (error.domain, error.code) {
        case (NSCocoaErrorDomain, CocoaError.fileReadNoSuchFile.rawValue),
            (NSCocoaErrorDomain, CocoaError.fileNoSuchFile.rawValue), (NSPOSIXErrorDomain, Int(ENOENT)):
            self.init(.notFound, message)
        case (NSCocoaErrorDomain, CocoaError.fileReadNoPermission.rawValue),
            (NSCocoaErrorDomain, CocoaError.fileWriteNoPermission.rawValue),
            (NSCocoaErrorDomain, CocoaError.fileWriteVolumeReadOnly.rawValue), (NSPOSIXErrorDomain, Int(EACCES)):
            self.init(.noPermission, message)
        case (NSCocoaErrorDomain, CocoaError.fileWriteFileExists.rawValue), (NSPOSIXErrorDomain, Int(EEXIST)):
            self.init(.cannotCreate, message)
        default:
            self.init(.inputOutput, message)
        }
    }

    /// Returns the failure for a system call that has just failed, from the current `errno`.
    static func system(_ action: String, _ path: String) -> Failure {
        let code = errno
        let message = "cannot \(action) \(path): \(String(cString: strerror(code)))"
        switch code {
        case ENOENT, ENOTDIR: return Failure(.notFound, message)
        case EACCES, EPERM, EROFS: return Failure(.noPermission, message)
        case EEXIST, ENOTEMPTY: return Failure(.cannotCreate, message)
        default: return Failure(.inputOutput, message)
        }
    }
}
