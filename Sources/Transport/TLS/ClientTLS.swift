#if Replication
import SyncCore
import NIOCore
import NIOSSL

/// How a client speaks TLS: 1.2 or newer (Replication 1.5).
package struct ClientTLS: Sendable {
    package var trust = ServerTrust.system
    /// What the client shows of itself when the server asks.
    package var identity: TLSIdentityData?
    /// Gets the server's own certificate, DER, whether it is trusted or not. Called on any thread.
    package var onServerCertificate: (@Sendable ([UInt8]) -> Void)?

    package init() {}

    /// What every connection with these settings shares.
    ///
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), when the identity is of no use.
    func makeContext() throws(SyncError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The verdict is ours, see `TLSPeer`; so the library need not load the system's authorities.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.shutdownTimeout = .seconds(1)
        if let identity {
            configuration.certificateChain = try identity.certificateSources()
            configuration.privateKey = try identity.keySource()
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw SyncError(.liteCore, 22, "TLS cannot be set up: \(TLSFailure.words(error))")
        }
    }

    /// Adds TLS at the end of a channel's pipeline. Must be called on its event loop.
    func add(to channel: any Channel, context: NIOSSLContext, host: String, peer: TLSPeer) throws {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let (trust, onServerCertificate) = (trust, onServerCertificate)
        let handler = try NIOSSLClientHandler(
            context: context,
            serverHostname: isAddress ? nil : host,
            customVerificationCallback: peer.verification { chain in
                if let leaf = chain.first { onServerCertificate?(leaf) }
                return await trust.failure(of: chain, host: host)
            }
        )
        try channel.pipeline.syncOperations.addHandlers(handler, TLSErrorHandler(peer))
    }
}
#endif
