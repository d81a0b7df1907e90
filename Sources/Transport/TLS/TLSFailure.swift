#if Replication
    import BLIP
    import NIOSSL

    /// What the errors of the TLS library mean.
    enum TLSFailure {
        /// The error in the terms of the protocol; nil for errors that are not of TLS.
        static func error(of error: any Error) -> SyncError? {
            switch error {
            case NIOSSLError.handshakeFailed(let inner), let inner as BoringSSLError:
                switch inner {
                case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack),
                    .failedToSetALPN(let stack):
                    return meaning(of: stack.map(\.description))
                default:
                    return failed("\(inner)")
                }
            case let error as NIOSSLExtraError where error == .invalidSNIHostname:
                return SyncError(network: .invalidURL, "the host name is none that a certificate can name")
            case is NIOSSLError, is NIOSSLExtraError:
                return failed("\(error)")
            default:
                return nil
            }
        }

        /// The peer's alerts are known by their names in the library's messages, the only place that tells them apart.
        private static func meaning(of texts: [String]) -> SyncError {
            let text = texts.joined(separator: "; ")
            func has(_ names: String...) -> Bool { names.contains { text.contains($0) } }
            if has("CERTIFICATE_REQUIRED", "PEER_DID_NOT_RETURN_A_CERTIFICATE") {
                return SyncError(
                    network: .clientCertificateRequired,
                    "the peer demands a certificate of this side, and none is configured"
                )
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
                return SyncError(
                    network: .clientCertificateRejected,
                    "the peer does not accept the certificate of this side"
                )
            }
            return failed(text)
        }

        private static func failed(_ text: String) -> SyncError {
            SyncError(network: .tlsHandshakeFailed, "TLS failed: \(text)")
        }
    }
#endif
