import DatabaseRuntime

/// The parts of an error of the library, with their types: a view of the `NSError` that was thrown.
///
/// ```swift
/// do {
///     try collection.save(document: document)
/// } catch CBLError.busy {
///     retryLater()
/// } catch {
///     guard let error = DatabaseError(error) else { throw error }
///     show(error.message, error.hint)
/// }
/// ```
public struct DatabaseError: Sendable, CustomStringConvertible {
    private let error: NSError

    /// Returns the parts of `error`; `nil` if it is no `NSError`, such as an error of the app or a `CancellationError`.
    public init?(_ error: any Error) {
        // A cast to `NSError` would also wrap errors of any other type.
        guard type(of: error) is NSError.Type else { return nil }
        self.error = error as NSError
    }

    /// The domain of the code: ``CBLError/domain``, `CouchbaseLite.SQLite`, `CouchbaseLite.Fleece`, or `NSPOSIXErrorDomain` for an error of the
    /// operating system. It can be another one for an error of a closure or an object of the app.
    public var domain: String { error.domain }

    /// The code: in the domain ``CBLError/domain`` one of the constants of ``CBLError``, or another code of the network, HTTP or WebSocket.
    public var code: Int { error.code }

    /// The name of the code, which is that of the constant of ``CBLError``; `nil` if it has none.
    public var name: String? { libraryCode?.name }

    /// What failed, with the document, the file, the index or the server.
    public var message: String { error.localizedDescription }

    /// What usually helps, in a sentence or two; `nil` if there is no general advice. <doc:Troubleshooting> says more.
    public var hint: String? { libraryCode?.hint }

    /// The error that caused this one; `nil` if there is none.
    public var underlyingError: (any Error)? { error.userInfo[NSUnderlyingErrorKey] as? any Error }

    /// The domain, the name and the number of the code, and the message.
    public var description: String { "\(error)" }

    private var libraryCode: LibraryErrorCode? { domain == CBLError.domain ? LibraryErrorCode.all[code] : nil }
}

/// Returns whether `error` has a code of the domain ``CBLError/domain``, so that `catch CBLError.notFound` catches the errors with this code.
public func ~= (code: Int, error: any Error) -> Bool {
    guard let error = DatabaseError(error) else { return false }
    return error.domain == CBLError.domain && error.code == code
}
