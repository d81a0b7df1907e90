import CLibrary
package import SyncCore

/// The classification of errors for retries (Replication 4.11).
///
/// HTTP 500 counts as transient, as in the public API (API 11). Close code 1001 does not, because a peer that sends it was stopped.
extension SyncError {
    /// Whether the error may disappear by itself.
    package var isTransient: Bool {
        switch domain {
        case .http, .webSocket: [408, 429, 500, 502, 503, 504, CloseCode.abnormal.rawValue, CloseCode.retry.rawValue].contains(code)
        case .posix: Self.transientSystemErrors.contains(Int32(truncatingIfNeeded: code))
        case .network: Self.transientNetworkErrors.contains { $0.rawValue == code }
        case .blip, .liteCore, .sqlite, .fleece, .tls: false
        }
    }

    /// Whether the error may disappear when the device changes to another network.
    package var isNetworkDependent: Bool {
        switch domain {
        case .posix: Self.networkSystemErrors.contains(Int32(truncatingIfNeeded: code))
        case .network: Self.localNetworkErrors.contains { $0.rawValue == code }
        case .http, .webSocket, .blip, .liteCore, .sqlite, .fleece, .tls: false
        }
    }

    private static let transientSystemErrors: Set<Int32> = [ENETRESET, ECONNABORTED, ECONNRESET, ETIMEDOUT, ECONNREFUSED]

    private static let networkSystemErrors: Set<Int32> = [
        ENETDOWN, ENETUNREACH, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL, EPIPE,
    ]

    private static let transientNetworkErrors: [NetworkCode] = [.dnsFailure, .timeout, .reset, .aborted, .connectionReset, .refused]

    private static let localNetworkErrors: [NetworkCode] = [
        .dnsFailure, .unknownHost, .timeout, .networkDown, .networkUnreachable, .notConnected, .hostDown, .hostUnreachable,
        .addressNotAvailable, .brokenPipe, .unknownInterface,
    ]
}
