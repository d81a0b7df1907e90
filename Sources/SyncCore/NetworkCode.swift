/// The error codes of the domain `Network` (Replication 4.11).
package enum NetworkCode: Int, Sendable {
    case dnsFailure = 1
    case unknownHost
    case timeout
    case invalidURL
    case tooManyRedirects
    case tlsHandshakeFailed
    case certificateExpired
    case certificateUntrusted
    case clientCertificateRequired
    case clientCertificateRejected
    case certificateUnknownRoot
    case invalidRedirect
    case unknown
    case certificateRevoked
    case certificateNameMismatch
    case reset
    case aborted
    case connectionReset
    case refused
    case networkDown
    case networkUnreachable
    case notConnected
    case hostDown
    case hostUnreachable
    case addressNotAvailable
    case brokenPipe
    case unknownInterface
}

extension SyncError {
    /// Creates an error of the domain ``Domain/network``.
    package init(network code: NetworkCode, _ message: String = "") {
        self.init(.network, code.rawValue, message)
    }
}
