#if Replication
import SyncCore
import NIOSSL

/// Converts the errors of the TLS library.
enum TLSFailure {
    /// Runs `body`, and converts its error.
    ///
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), with `what` and the text of the error as its message.
    static func convert<Value>(_ what: String, _ body: () throws -> Value) throws(SyncError) -> Value {
        do {
            return try body()
        } catch {
            throw SyncError(engine: .crypto, "\(what): \(text(of: error))")
        }
    }

    /// Returns the error in the terms of the protocol, or `nil` if it is not a TLS error.
    static func error(of error: any Error) -> SyncError? {
        switch error {
        case NIOSSLError.handshakeFailed(let inner), let inner as BoringSSLError:
            return stack(of: inner).map { failure(forTexts: $0.map(\.description)) } ?? failed(text(of: inner))
        case let error as NIOSSLExtraError where error == .invalidSNIHostname:
            return SyncError(network: .invalidURL, "the host name is not valid in a certificate")
        case is NIOSSLError, is NIOSSLExtraError: return failed(text(of: error))
        default: return nil
        }
    }

    /// Returns the text of an error for a message, without the error numbers and source paths that the TLS library adds to it.
    static func text(of error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(let inner), NIOSSLError.shutdownFailed(let inner), let inner as BoringSSLError:
            guard let stack = Self.stack(of: inner), !stack.isEmpty else { return plain("\(inner)") }
            return stack.map { plain($0.description) }.joined(separator: "; ")
        default: return plain("\(error)")
        }
    }

    private static func stack(of error: BoringSSLError) -> NIOBoringSSLErrorStack? {
        switch error {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack), .failedToSetALPN(let stack): stack
        default: nil
        }
    }

    /// Returns the plain text of a library error: `Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at
    /// /a/path/to/file.cc:230` becomes `wrong version number`. Other texts only lose the prefix `Error:`.
    static func plain(_ text: String) -> String {
        guard let routine = text.firstRange(of: "OPENSSL_internal:") else {
            let rest = text.hasPrefix("Error:") ? text.dropFirst("Error:".count) : text[...]
            return String(rest).trimmingBlanks()
        }
        let name = text[routine.upperBound...].prefix { $0 != " " && $0 != "," && $0 != "]" }
        return name.replacing("_", with: " ").lowercased()
    }

    /// Returns the error for the texts of an error stack. The peer's alerts can only be distinguished by their names in these texts.
    private static func failure(forTexts texts: [String]) -> SyncError {
        let text = texts.joined(separator: "; ")
        func has(_ names: String...) -> Bool { names.contains { text.contains($0) } }
        if has("CERTIFICATE_REQUIRED", "PEER_DID_NOT_RETURN_A_CERTIFICATE") {
            return SyncError(network: .tlsClientCertRequired, "the peer requires a client certificate, and none is configured")
        }
        let rejections = [
            "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "CERTIFICATE_REVOKED", "CERTIFICATE_EXPIRED", "CERTIFICATE_UNKNOWN", "UNKNOWN_CA",
            "ACCESS_DENIED",
        ]
        if rejections.contains(where: { text.contains("ALERT_" + $0) }) {
            return SyncError(network: .tlsClientCertRejected, "the peer rejected the client certificate")
        }
        // The data of the other side is not TLS.
        if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST") {
            return failed("the server does not use TLS on this port; use ws:// in the URL to connect without TLS")
        }
        return failed(texts.map(plain).joined(separator: "; "))
    }

    private static func failed(_ text: String) -> SyncError { SyncError(network: .tlsHandshakeFailed, "TLS failed: \(text)") }
}
#endif
