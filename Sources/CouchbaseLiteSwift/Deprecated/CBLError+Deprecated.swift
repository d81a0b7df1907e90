// The names of the error codes before they became members of `CBLError`.

/// See ``CBLError/domain``.
@available(*, deprecated, message: "Use CBLError.domain") public let CBLErrorDomain = CBLError.domain
/// See ``CBLError/assertionFailed``.
@available(*, deprecated, message: "Use CBLError.assertionFailed") public let CBLErrorAssertionFailed = CBLError.assertionFailed
/// See ``CBLError/unimplemented``.
@available(*, deprecated, message: "Use CBLError.unimplemented") public let CBLErrorUnimplemented = CBLError.unimplemented
/// See ``CBLError/unsupportedEncryption``.
@available(*, deprecated, message: "Use CBLError.unsupportedEncryption")
public let CBLErrorUnsupportedEncryption = CBLError.unsupportedEncryption
/// See ``CBLError/badRevisionID``.
@available(*, deprecated, message: "Use CBLError.badRevisionID") public let CBLErrorBadRevisionID = CBLError.badRevisionID
/// See ``CBLError/corruptRevisionData``.
@available(*, deprecated, message: "Use CBLError.corruptRevisionData") public let CBLErrorCorruptRevisionData = CBLError.corruptRevisionData
/// See ``CBLError/notOpen``.
@available(*, deprecated, message: "Use CBLError.notOpen") public let CBLErrorNotOpen = CBLError.notOpen
/// See ``CBLError/notFound``.
@available(*, deprecated, message: "Use CBLError.notFound") public let CBLErrorNotFound = CBLError.notFound
/// See ``CBLError/conflict``.
@available(*, deprecated, message: "Use CBLError.conflict") public let CBLErrorConflict = CBLError.conflict
/// See ``CBLError/invalidParameter``.
@available(*, deprecated, message: "Use CBLError.invalidParameter") public let CBLErrorInvalidParameter = CBLError.invalidParameter
/// See ``CBLError/unexpectedError``.
@available(*, deprecated, message: "Use CBLError.unexpectedError") public let CBLErrorUnexpectedError = CBLError.unexpectedError
/// See ``CBLError/cantOpenFile``.
@available(*, deprecated, message: "Use CBLError.cantOpenFile") public let CBLErrorCantOpenFile = CBLError.cantOpenFile
/// See ``CBLError/ioError``.
@available(*, deprecated, message: "Use CBLError.ioError") public let CBLErrorIOError = CBLError.ioError
/// See ``CBLError/memoryError``.
@available(*, deprecated, message: "Use CBLError.memoryError") public let CBLErrorMemoryError = CBLError.memoryError
/// See ``CBLError/notWriteable``.
@available(*, deprecated, message: "Use CBLError.notWriteable") public let CBLErrorNotWriteable = CBLError.notWriteable
/// See ``CBLError/corruptData``.
@available(*, deprecated, message: "Use CBLError.corruptData") public let CBLErrorCorruptData = CBLError.corruptData
/// See ``CBLError/busy``.
@available(*, deprecated, message: "Use CBLError.busy") public let CBLErrorBusy = CBLError.busy
/// See ``CBLError/notInTransaction``.
@available(*, deprecated, message: "Use CBLError.notInTransaction") public let CBLErrorNotInTransaction = CBLError.notInTransaction
/// See ``CBLError/transactionNotClosed``.
@available(*, deprecated, message: "Use CBLError.transactionNotClosed")
public let CBLErrorTransactionNotClosed = CBLError.transactionNotClosed
/// See ``CBLError/unsupported``.
@available(*, deprecated, message: "Use CBLError.unsupported") public let CBLErrorUnsupported = CBLError.unsupported
/// See ``CBLError/unreadableDatabase``.
@available(*, deprecated, message: "Use CBLError.unreadableDatabase") public let CBLErrorUnreadableDatabase = CBLError.unreadableDatabase
/// See ``CBLError/wrongFormat``.
@available(*, deprecated, message: "Use CBLError.wrongFormat") public let CBLErrorWrongFormat = CBLError.wrongFormat
/// See ``CBLError/crypto``.
@available(*, deprecated, message: "Use CBLError.crypto") public let CBLErrorCrypto = CBLError.crypto
/// See ``CBLError/invalidQuery``.
@available(*, deprecated, message: "Use CBLError.invalidQuery") public let CBLErrorInvalidQuery = CBLError.invalidQuery
/// See ``CBLError/missingIndex``.
@available(*, deprecated, message: "Use CBLError.missingIndex") public let CBLErrorMissingIndex = CBLError.missingIndex
/// See ``CBLError/invalidQueryParam``.
@available(*, deprecated, message: "Use CBLError.invalidQueryParam") public let CBLErrorInvalidQueryParam = CBLError.invalidQueryParam
/// See ``CBLError/remoteError``.
@available(*, deprecated, message: "Use CBLError.remoteError") public let CBLErrorRemoteError = CBLError.remoteError
/// See ``CBLError/databaseTooOld``.
@available(*, deprecated, message: "Use CBLError.databaseTooOld") public let CBLErrorDatabaseTooOld = CBLError.databaseTooOld
/// See ``CBLError/databaseTooNew``.
@available(*, deprecated, message: "Use CBLError.databaseTooNew") public let CBLErrorDatabaseTooNew = CBLError.databaseTooNew
/// See ``CBLError/badDocID``.
@available(*, deprecated, message: "Use CBLError.badDocID") public let CBLErrorBadDocID = CBLError.badDocID
/// See ``CBLError/cantUpgradeDatabase``.
@available(*, deprecated, message: "Use CBLError.cantUpgradeDatabase") public let CBLErrorCantUpgradeDatabase = CBLError.cantUpgradeDatabase
/// See ``CBLError/networkBase``.
@available(*, deprecated, message: "Use CBLError.networkBase") public let CBLErrorNetworkBase = CBLError.networkBase
/// See ``CBLError/dnsFailure``.
@available(*, deprecated, message: "Use CBLError.dnsFailure") public let CBLErrorDNSFailure = CBLError.dnsFailure
/// See ``CBLError/unknownHost``.
@available(*, deprecated, message: "Use CBLError.unknownHost") public let CBLErrorUnknownHost = CBLError.unknownHost
/// See ``CBLError/timeout``.
@available(*, deprecated, message: "Use CBLError.timeout") public let CBLErrorTimeout = CBLError.timeout
/// See ``CBLError/invalidURL``.
@available(*, deprecated, message: "Use CBLError.invalidURL") public let CBLErrorInvalidURL = CBLError.invalidURL
/// See ``CBLError/tooManyRedirects``.
@available(*, deprecated, message: "Use CBLError.tooManyRedirects") public let CBLErrorTooManyRedirects = CBLError.tooManyRedirects
/// See ``CBLError/tlsHandshakeFailed``.
@available(*, deprecated, message: "Use CBLError.tlsHandshakeFailed") public let CBLErrorTLSHandshakeFailed = CBLError.tlsHandshakeFailed
/// See ``CBLError/tlsCertExpired``.
@available(*, deprecated, message: "Use CBLError.tlsCertExpired") public let CBLErrorTLSCertExpired = CBLError.tlsCertExpired
/// See ``CBLError/tlsCertUntrusted``.
@available(*, deprecated, message: "Use CBLError.tlsCertUntrusted") public let CBLErrorTLSCertUntrusted = CBLError.tlsCertUntrusted
/// See ``CBLError/tlsClientCertRequired``.
@available(*, deprecated, message: "Use CBLError.tlsClientCertRequired")
public let CBLErrorTLSClientCertRequired = CBLError.tlsClientCertRequired
/// See ``CBLError/tlsClientCertRejected``.
@available(*, deprecated, message: "Use CBLError.tlsClientCertRejected")
public let CBLErrorTLSClientCertRejected = CBLError.tlsClientCertRejected
/// See ``CBLError/tlsCertUnknownRoot``.
@available(*, deprecated, message: "Use CBLError.tlsCertUnknownRoot") public let CBLErrorTLSCertUnknownRoot = CBLError.tlsCertUnknownRoot
/// See ``CBLError/invalidRedirect``.
@available(*, deprecated, message: "Use CBLError.invalidRedirect") public let CBLErrorInvalidRedirect = CBLError.invalidRedirect
/// See ``CBLError/httpBase``.
@available(*, deprecated, message: "Use CBLError.httpBase") public let CBLErrorHTTPBase = CBLError.httpBase
/// See ``CBLError/httpAuthRequired``.
@available(*, deprecated, message: "Use CBLError.httpAuthRequired") public let CBLErrorHTTPAuthRequired = CBLError.httpAuthRequired
/// See ``CBLError/httpForbidden``.
@available(*, deprecated, message: "Use CBLError.httpForbidden") public let CBLErrorHTTPForbidden = CBLError.httpForbidden
/// See ``CBLError/httpNotFound``.
@available(*, deprecated, message: "Use CBLError.httpNotFound") public let CBLErrorHTTPNotFound = CBLError.httpNotFound
/// See ``CBLError/httpConflict``.
@available(*, deprecated, message: "Use CBLError.httpConflict") public let CBLErrorHTTPConflict = CBLError.httpConflict
/// See ``CBLError/httpProxyAuthRequired``.
@available(*, deprecated, message: "Use CBLError.httpProxyAuthRequired")
public let CBLErrorHTTPProxyAuthRequired = CBLError.httpProxyAuthRequired
/// See ``CBLError/httpEntityTooLarge``.
@available(*, deprecated, message: "Use CBLError.httpEntityTooLarge") public let CBLErrorHTTPEntityTooLarge = CBLError.httpEntityTooLarge
/// See ``CBLError/httpImATeapot``.
@available(*, deprecated, message: "Use CBLError.httpImATeapot") public let CBLErrorHTTPImATeapot = CBLError.httpImATeapot
/// See ``CBLError/httpInternalServerError``.
@available(*, deprecated, message: "Use CBLError.httpInternalServerError")
public let CBLErrorHTTPInternalServerError = CBLError.httpInternalServerError
/// See ``CBLError/httpNotImplemented``.
@available(*, deprecated, message: "Use CBLError.httpNotImplemented") public let CBLErrorHTTPNotImplemented = CBLError.httpNotImplemented
/// See ``CBLError/httpServiceUnavailable``.
@available(*, deprecated, message: "Use CBLError.httpServiceUnavailable")
public let CBLErrorHTTPServiceUnavailable = CBLError.httpServiceUnavailable
/// See ``CBLError/webSocketBase``.
@available(*, deprecated, message: "Use CBLError.webSocketBase") public let CBLErrorWebSocketBase = CBLError.webSocketBase
/// See ``CBLError/webSocketGoingAway``.
@available(*, deprecated, message: "Use CBLError.webSocketGoingAway") public let CBLErrorWebSocketGoingAway = CBLError.webSocketGoingAway
/// See ``CBLError/webSocketProtocolError``.
@available(*, deprecated, message: "Use CBLError.webSocketProtocolError")
public let CBLErrorWebSocketProtocolError = CBLError.webSocketProtocolError
/// See ``CBLError/webSocketDataError``.
@available(*, deprecated, message: "Use CBLError.webSocketDataError") public let CBLErrorWebSocketDataError = CBLError.webSocketDataError
/// See ``CBLError/webSocketAbnormalClose``.
@available(*, deprecated, message: "Use CBLError.webSocketAbnormalClose")
public let CBLErrorWebSocketAbnormalClose = CBLError.webSocketAbnormalClose
/// See ``CBLError/webSocketBadMessageFormat``.
@available(*, deprecated, message: "Use CBLError.webSocketBadMessageFormat")
public let CBLErrorWebSocketBadMessageFormat = CBLError.webSocketBadMessageFormat
/// See ``CBLError/webSocketPolicyError``.
@available(*, deprecated, message: "Use CBLError.webSocketPolicyError")
public let CBLErrorWebSocketPolicyError = CBLError.webSocketPolicyError
/// See ``CBLError/webSocketMessageTooBig``.
@available(*, deprecated, message: "Use CBLError.webSocketMessageTooBig")
public let CBLErrorWebSocketMessageTooBig = CBLError.webSocketMessageTooBig
/// See ``CBLError/webSocketMissingExtension``.
@available(*, deprecated, message: "Use CBLError.webSocketMissingExtension")
public let CBLErrorWebSocketMissingExtension = CBLError.webSocketMissingExtension
/// See ``CBLError/webSocketCantFulfill``.
@available(*, deprecated, message: "Use CBLError.webSocketCantFulfill")
public let CBLErrorWebSocketCantFulfill = CBLError.webSocketCantFulfill
/// See ``CBLError/webSocketCloseUserTransient``.
@available(*, deprecated, message: "Use CBLError.webSocketCloseUserTransient")
public let CBLErrorWebSocketCloseUserTransient = CBLError.webSocketCloseUserTransient
/// See ``CBLError/webSocketCloseUserPermanent``.
@available(*, deprecated, message: "Use CBLError.webSocketCloseUserPermanent")
public let CBLErrorWebSocketCloseUserPermanent = CBLError.webSocketCloseUserPermanent
