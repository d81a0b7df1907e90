// The names of the error codes before they became members of `CBLError`.

@available(*, deprecated, renamed: "CBLError.domain") public let CBLErrorDomain = CBLError.domain
@available(*, deprecated, renamed: "CBLError.assertionFailed") public let CBLErrorAssertionFailed = CBLError.assertionFailed
@available(*, deprecated, renamed: "CBLError.unimplemented") public let CBLErrorUnimplemented = CBLError.unimplemented
@available(*, deprecated, renamed: "CBLError.unsupportedEncryption")
public let CBLErrorUnsupportedEncryption = CBLError.unsupportedEncryption
@available(*, deprecated, renamed: "CBLError.badRevisionID") public let CBLErrorBadRevisionID = CBLError.badRevisionID
@available(*, deprecated, renamed: "CBLError.corruptRevisionData") public let CBLErrorCorruptRevisionData = CBLError.corruptRevisionData
@available(*, deprecated, renamed: "CBLError.notOpen") public let CBLErrorNotOpen = CBLError.notOpen
@available(*, deprecated, renamed: "CBLError.notFound") public let CBLErrorNotFound = CBLError.notFound
@available(*, deprecated, renamed: "CBLError.conflict") public let CBLErrorConflict = CBLError.conflict
@available(*, deprecated, renamed: "CBLError.invalidParameter") public let CBLErrorInvalidParameter = CBLError.invalidParameter
@available(*, deprecated, renamed: "CBLError.unexpectedError") public let CBLErrorUnexpectedError = CBLError.unexpectedError
@available(*, deprecated, renamed: "CBLError.cantOpenFile") public let CBLErrorCantOpenFile = CBLError.cantOpenFile
@available(*, deprecated, renamed: "CBLError.ioError") public let CBLErrorIOError = CBLError.ioError
@available(*, deprecated, renamed: "CBLError.memoryError") public let CBLErrorMemoryError = CBLError.memoryError
@available(*, deprecated, renamed: "CBLError.notWriteable") public let CBLErrorNotWriteable = CBLError.notWriteable
@available(*, deprecated, renamed: "CBLError.corruptData") public let CBLErrorCorruptData = CBLError.corruptData
@available(*, deprecated, renamed: "CBLError.busy") public let CBLErrorBusy = CBLError.busy
@available(*, deprecated, renamed: "CBLError.notInTransaction") public let CBLErrorNotInTransaction = CBLError.notInTransaction
@available(*, deprecated, renamed: "CBLError.transactionNotClosed") public let CBLErrorTransactionNotClosed = CBLError.transactionNotClosed
@available(*, deprecated, renamed: "CBLError.unsupported") public let CBLErrorUnsupported = CBLError.unsupported
@available(*, deprecated, renamed: "CBLError.unreadableDatabase") public let CBLErrorUnreadableDatabase = CBLError.unreadableDatabase
@available(*, deprecated, renamed: "CBLError.wrongFormat") public let CBLErrorWrongFormat = CBLError.wrongFormat
@available(*, deprecated, renamed: "CBLError.crypto") public let CBLErrorCrypto = CBLError.crypto
@available(*, deprecated, renamed: "CBLError.invalidQuery") public let CBLErrorInvalidQuery = CBLError.invalidQuery
@available(*, deprecated, renamed: "CBLError.missingIndex") public let CBLErrorMissingIndex = CBLError.missingIndex
@available(*, deprecated, renamed: "CBLError.invalidQueryParam") public let CBLErrorInvalidQueryParam = CBLError.invalidQueryParam
@available(*, deprecated, renamed: "CBLError.remoteError") public let CBLErrorRemoteError = CBLError.remoteError
@available(*, deprecated, renamed: "CBLError.databaseTooOld") public let CBLErrorDatabaseTooOld = CBLError.databaseTooOld
@available(*, deprecated, renamed: "CBLError.databaseTooNew") public let CBLErrorDatabaseTooNew = CBLError.databaseTooNew
@available(*, deprecated, renamed: "CBLError.badDocID") public let CBLErrorBadDocID = CBLError.badDocID
@available(*, deprecated, renamed: "CBLError.cantUpgradeDatabase") public let CBLErrorCantUpgradeDatabase = CBLError.cantUpgradeDatabase
@available(*, deprecated, renamed: "CBLError.networkBase") public let CBLErrorNetworkBase = CBLError.networkBase
@available(*, deprecated, renamed: "CBLError.dnsFailure") public let CBLErrorDNSFailure = CBLError.dnsFailure
@available(*, deprecated, renamed: "CBLError.unknownHost") public let CBLErrorUnknownHost = CBLError.unknownHost
@available(*, deprecated, renamed: "CBLError.timeout") public let CBLErrorTimeout = CBLError.timeout
@available(*, deprecated, renamed: "CBLError.invalidURL") public let CBLErrorInvalidURL = CBLError.invalidURL
@available(*, deprecated, renamed: "CBLError.tooManyRedirects") public let CBLErrorTooManyRedirects = CBLError.tooManyRedirects
@available(*, deprecated, renamed: "CBLError.tlsHandshakeFailed") public let CBLErrorTLSHandshakeFailed = CBLError.tlsHandshakeFailed
@available(*, deprecated, renamed: "CBLError.tlsCertExpired") public let CBLErrorTLSCertExpired = CBLError.tlsCertExpired
@available(*, deprecated, renamed: "CBLError.tlsCertUntrusted") public let CBLErrorTLSCertUntrusted = CBLError.tlsCertUntrusted
@available(*, deprecated, renamed: "CBLError.tlsClientCertRequired")
public let CBLErrorTLSClientCertRequired = CBLError.tlsClientCertRequired
@available(*, deprecated, renamed: "CBLError.tlsClientCertRejected")
public let CBLErrorTLSClientCertRejected = CBLError.tlsClientCertRejected
@available(*, deprecated, renamed: "CBLError.tlsCertUnknownRoot") public let CBLErrorTLSCertUnknownRoot = CBLError.tlsCertUnknownRoot
@available(*, deprecated, renamed: "CBLError.invalidRedirect") public let CBLErrorInvalidRedirect = CBLError.invalidRedirect
@available(*, deprecated, renamed: "CBLError.httpBase") public let CBLErrorHTTPBase = CBLError.httpBase
@available(*, deprecated, renamed: "CBLError.httpAuthRequired") public let CBLErrorHTTPAuthRequired = CBLError.httpAuthRequired
@available(*, deprecated, renamed: "CBLError.httpForbidden") public let CBLErrorHTTPForbidden = CBLError.httpForbidden
@available(*, deprecated, renamed: "CBLError.httpNotFound") public let CBLErrorHTTPNotFound = CBLError.httpNotFound
@available(*, deprecated, renamed: "CBLError.httpConflict") public let CBLErrorHTTPConflict = CBLError.httpConflict
@available(*, deprecated, renamed: "CBLError.httpProxyAuthRequired")
public let CBLErrorHTTPProxyAuthRequired = CBLError.httpProxyAuthRequired
@available(*, deprecated, renamed: "CBLError.httpEntityTooLarge") public let CBLErrorHTTPEntityTooLarge = CBLError.httpEntityTooLarge
@available(*, deprecated, renamed: "CBLError.httpImATeapot") public let CBLErrorHTTPImATeapot = CBLError.httpImATeapot
@available(*, deprecated, renamed: "CBLError.httpInternalServerError")
public let CBLErrorHTTPInternalServerError = CBLError.httpInternalServerError
@available(*, deprecated, renamed: "CBLError.httpNotImplemented") public let CBLErrorHTTPNotImplemented = CBLError.httpNotImplemented
@available(*, deprecated, renamed: "CBLError.httpServiceUnavailable")
public let CBLErrorHTTPServiceUnavailable = CBLError.httpServiceUnavailable
@available(*, deprecated, renamed: "CBLError.webSocketBase") public let CBLErrorWebSocketBase = CBLError.webSocketBase
@available(*, deprecated, renamed: "CBLError.webSocketGoingAway") public let CBLErrorWebSocketGoingAway = CBLError.webSocketGoingAway
@available(*, deprecated, renamed: "CBLError.webSocketProtocolError")
public let CBLErrorWebSocketProtocolError = CBLError.webSocketProtocolError
@available(*, deprecated, renamed: "CBLError.webSocketDataError") public let CBLErrorWebSocketDataError = CBLError.webSocketDataError
@available(*, deprecated, renamed: "CBLError.webSocketAbnormalClose")
public let CBLErrorWebSocketAbnormalClose = CBLError.webSocketAbnormalClose
@available(*, deprecated, renamed: "CBLError.webSocketBadMessageFormat")
public let CBLErrorWebSocketBadMessageFormat = CBLError.webSocketBadMessageFormat
@available(*, deprecated, renamed: "CBLError.webSocketPolicyError") public let CBLErrorWebSocketPolicyError = CBLError.webSocketPolicyError
@available(*, deprecated, renamed: "CBLError.webSocketMessageTooBig")
public let CBLErrorWebSocketMessageTooBig = CBLError.webSocketMessageTooBig
@available(*, deprecated, renamed: "CBLError.webSocketMissingExtension")
public let CBLErrorWebSocketMissingExtension = CBLError.webSocketMissingExtension
@available(*, deprecated, renamed: "CBLError.webSocketCantFulfill") public let CBLErrorWebSocketCantFulfill = CBLError.webSocketCantFulfill
@available(*, deprecated, renamed: "CBLError.webSocketCloseUserTransient")
public let CBLErrorWebSocketCloseUserTransient = CBLError.webSocketCloseUserTransient
@available(*, deprecated, renamed: "CBLError.webSocketCloseUserPermanent")
public let CBLErrorWebSocketCloseUserPermanent = CBLError.webSocketCloseUserPermanent
