package import DocumentStore
package import Fleece
package import Foundation
import QueryLanguage
package import SQLiteEngine

/// An internal error that can be converted to the error that an app receives (API 14).
package protocol PublicErrorConvertible: Error {
    /// The error for the app, with the domain and the code of API 14.
    var publicError: NSError { get }
}

extension LibraryError {
    /// Creates an error with the domain `CouchbaseLite`, or with that of another library or of the operating system.
    ///
    /// - Parameters:
    ///   - code: One of the codes of the domain.
    ///   - message: What was being done, to which object, and what to do about it.
    ///   - underlying: The cause, which is kept under `NSUnderlyingErrorKey`.
    package convenience init(
        _ code: Int,
        _ message: String,
        domain: String = LibraryError.domain,
        reason: String? = nil,
        underlying: (any Error)? = nil
    ) {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSLocalizedFailureReasonErrorKey] = reason
        info[NSUnderlyingErrorKey] = underlying
        self.init(domain: domain, code: code, userInfo: info)
    }

    /// Returns the error that an app receives for `error`. Errors of the app that are `NSError` objects are returned unchanged.
    package static func shown(_ error: any Error) -> NSError {
        if let error = error as? any PublicErrorConvertible { return error.publicError }
        // A cast to `NSError` would also wrap errors of any other type.
        if type(of: error) is NSError.Type { return error as NSError }
        let message = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
        return LibraryError(Code.unexpectedError, message, underlying: error)
    }

    /// Returns what an app receives for an error that a function throws: a `CancellationError` unchanged, because tasks expect that type, and
    /// any other error as ``shown(_:)`` returns it.
    package static func thrown(_ error: any Error) -> any Error { error is CancellationError ? error : shown(error) }

    /// Returns the error that an app receives for one that was thrown inside a batch.
    package static func ofBatch(_ thrown: any Error) -> NSError {
        let shown = Self.shown(thrown)
        // An error may have passed through several nested batches: the original error is kept, not the wrapped ones.
        let isWrapped = shown.domain == domain && shown.code == Code.unexpectedError
        let original = isWrapped ? shown.userInfo[NSUnderlyingErrorKey] as? any Error : nil
        return LibraryError(Code.unexpectedError, shown.localizedDescription, underlying: original ?? thrown)
    }

    /// The codes that errors of several layers have (API 14).
    package enum Code {
        /// A document, collection, database or blob does not exist.
        package static let notFound = 7
        /// An argument is not allowed.
        package static let invalidParameter = 9
        /// An error that has no code of its own. The cause is the underlying error.
        package static let unexpectedError = 10
        /// A file cannot be opened or created.
        package static let cantOpenFile = 11
        /// Reading or writing a file has failed.
        package static let ioError = 12
        /// Memory is exhausted.
        package static let memoryError = 13
        /// The database was opened read-only, or cannot be written.
        package static let notWriteable = 14
        /// Data is damaged.
        package static let corruptData = 15
        /// The database is locked by another process.
        package static let busy = 16
        /// The file is not a database, or the key is wrong.
        package static let unreadableDatabase = 20
        /// Encrypting or decrypting has failed.
        package static let crypto = 22
        /// The database was written by a newer version.
        package static let databaseTooNew = 28
        /// A query is malformed or impossible.
        package static let invalidQuery = 23
        /// A URL is malformed or not allowed.
        package static let invalidURL = 5004
        static let invalidJSON = 17001
        /// A value cannot be converted to the type that a model has for it.
        package static let decodingError = 18001
        /// A value of the app cannot be stored.
        package static let encodingError = 18002
    }
}

extension FleeceError: PublicErrorConvertible {
    /// An error of encoding a value has the domain `CouchbaseLite.Fleece`; data that cannot be decoded is reported as corrupt.
    package var publicError: NSError {
        switch reason {
        case .tooDeep, .notANumber, .tooLarge, .unbalanced, .duplicateKey:
            LibraryError(Self.encodeErrorCode, description, domain: "CouchbaseLite.Fleece")
        case .badRoot, .badPointer, .truncated, .badKey, .unsortedKeys, .badUTF8, .tooManyValues, .unknownSharedKey:
            LibraryError(LibraryError.Code.corruptData, description)
        }
    }

    /// The only code of the domain that concerns encoding.
    private static var encodeErrorCode: Int { 4 }
}

extension JSONError: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(LibraryError.Code.invalidJSON, description) }
}

extension QueryError: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(kind.rawValue, description) }
}

extension HistoryError: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(LibraryError.Code.invalidParameter, description) }
}

extension UnstorableDate: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(LibraryError.Code.encodingError, description) }
}

extension Misuse: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(code, reason) }
}

extension WorkQueue {
    /// Runs `work` like ``run(_:)``, and converts its errors to those that an app receives.
    package nonisolated(nonsending) func runThrowingPublicErrors<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await run { do { return try work() } catch { throw LibraryError.thrown(error) } }
    }
}

// MARK: - Files

extension BlobError: PublicErrorConvertible {
    package var publicError: NSError {
        switch reason {
        case .notFound: LibraryError(LibraryError.Code.notFound, description)
        case .system(let code): LibraryError(Int(code), description, domain: NSPOSIXErrorDomain)
        case .cutShort, .notSealed, .damaged, .notAFile, .notADirectory:
            LibraryError(LibraryError.Code.corruptData, description)
        case .tooLarge: LibraryError(LibraryError.Code.memoryError, description)
        case .notSealable: LibraryError(LibraryError.Code.crypto, description)
        }
    }
}

extension BlobContentError: PublicErrorConvertible {
    package var publicError: NSError {
        let code =
            switch self {
            case .notSaved, .missing, .removed, .noContent: LibraryError.Code.notFound
            case .wrongSize: LibraryError.Code.corruptData
            case .invalidDigest: LibraryError.Code.invalidParameter
            case .streamFailed: LibraryError.Code.ioError
            case .notAFileURL: LibraryError.Code.invalidURL
            case .noFile, .unreadableFile: LibraryError.Code.cantOpenFile
            }
        return LibraryError(code, description)
    }
}

extension ForeignBlob: PublicErrorConvertible {
    package var publicError: NSError { LibraryError(LibraryError.Code.invalidParameter, Self.reason) }
}

extension SQLiteError: PublicErrorConvertible {
    /// The matching code of the domain `CouchbaseLite` if there is one; otherwise SQLite's own code in the domain `CouchbaseLite.SQLite`
    /// (API 14).
    package var publicError: NSError {
        if isBusy { return LibraryError(LibraryError.Code.busy, description) }
        if isNotADatabase { return LibraryError(LibraryError.Code.unreadableDatabase, description) }
        if isReadOnly { return LibraryError(LibraryError.Code.notWriteable, description) }
        if isCorrupt { return LibraryError(LibraryError.Code.corruptData, description) }
        if isCantOpen { return LibraryError(LibraryError.Code.cantOpenFile, description) }
        return LibraryError(Int(code), description, domain: "CouchbaseLite.SQLite")
    }
}

extension StoreError: PublicErrorConvertible {
    package var publicError: NSError {
        switch self {
        case .alreadyExists: LibraryError(Int(EEXIST), description, domain: NSPOSIXErrorDomain)
        case .system(_, let code): LibraryError(Int(code), description, domain: NSPOSIXErrorDomain)
        case .notOpen:
            // The same message as Couchbase Lite (API 2).
            LibraryError(code, "Attempt to perform an operation on a closed database or a deleted collection.", reason: description)
        default: LibraryError(code, description)
        }
    }
}
