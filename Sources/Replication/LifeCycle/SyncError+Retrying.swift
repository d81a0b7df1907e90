package import SyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Which errors are worth another attempt (Replication 4.11).
///
/// HTTP 500 counts as transient, as the public API has it (API 11). The close code 1001 does not: who says so has been stopped.
extension SyncError {
    /// Whether it may pass of itself.
    package var isTransient: Bool {
        switch domain {
        case .http, .webSocket: [408, 429, 500, 502, 503, 504, 1006, 4001].contains(code)
        case .posix: Self.transientSystemErrors.contains(Int32(truncatingIfNeeded: code))
        case .network:
            [NetworkCode.dnsFailure, .timeout, .reset, .aborted, .connectionReset, .refused].contains {
                $0.rawValue == code
            }
        case .blip, .liteCore, .sqlite, .fleece, .tls: false
        }
    }

    /// Whether it may pass when the device gets into another network.
    package var isNetworkDependent: Bool {
        switch domain {
        case .posix: Self.networkSystemErrors.contains(Int32(truncatingIfNeeded: code))
        case .network: NetworkCode(rawValue: code)?.dependsOnNetwork ?? false
        case .http, .webSocket, .blip, .liteCore, .sqlite, .fleece, .tls: false
        }
    }

    private static let transientSystemErrors: Set<Int32> = [
        ENETRESET, ECONNABORTED, ECONNRESET, ETIMEDOUT, ECONNREFUSED,
    ]

    private static let networkSystemErrors: Set<Int32> = [
        ENETDOWN, ENETUNREACH, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL, EPIPE,
    ]
}

extension NetworkCode {
    fileprivate var dependsOnNetwork: Bool {
        switch self {
        case .dnsFailure, .unknownHost, .timeout, .networkDown, .networkUnreachable, .notConnected, .hostDown,
            .hostUnreachable, .addressNotAvailable, .brokenPipe, .unknownInterface:
            true
        case .invalidURL, .tooManyRedirects, .tlsHandshakeFailed, .certificateExpired, .certificateUntrusted,
            .clientCertificateRequired, .clientCertificateRejected, .certificateUnknownRoot, .invalidRedirect, .unknown,
            .certificateRevoked, .certificateNameMismatch, .reset, .aborted, .connectionReset, .refused:
            false
        }
    }
}
