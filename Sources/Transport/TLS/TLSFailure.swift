#if Replication
import SyncCore
import NIOSSL

/// What the errors of the TLS library mean.
enum TLSFailure {
    /// The error in the terms of the protocol; nil for errors that are not of TLS.
    static func error(of error: any Error) -> SyncError? {
        switch error {
        case NIOSSLError.handshakeFailed(let inner), let inner as BoringSSLError:
            return stack(of: inner).map { meaning(of: $0.map(\.description)) } ?? failed(words(inner))
        case let error as NIOSSLExtraError where error == .invalidSNIHostname:
            return SyncError(network: .invalidURL, "the host name is none that a certificate can name")
        case is NIOSSLError, is NIOSSLExtraError:
            return failed(words(error))
        default:
            return nil
        }
    }

    /// An error in words, for a message: without what the TLS library puts before and behind its own, numbers and the paths of the machine
    /// that it was built on.
    static func words(_ error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(let inner), NIOSSLError.shutdownFailed(let inner),
            let inner as BoringSSLError:
            guard let stack = stack(of: inner), !stack.isEmpty else { return plain("\(inner)") }
            return stack.map { plain($0.description) }.joined(separator: "; ")
        default:
            return plain("\(error)")
        }
    }

    private static func stack(of error: BoringSSLError) -> NIOBoringSSLErrorStack? {
        switch error {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack),
            .failedToSetALPN(let stack):
            stack
        default:
            nil
        }
    }

    /// `Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /a/path/to/file.cc:230` becomes
    /// `wrong version number`; what is not of this form stays as it is.
    static func plain(_ text: String) -> String {
        guard let routine = text.firstRange(of: "OPENSSL_internal:") else {
            let rest = text.hasPrefix("Error:") ? text.dropFirst("Error:".count) : text[...]
            return String(rest).trimmingBlanks()
        }
        let name = text[routine.upperBound...].prefix { $0 != " " && $0 != "," && $0 != "]" }
        return name.replacing("_", with: " ").lowercased()
    }

    /// The peer's alerts are known by their names in the library's messages, the only place that tells them apart.
    private static func meaning(of texts: [String]) -> SyncError {
        let text = texts.joined(separator: "; ")
        func has(_ names: String...) -> Bool { names.contains { text.contains($0) } }
        if has("CERTIFICATE_REQUIRED", "PEER_DID_NOT_RETURN_A_CERTIFICATE") {
            return SyncError(network: .clientCertificateRequired, "the peer demands a certificate of this side, and none is configured")
        }
        if has(
            "ALERT_BAD_CERTIFICATE",
            "ALERT_UNSUPPORTED_CERTIFICATE",
            "ALERT_CERTIFICATE_REVOKED",
            "ALERT_CERTIFICATE_EXPIRED",
            "ALERT_CERTIFICATE_UNKNOWN",
            "ALERT_UNKNOWN_CA",
            "ALERT_ACCESS_DENIED"
        ) {
            return SyncError(network: .clientCertificateRejected, "the peer does not accept the certificate of this side")
        }
        // What comes from the other side does not look like TLS at all.
        if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST") {
            return failed("the other side does not speak TLS at this port; a URL without TLS begins with ws://")
        }
        return failed(texts.map(plain).joined(separator: "; "))
    }

    private static func failed(_ text: String) -> SyncError {
        SyncError(network: .tlsHandshakeFailed, "TLS failed: \(text)")
    }
}
#endif
