import DatabaseRuntime

#if Replication
import SyncCore
#endif

/// Returns the error that an app receives for `error`. It is always an `NSError` object, because code written for the old API catches no
/// other kind on Linux (API 1.3).
func publicError(_ error: any Error) -> NSError { LibraryError.shown(error) }

/// Runs `body` and converts its errors, except a `CancellationError`, because tasks expect that type.
func throwingPublicErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw LibraryError.thrown(error) }
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
