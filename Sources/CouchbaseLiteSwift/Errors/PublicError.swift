import DatabaseRuntime
import DocumentStore
import Fleece
import ModelCoding
import QueryEngine
import SQLiteEngine

#if Replication
import SyncCore
#endif

extension NSError {
    /// Creates an error with the domain `CouchbaseLite`.
    ///
    /// - Parameter code: One of the codes in ``CBLError``.
    /// - Parameter message: What was being done, to which object, and what to do about it.
    /// - Parameter underlying: The cause, which is kept under `NSUnderlyingErrorKey`.
    static func couchbaseLite(_ code: Int, _ message: String, underlying: (any Error)? = nil) -> NSError {
        make(CBLError.domain, code, message, underlying: underlying)
    }

    static func make(_ domain: String, _ code: Int, _ message: String, reason: String? = nil, underlying: (any Error)? = nil) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSLocalizedFailureReasonErrorKey] = reason
        info[NSUnderlyingErrorKey] = underlying
        return LibraryError(domain: domain, code: code, userInfo: info)
    }
}

/// An internal error that can be converted to the error that an app receives (API 14).
protocol PublicErrorConvertible: Error {
    var publicError: NSError { get }
}

/// Returns the error that an app receives for `error`. It is always an `NSError` object, because code written for the old API catches no
/// other kind on Linux (API 1.3).
func publicError(_ error: any Error) -> NSError {
    if let error = error as? any PublicErrorConvertible { return error.publicError }
    // Existing `NSError` objects are returned unchanged. A cast to `NSError` would also wrap errors of any other type.
    if type(of: error) is NSError.Type { return error as NSError }
    let message = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
    return .couchbaseLite(CBLError.unexpectedError, message, underlying: error)
}

/// Returns the error that an app receives for `error`. A `CancellationError` is not converted, because tasks expect that type.
func thrownPublicError(_ error: any Error) -> any Error { error is CancellationError ? error : publicError(error) }

/// Runs `body` and converts its errors by ``thrownPublicError(_:)``.
func throwingPublicErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw thrownPublicError(error) }
}

extension FleeceError: PublicErrorConvertible {
    /// An error of encoding a value has the domain `CouchbaseLite.Fleece`; data that cannot be decoded is reported as corrupt.
    var publicError: NSError {
        switch reason {
        case .tooDeep, .notANumber, .tooLarge, .unbalanced, .duplicateKey:
            .make("CouchbaseLite.Fleece", Self.encodeErrorCode, description)
        case .badRoot, .badPointer, .truncated, .badKey, .unsortedKeys, .badUTF8, .tooManyValues, .unknownSharedKey:
            .couchbaseLite(CBLError.corruptData, description)
        }
    }

    /// The only code of the domain that concerns encoding.
    private static let encodeErrorCode = 4
}

extension BlobError: PublicErrorConvertible {
    var publicError: NSError {
        switch reason {
        case .notFound: .couchbaseLite(CBLError.notFound, description)
        case .system(let code): .make(NSPOSIXErrorDomain, Int(code), description)
        case .cutShort, .notSealed, .damaged, .notAFile, .notADirectory:
            .couchbaseLite(CBLError.corruptData, description)
        case .tooLarge: .couchbaseLite(CBLError.memoryError, description)
        case .notSealable: .couchbaseLite(CBLError.crypto, description)
        }
    }
}

extension BlobContentError: PublicErrorConvertible {
    var publicError: NSError {
        let code =
            switch self {
            case .notSaved, .missing, .removed, .noContent: CBLError.notFound
            case .wrongSize: CBLError.corruptData
            case .invalidDigest: CBLError.invalidParameter
            case .streamFailed: CBLError.ioError
            case .notAFileURL: CBLError.invalidURL
            case .noFile, .unreadableFile: CBLError.cantOpenFile
            }
        return .couchbaseLite(code, description)
    }
}

extension ForeignBlob: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(CBLError.invalidParameter, Self.reason) }
}

extension JSONError: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(CBLError.invalidJSON, description) }
}

extension QueryError: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(kind.rawValue, description) }
}

extension SQLiteError: PublicErrorConvertible {
    /// The matching code of ``CBLError`` if there is one; otherwise SQLite's own code in the domain `CouchbaseLite.SQLite` (API 14).
    var publicError: NSError {
        if isBusy { return .couchbaseLite(CBLError.busy, description) }
        if isNotADatabase { return .couchbaseLite(CBLError.unreadableDatabase, description) }
        if isReadOnly { return .couchbaseLite(CBLError.notWriteable, description) }
        if isCorrupt { return .couchbaseLite(CBLError.corruptData, description) }
        if isCantOpen { return .couchbaseLite(CBLError.cantOpenFile, description) }
        return .make("CouchbaseLite.SQLite", Int(code), description)
    }
}

extension StoreError: PublicErrorConvertible {
    var publicError: NSError {
        switch self {
        case .alreadyExists: .make(NSPOSIXErrorDomain, Int(EEXIST), description)
        case .system(_, let code): .make(NSPOSIXErrorDomain, Int(code), description)
        case .notOpen:
            // The same message as Couchbase Lite (API 2).
            .make(
                CBLError.domain,
                code,
                "Attempt to perform an operation on a closed database or a deleted collection.",
                reason: description
            )
        default: .couchbaseLite(code, description)
        }
    }
}

extension EncodingError: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(CBLError.encodingError, modelMessage, underlying: self) }
}

extension DecodingError: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(CBLError.decodingError, modelMessage, underlying: self) }
}

extension ModelRowError: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(CBLError.decodingError, description, underlying: error) }
}

extension ModelIDError: PublicErrorConvertible {
    var publicError: NSError {
        switch self {
        case .missing, .hasNoWrapper, .hasNoRevision: .couchbaseLite(CBLError.invalidParameter, description)
        case .isNotDecoded: .couchbaseLite(CBLError.decodingError, description)
        }
    }
}

extension ResultRowError: PublicErrorConvertible {
    var publicError: NSError {
        switch self {
        case .noDictionary(let column):
            .couchbaseLite(CBLError.decodingError, "The column \"\(column)\" does not contain a dictionary")
        case .missingValue(let error):
            .couchbaseLite(CBLError.invalidQuery, error.modelMessage, underlying: error)
        }
    }
}

#if Replication
extension SyncError: PublicErrorConvertible {
    /// The error with the codes of API 14 and Replication 4.11.
    var publicError: NSError {
        switch domain {
        case .liteCore: .couchbaseLite(code, text)
        case .blip: .couchbaseLite(CBLError.remoteError, text)
        // The close code 1001 becomes 11001, the HTTP status 404 becomes 10404.
        case .http, .webSocket: .couchbaseLite(code(from: CBLError.httpBase), text)
        case .network: .couchbaseLite(code(from: CBLError.networkBase), text)
        case .tls: .couchbaseLite(CBLError.tlsHandshakeFailed, text)
        case .posix: .make(NSPOSIXErrorDomain, code, text)
        case .sqlite: .make("CouchbaseLite.SQLite", code, text)
        case .fleece: .make("CouchbaseLite.Fleece", code, text)
        }
    }

    /// The code counted from `base`. Peers choose the numbers they send: one that fits no public code is an error of the remote side.
    private func code(from base: Int) -> Int { (1..<5000).contains(code) ? base + code : CBLError.remoteError }

    private var text: String {
        domain == .posix && message.isEmpty ? String(cString: strerror(Int32(truncatingIfNeeded: code))) : explanation
    }
}
#endif
