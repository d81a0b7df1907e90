#if Replication
import Dispatch
import Foundation
import NIOSSL
import SyncCore
import X509

/// The TLS settings of a listener. TLS 1.2 or newer is required (Replication 1.5).
package struct ListenerTLS: Sendable {
    /// The requirement for client certificates, in addition to the password.
    package enum ClientCertificates: Sendable {
        /// No certificate is requested.
        case none
        /// A certificate issued by one of these authorities, or one of these certificates, is required.
        case roots([CertificateInfo])
        /// A certificate that the closure accepts is required. The closure receives the client's chain in DER form and is called on the
        /// listener's queue.
        case accepted(@Sendable ([[UInt8]]) -> Bool)
    }

    /// The certificate that clients see, and its private key.
    package var identity: TLSIdentityData
    /// What is required of certificates of clients; none by default.
    package var clientCertificates = ClientCertificates.none

    /// Creates settings that request no certificates of clients.
    package init(identity: TLSIdentityData) { self.identity = identity }

    /// Creates the context that all connections share. Fails if the identity is invalid.
    func makeContext() throws(SyncError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try identity.certificateSources(),
            privateKey: try identity.keySource()
        )
        if case .none = clientCertificates {
            configuration.certificateVerification = .none
        } else {
            configuration.certificateVerification = .noHostnameVerification
        }
        return try configuration.makeContext()
    }

    /// Returns the TLS handler for one connection. The app's closure is called on `queue`.
    func makeHandler(_ context: NIOSSLContext, peer: TLSPeer, queue: DispatchQueue) -> NIOSSLServerHandler {
        let validate: @Sendable ([[UInt8]]) async -> SyncError?
        switch clientCertificates {
        case .none: return NIOSSLServerHandler(context: context)
        case .roots(let roots): validate = { await Self.failure(of: $0, roots: roots) }
        case .accepted(let accepts):
            validate = { chain in
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: accepts(chain) ? nil : Self.rejected) }
                }
            }
        }
        return NIOSSLServerHandler(context: context, customVerificationCallback: peer.verification(validate))
    }

    private static let rejected = SyncError(network: .tlsClientCertRejected, "the client's certificate is not accepted")

    private static func failure(of chain: [[UInt8]], roots: [CertificateInfo]) async -> SyncError? {
        guard let certificates = CertificateInfo.chain(chain), let leaf = certificates.first else { return rejected }
        if roots.contains(leaf) { return leaf.isExpired(at: Date()) ? rejected : nil }
        let store = CertificateStore(roots.map(\.certificate))
        let result = await ServerTrust.validate(certificates, roots: store, purpose: .clientAuth, names: IgnoringPolicy.anyName)
        if case .validCertificate = result { return nil }
        return rejected
    }
}
#endif
