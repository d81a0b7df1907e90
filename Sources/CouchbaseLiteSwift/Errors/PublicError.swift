import DocumentStore
import Fleece

extension NSError {
    /// An error of the domain `CouchbaseLite`.
    ///
    /// - Parameter code: One of ``CBLError``'s.
    /// - Parameter message: What was being done, to what, and what to do about it.
    /// - Parameter underlying: What it came from, kept under `NSUnderlyingErrorKey`.
    static func couchbaseLite(code: Int, message: String, underlying: (any Error)? = nil) -> NSError {
        make(CBLError.domain, code, message, underlying: underlying)
    }

    static func make(_ domain: String, _ code: Int, _ message: String, reason: String? = nil, underlying: (any Error)? = nil) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSLocalizedFailureReasonErrorKey] = reason
        info[NSUnderlyingErrorKey] = underlying
        return NSError(domain: domain, code: code, userInfo: info)
    }
}

/// An inner error that knows the error an app gets to see for it (API 14).
protocol PublicErrorConvertible: Error {
    var publicError: NSError { get }
}

/// The error an app gets to see for `error`: always an `NSError` object, the only kind that code written for the old
/// API catches on Linux (API 1.3).
func publicError(_ error: any Error) -> NSError {
    if let error = error as? any PublicErrorConvertible { return error.publicError }
    // Errors that already are objects stay what they are. A cast to `NSError` would wrap any other error as well.
    if type(of: error) is NSError.Type { return error as NSError }
    let message = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
    return .couchbaseLite(code: CBLError.unexpectedError, message: message, underlying: error)
}

/// Runs `body` and turns what it throws into what an app gets to see. A cancellation is what it is to all of Swift.
func throwingPublicErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as CancellationError {
        throw error
    } catch {
        throw publicError(error)
    }
}

extension FleeceError: PublicErrorConvertible {
    /// Values that cannot be encoded have the domain `CouchbaseLite.Fleece`; data that cannot be read is corrupt.
    var publicError: NSError {
        switch reason {
        case .tooDeep, .notANumber, .tooLarge, .unbalanced, .duplicateKey:
            .make("CouchbaseLite.Fleece", Self.encodeErrorCode, description)
        case .badRoot, .badPointer, .truncated, .badKey, .unsortedKeys, .badUTF8, .tooManyValues, .unknownSharedKey:
            .couchbaseLite(code: CBLError.corruptData, message: description)
        }
    }

    /// The one code of the domain that is about encoding.
    private static let encodeErrorCode = 4
}

extension BlobError: PublicErrorConvertible {
    var publicError: NSError {
        switch reason {
        case .notFound: .couchbaseLite(code: CBLError.notFound, message: description)
        case .system(let code): .make(NSPOSIXErrorDomain, Int(code), description)
        case .cutShort, .notSealed, .damaged, .notAFile, .notADirectory:
            .couchbaseLite(code: CBLError.corruptData, message: description)
        case .notSealable: .couchbaseLite(code: CBLError.crypto, message: description)
        }
    }
}

extension JSONError: PublicErrorConvertible {
    var publicError: NSError { .couchbaseLite(code: CBLError.invalidJSON, message: description) }
}
