/// The codes of the errors that this module throws: `NSError` objects with the domain ``domain`` and one of these codes.
///
/// Errors of SQLite that have no code here have the domain `CouchbaseLite.SQLite`, errors of encoding values `CouchbaseLite.Fleece`, and
/// errors of the operating system `NSPOSIXErrorDomain`. Every error has a description of what failed.
///
/// A code is also a pattern: `catch CBLError.notFound` catches the errors with this code. ``DatabaseError`` has the parts of an error.
///
/// `print(error)` writes the domain, the name and the number of the code, and what failed:
/// `CouchbaseLite.notFound (7): document "a" does not exist`. `localizedDescription` is the last part alone.
public struct CBLError: Sendable {
    /// The domain of the codes below: `CouchbaseLite`.
    public static let domain = "CouchbaseLite"

    // MARK: Database

    /// An internal consistency check failed.
    public static let assertionFailed = 1
    /// The requested function is not implemented.
    public static let unimplemented = 2
    /// The database is encrypted by an unknown method.
    public static let unsupportedEncryption = 3
    /// A revision ID is malformed.
    public static let badRevisionID = 4
    /// The stored record of a document is damaged.
    public static let corruptRevisionData = 5
    /// The database is closed, or the collection was deleted.
    public static let notOpen = 6
    /// The specified object, such as a document or a file, does not exist.
    public static let notFound = 7
    /// The document was changed concurrently.
    public static let conflict = 8
    /// An argument is invalid.
    public static let invalidParameter = 9
    /// An error that has no code of its own.
    public static let unexpectedError = 10
    /// A file of the database cannot be opened.
    public static let cantOpenFile = 11
    /// Reading or writing a file failed.
    public static let ioError = 12
    /// Not enough memory is available.
    public static let memoryError = 13
    /// The database cannot be written to.
    public static let notWriteable = 14
    /// Stored data is damaged.
    public static let corruptData = 15
    /// The database is in use by another `Database` object, thread or process.
    public static let busy = 16
    /// The operation needs a transaction, but none is open or it was rolled back.
    public static let notInTransaction = 17
    /// The operation is not possible while a transaction is open.
    public static let transactionNotClosed = 18
    /// The operation or feature is not supported.
    public static let unsupported = 19
    /// The file is not a database, or the encryption key is missing, wrong or not needed.
    public static let unreadableDatabase = 20
    /// The file has another format.
    public static let wrongFormat = 21
    /// Encryption, decryption or the handling of keys or certificates failed.
    public static let crypto = 22
    /// The query cannot be compiled or run.
    public static let invalidQuery = 23
    /// The query needs an index that does not exist.
    public static let missingIndex = 24
    /// A parameter of the query is missing or unknown.
    public static let invalidQueryParam = 25
    /// The peer reported an error that has no code of its own.
    public static let remoteError = 26
    /// The database was written by a release that is too old for an upgrade.
    public static let databaseTooOld = 27
    /// The database was written by a newer release, or migrated by a newer version of the app.
    public static let databaseTooNew = 28
    /// A document ID is invalid.
    public static let badDocID = 29
    /// The database cannot be upgraded.
    public static let cantUpgradeDatabase = 30

    // MARK: Network

    /// The base of the codes of network errors, which are greater than this number.
    public static let networkBase = 5000
    /// The host name could not be resolved.
    public static let dnsFailure = 5001
    /// No host has that name.
    public static let unknownHost = 5002
    /// The peer did not respond in time.
    public static let timeout = 5003
    /// A URL is invalid.
    public static let invalidURL = 5004
    /// The server redirected too often.
    public static let tooManyRedirects = 5005
    /// The TLS handshake failed.
    public static let tlsHandshakeFailed = 5006
    /// The peer's certificate has expired.
    public static let tlsCertExpired = 5007
    /// The peer's certificate is not trusted.
    public static let tlsCertUntrusted = 5008
    /// The server requires a client certificate.
    public static let tlsClientCertRequired = 5009
    /// The server rejected the client certificate.
    public static let tlsClientCertRejected = 5010
    /// The peer's certificate was issued by an unknown authority.
    public static let tlsCertUnknownRoot = 5011
    /// The server redirected to a URL that is not allowed.
    public static let invalidRedirect = 5012
    /// No network interface has that name.
    public static let unknownInterface = 5027

    // MARK: HTTP

    /// The base of the codes of HTTP errors: the code is this number plus the HTTP status.
    public static let httpBase = 10000
    /// HTTP 401: credentials are missing or wrong.
    public static let httpAuthRequired = 10401
    /// HTTP 403: the request is not allowed.
    public static let httpForbidden = 10403
    /// HTTP 404: the resource does not exist.
    public static let httpNotFound = 10404
    /// HTTP 409: the request conflicts with the state of the resource.
    public static let httpConflict = 10409
    /// HTTP 407: the proxy requires credentials.
    public static let httpProxyAuthRequired = 10407
    /// HTTP 413: the content is too large.
    public static let httpEntityTooLarge = 10413
    /// HTTP 418: the server is a teapot.
    public static let httpImATeapot = 10418
    /// HTTP 500: the server failed.
    public static let httpInternalServerError = 10500
    /// HTTP 501: the server does not implement the request.
    public static let httpNotImplemented = 10501
    /// HTTP 503: the server is not available.
    public static let httpServiceUnavailable = 10503

    // MARK: WebSocket

    /// The base of the codes of WebSocket errors: the code is this number plus the close code minus 1000.
    public static let webSocketBase = 11000
    /// WebSocket 1001: the peer is shutting down or has closed the connection.
    public static let webSocketGoingAway = 11001
    /// WebSocket 1002: a protocol violation.
    public static let webSocketProtocolError = 11002
    /// WebSocket 1003: data of an unexpected kind.
    public static let webSocketDataError = 11003
    /// WebSocket 1006: the connection was lost.
    public static let webSocketAbnormalClose = 11006
    /// WebSocket 1007: a malformed message.
    public static let webSocketBadMessageFormat = 11007
    /// WebSocket 1008: a policy violation.
    public static let webSocketPolicyError = 11008
    /// WebSocket 1009: a message that is too large.
    public static let webSocketMessageTooBig = 11009
    /// WebSocket 1010: a required extension is missing.
    public static let webSocketMissingExtension = 11010
    /// WebSocket 1011: the peer failed.
    public static let webSocketCantFulfill = 11011
    /// WebSocket 4001: the peer requests a retry.
    public static let webSocketCloseUserTransient = 14001
    /// WebSocket 4002: the peer requests that no retry is made.
    public static let webSocketCloseUserPermanent = 14002

    // MARK: JSON and Codable

    /// A text is not valid JSON, or is not of the expected JSON type.
    public static let invalidJSON = 17001
    /// A document or query result does not match the type that it is decoded to.
    public static let decodingError = 18001
    /// A value cannot be encoded into a document.
    public static let encodingError = 18002
}
