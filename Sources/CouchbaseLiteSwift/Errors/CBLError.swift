/// The errors that this module throws: `NSError` objects of the domain ``domain`` with one of these codes.
///
/// Errors of SQLite have the domain `CouchbaseLite.SQLite`, those of the binary document format
/// `CouchbaseLite.Fleece`, those of the operating system `NSPOSIXErrorDomain`. Every one has a description that says
/// what failed.
public struct CBLError {
    /// The domain of the codes below.
    public static let domain = "CouchbaseLite"

    // MARK: Database

    /// An internal check failed.
    public static let assertionFailed = 1
    /// Something that is not there yet was asked for.
    public static let unimplemented = 2
    /// The database is encrypted in a way that is not known.
    public static let unsupportedEncryption = 3
    /// A revision ID that is not well-formed.
    public static let badRevisionID = 4
    /// The record of a document is damaged.
    public static let corruptRevisionData = 5
    /// The database is closed, or the collection was deleted.
    public static let notOpen = 6
    /// What was named does not exist.
    public static let notFound = 7
    /// Another revision stands in the way.
    public static let conflict = 8
    /// An argument that cannot be used.
    public static let invalidParameter = 9
    /// Something went wrong that has no code of its own.
    public static let unexpectedError = 10
    /// A file of the database cannot be opened.
    public static let cantOpenFile = 11
    /// Reading or writing a file failed.
    public static let ioError = 12
    /// There is not enough memory.
    public static let memoryError = 13
    /// The database cannot be written to.
    public static let notWriteable = 14
    /// Stored data is damaged.
    public static let corruptData = 15
    /// The database is in use by somebody else.
    public static let busy = 16
    /// What was asked for needs a transaction.
    public static let notInTransaction = 17
    /// A transaction is still open.
    public static let transactionNotClosed = 18
    /// The operation is not possible on this database.
    public static let unsupported = 19
    /// The file is no database, or it is encrypted with another key.
    public static let unreadableDatabase = 20
    /// The file has another format.
    public static let wrongFormat = 21
    /// Encryption or decryption failed.
    public static let crypto = 22
    /// The query cannot be compiled or run.
    public static let invalidQuery = 23
    /// The query needs an index that does not exist.
    public static let missingIndex = 24
    /// A parameter of the query is missing or unknown.
    public static let invalidQueryParam = 25
    /// The other side reported an error that has no code of its own.
    public static let remoteError = 26
    /// The database is of a release that is too old to be upgraded.
    public static let databaseTooOld = 27
    /// The database is of a release that is too new to be read.
    public static let databaseTooNew = 28
    /// A document ID that is not allowed.
    public static let badDocID = 29
    /// The database cannot be upgraded.
    public static let cantUpgradeDatabase = 30

    // MARK: Network

    /// Network errors are numbered from here.
    public static let networkBase = 5000
    /// The name of the host could not be looked up.
    public static let dnsFailure = 5001
    /// There is no host of that name.
    public static let unknownHost = 5002
    /// The other side did not answer in time.
    public static let timeout = 5003
    /// A URL that cannot be used.
    public static let invalidURL = 5004
    /// The server redirected too often.
    public static let tooManyRedirects = 5005
    /// The TLS handshake failed.
    public static let tlsHandshakeFailed = 5006
    /// The other side's certificate has expired.
    public static let tlsCertExpired = 5007
    /// The other side's certificate is not trusted.
    public static let tlsCertUntrusted = 5008
    /// The server wants a client certificate.
    public static let tlsClientCertRequired = 5009
    /// The server refused the client certificate.
    public static let tlsClientCertRejected = 5010
    /// The other side's certificate comes from an unknown authority.
    public static let tlsCertUnknownRoot = 5011
    /// The server redirected to a place that is not allowed.
    public static let invalidRedirect = 5012
    /// There is no network interface of that name.
    public static let unknownInterface = 5027

    // MARK: HTTP

    /// HTTP status codes are numbered from here.
    public static let httpBase = 10000
    /// HTTP 401: credentials are missing or wrong.
    public static let httpAuthRequired = 10401
    /// HTTP 403: not allowed.
    public static let httpForbidden = 10403
    /// HTTP 404: not found.
    public static let httpNotFound = 10404
    /// HTTP 409: conflict.
    public static let httpConflict = 10409
    /// HTTP 407: the proxy wants credentials.
    public static let httpProxyAuthRequired = 10407
    /// HTTP 413: too large.
    public static let httpEntityTooLarge = 10413
    /// HTTP 418: a teapot.
    public static let httpImATeapot = 10418
    /// HTTP 500: the server failed.
    public static let httpInternalServerError = 10500
    /// HTTP 501: not implemented.
    public static let httpNotImplemented = 10501
    /// HTTP 503: the server is not available.
    public static let httpServiceUnavailable = 10503

    // MARK: WebSocket

    /// WebSocket close codes are numbered from here.
    public static let webSocketBase = 11000
    /// WebSocket 1001: the other side went away.
    public static let webSocketGoingAway = 11001
    /// WebSocket 1002: the protocol was violated.
    public static let webSocketProtocolError = 11002
    /// WebSocket 1003: data of an unexpected kind.
    public static let webSocketDataError = 11003
    /// WebSocket 1006: the connection broke.
    public static let webSocketAbnormalClose = 11006
    /// WebSocket 1007: a malformed message.
    public static let webSocketBadMessageFormat = 11007
    /// WebSocket 1008: against the policy.
    public static let webSocketPolicyError = 11008
    /// WebSocket 1009: a message that is too big.
    public static let webSocketMessageTooBig = 11009
    /// WebSocket 1010: an extension is missing.
    public static let webSocketMissingExtension = 11010
    /// WebSocket 1011: the other side failed.
    public static let webSocketCantFulfill = 11011
    /// WebSocket 4001: the other side asks to try again.
    public static let webSocketCloseUserTransient = 14001
    /// WebSocket 4002: the other side asks not to try again.
    public static let webSocketCloseUserPermanent = 14002

    // MARK: JSON and Codable

    /// Text that is not the JSON that was expected.
    public static let invalidJSON = 17001
    /// A document does not fit the type it is decoded to.
    public static let decodingError = 18001
    /// A value cannot be encoded into a document.
    public static let encodingError = 18002
}
