import DatabaseRuntime

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
        LibraryError(code, message, underlying: underlying)
    }
}

/// Returns the error that an app receives for `error`. It is always an `NSError` object, because code written for the old API catches no
/// other kind on Linux (API 1.3).
func publicError(_ error: any Error) -> NSError { LibraryError.shown(error) }

/// Returns the error that an app receives for `error`. A `CancellationError` is not converted, because tasks expect that type.
func thrownPublicError(_ error: any Error) -> any Error { LibraryError.thrown(error) }

/// Runs `body` and converts its errors by ``thrownPublicError(_:)``.
func throwingPublicErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw thrownPublicError(error) }
}

#if Replication
extension SyncError: PublicErrorConvertible {
    /// The error with the codes of API 14 and Replication 4.11.
    var publicError: NSError {
        let (domain, code, text) = publicForm
        return LibraryError(code, text, domain: domain)
    }
}
#endif
