// The names of the error codes before they became members of `CBLError`.

@available(*, deprecated, message: "Use CBLError.domain") public let CBLErrorDomain = CBLError.domain
@available(*, deprecated, message: "Use CBLError.assertionFailed") public let CBLErrorAssertionFailed = CBLError.assertionFailed
@available(*, deprecated, message: "Use CBLError.unimplemented") public let CBLErrorUnimplemented = CBLError.unimplemented
@available(*, deprecated, message: "Use CBLError.unsupportedEncryption")
public let CBLErrorUnsupportedEncryption = CBLError.unsupportedEncryption
@available(*, deprecated, message: "Use CBLError.badRevisionID") public let CBLErrorBadRevisionID = CBLError.badRevisionID
@available(*, deprecated, message: "Use CBLError.corruptRevisionData") public let CBLErrorCorruptRevisionData = CBLError.corruptRevisionData
@available(*, deprecated, message: "Use CBLError.notOpen") public let CBLErrorNotOpen = CBLError.notOpen
@available(*, deprecated, message: "Use CBLError.notFound") public let CBLErrorNotFound = CBLError.notFound
@available(*, deprecated, message: "Use CBLError.conflict") public let CBLErrorConflict = CBLError.conflict
@available(*, deprecated, message: "Use CBLError.invalidParameter") public let CBLErrorInvalidParameter = CBLError.invalidParameter
@available(*, deprecated, message: "Use CBLError.unexpectedError") public let CBLErrorUnexpectedError = CBLError.unexpectedError
@available(*, deprecated, message: "Use CBLError.cantOpenFile") public let CBLErrorCantOpenFile = CBLError.cantOpenFile
@available(*, deprecated, message: "Use CBLError.ioError") public let CBLErrorIOError = CBLError.ioError
@available(*, deprecated, message: "Use CBLError.memoryError") public let CBLErrorMemoryError = CBLError.memoryError
@available(*, deprecated, message: "Use CBLError.notWriteable") public let CBLErrorNotWriteable = CBLError.notWriteable
@available(*, deprecated, message: "Use CBLError.corruptData") public let CBLErrorCorruptData = CBLError.corruptData
@available(*, deprecated, message: "Use CBLError.busy") public let CBLErrorBusy = CBLError.busy
@available(*, deprecated, message: "Use CBLError.notInTransaction") public let CBLErrorNotInTransaction = CBLError.notInTransaction
@available(*, deprecated, message: "Use CBLError.transactionNotClosed")
public let CBLErrorTransactionNotClosed = CBLError.transactionNotClosed
@available(*, deprecated, message: "Use CBLError.unsupported") public let CBLErrorUnsupported = CBLError.unsupported
@available(*, deprecated, message: "Use CBLError.unreadableDatabase") public let CBLErrorUnreadableDatabase = CBLError.unreadableDatabase
@available(*, deprecated, message: "Use CBLError.wrongFormat") public let CBLErrorWrongFormat = CBLError.wrongFormat
@available(*, deprecated, message: "Use CBLError.crypto") public let CBLErrorCrypto = CBLError.crypto
@available(*, deprecated, message: "Use CBLError.invalidQuery") public let CBLErrorInvalidQuery = CBLError.invalidQuery
@available(*, deprecated, message: "Use CBLError.missingIndex") public let CBLErrorMissingIndex = CBLError.missingIndex
@available(*, deprecated, message: "Use CBLError.invalidQueryParam") public let CBLErrorInvalidQueryParam = CBLError.invalidQueryParam
@available(*, deprecated, message: "Use CBLError.remoteError") public let CBLErrorRemoteError = CBLError.remoteError
@available(*, deprecated, message: "Use CBLError.databaseTooOld") public let CBLErrorDatabaseTooOld = CBLError.databaseTooOld
@available(*, deprecated, message: "Use CBLError.databaseTooNew") public let CBLErrorDatabaseTooNew = CBLError.databaseTooNew
@available(*, deprecated, message: "Use CBLError.badDocID") public let CBLErrorBadDocID = CBLError.badDocID
@available(*, deprecated, message: "Use CBLError.cantUpgradeDatabase") public let CBLErrorCantUpgradeDatabase = CBLError.cantUpgradeDatabase
@available(*, deprecated, message: "Use CBLError.networkBase") public let CBLErrorNetworkBase = CBLError.networkBase
@available(*, deprecated, message: "Use CBLError.dnsFailure") public let CBLErrorDNSFailure = CBLError.dnsFailure
@available(*, deprecated, message: "Use CBLError.unknownHost") public let CBLErrorUnknownHost = CBLError.unknownHost
@available(*, deprecated, message: "Use CBLError.timeout") public let CBLErrorTimeout = CBLError.timeout
@available(*, deprecated, message: "Use CBLError.invalidURL") public let CBLErrorInvalidURL = CBLError.invalidURL
@available(*, deprecated, message: "Use CBLError.tooManyRedirects") public let CBLErrorTooManyRedirects = CBLError.tooManyRedirects
@available(*, deprecated, message: "Use CBLError.tlsHandshakeFailed") public let CBLErrorTLSHandshakeFailed = CBLError.tlsHandshakeFailed
@available(*, deprecated, message: "Use CBLError.tlsCertExpired") public let CBLErrorTLSCertExpired = CBLError.tlsCertExpired
@available(*, deprecated, message: "Use CBLError.tlsCertUntrusted") public let CBLErrorTLSCertUntrusted = CBLError.tlsCertUntrusted
@available(*, deprecated, message: "Use CBLError.tlsClientCertRequired")
public let CBLErrorTLSClientCertRequired = CBLError.tlsClientCertRequired
@available(*, deprecated, message: "Use CBLError.tlsClientCertRejected")
public let CBLErrorTLSClientCertRejected = CBLError.tlsClientCertRejected
@available(*, deprecated, message: "Use CBLError.tlsCertUnknownRoot") public let CBLErrorTLSCertUnknownRoot = CBLError.tlsCertUnknownRoot
@available(*, deprecated, message: "Use CBLError.invalidRedirect") public let CBLErrorInvalidRedirect = CBLError.invalidRedirect
@available(*, deprecated, message: "Use CBLError.httpBase") public let CBLErrorHTTPBase = CBLError.httpBase
@available(*, deprecated, message: "Use CBLError.httpAuthRequired") public let CBLErrorHTTPAuthRequired = CBLError.httpAuthRequired
@available(*, deprecated, message: "Use CBLError.httpForbidden") public let CBLErrorHTTPForbidden = CBLError.httpForbidden
@available(*, deprecated, message: "Use CBLError.httpNotFound") public let CBLErrorHTTPNotFound = CBLError.httpNotFound
@available(*, deprecated, message: "Use CBLError.httpConflict") public let CBLErrorHTTPConflict = CBLError.httpConflict
@available(*, deprecated, message: "Use CBLError.httpProxyAuthRequired")
public let CBLErrorHTTPProxyAuthRequired = CBLError.httpProxyAuthRequired
@available(*, deprecated, message: "Use CBLError.httpEntityTooLarge") public let CBLErrorHTTPEntityTooLarge = CBLError.httpEntityTooLarge
@available(*, deprecated, message: "Use CBLError.httpImATeapot") public let CBLErrorHTTPImATeapot = CBLError.httpImATeapot
@available(*, deprecated, message: "Use CBLError.httpInternalServerError")
public let CBLErrorHTTPInternalServerError = CBLError.httpInternalServerError
@available(*, deprecated, message: "Use CBLError.httpNotImplemented") public let CBLErrorHTTPNotImplemented = CBLError.httpNotImplemented
@available(*, deprecated, message: "Use CBLError.httpServiceUnavailable")
public let CBLErrorHTTPServiceUnavailable = CBLError.httpServiceUnavailable
@available(*, deprecated, message: "Use CBLError.webSocketBase") public let CBLErrorWebSocketBase = CBLError.webSocketBase
@available(*, deprecated, message: "Use CBLError.webSocketGoingAway") public let CBLErrorWebSocketGoingAway = CBLError.webSocketGoingAway
@available(*, deprecated, message: "Use CBLError.webSocketProtocolError")
public let CBLErrorWebSocketProtocolError = CBLError.webSocketProtocolError
@available(*, deprecated, message: "Use CBLError.webSocketDataError") public let CBLErrorWebSocketDataError = CBLError.webSocketDataError
@available(*, deprecated, message: "Use CBLError.webSocketAbnormalClose")
public let CBLErrorWebSocketAbnormalClose = CBLError.webSocketAbnormalClose
@available(*, deprecated, message: "Use CBLError.webSocketBadMessageFormat")
public let CBLErrorWebSocketBadMessageFormat = CBLError.webSocketBadMessageFormat
@available(*, deprecated, message: "Use CBLError.webSocketPolicyError")
public let CBLErrorWebSocketPolicyError = CBLError.webSocketPolicyError
@available(*, deprecated, message: "Use CBLError.webSocketMessageTooBig")
public let CBLErrorWebSocketMessageTooBig = CBLError.webSocketMessageTooBig
@available(*, deprecated, message: "Use CBLError.webSocketMissingExtension")
public let CBLErrorWebSocketMissingExtension = CBLError.webSocketMissingExtension
@available(*, deprecated, message: "Use CBLError.webSocketCantFulfill")
public let CBLErrorWebSocketCantFulfill = CBLError.webSocketCantFulfill
@available(*, deprecated, message: "Use CBLError.webSocketCloseUserTransient")
public let CBLErrorWebSocketCloseUserTransient = CBLError.webSocketCloseUserTransient
@available(*, deprecated, message: "Use CBLError.webSocketCloseUserPermanent")
public let CBLErrorWebSocketCloseUserPermanent = CBLError.webSocketCloseUserPermanent
