#if Replication
import SyncCore
package import NIOCore
import NIOSSL

/// The TLS settings of a client. TLS 1.2 or newer is required (Replication 1.5).
package struct ClientTLS: Sendable {
    /// What makes the server's certificate trusted; by default an authority that the system trusts.
    package var trust = ServerTrust.system
    /// The client certificate and key, sent if the server requests one.
    package var identity: TLSIdentityData?
    /// Receives the server's leaf certificate in DER form, whether it is trusted or not. Called on any thread.
    package var onServerCertificate: (@Sendable ([UInt8]) -> Void)?

    package init() {}

    /// Creates the context that all connections with these settings share. Fails if the identity is invalid.
    func makeContext() throws(SyncError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .noHostnameVerification
        if let identity {
            configuration.certificateChain = try identity.certificateSources()
            configuration.privateKey = try identity.keySource()
        }
        return try configuration.makeContext()
    }

    /// Adds TLS at the end of a channel's pipeline. Must be called on the channel's event loop. Reads the identity, if there is one.
    ///
    /// - Parameters:
    ///   - host: The host name or IP address of the server.
    ///   - peer: Receives the certificates of the server, and the error that ends the handshake.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the identity is invalid; an error if the host name cannot be in a certificate, or the
    ///   channel is closed.
    package func add(to channel: any Channel, host: String, peer: TLSPeer) throws {
        try add(to: channel, context: try makeContext(), host: host, peer: peer)
    }

    /// Adds TLS with a context that was made before, as ``add(to:host:peer:)`` does.
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

extension TLSConfiguration {
    /// Creates a context with these settings and those that clients and listeners have in common.
    func makeContext() throws(SyncError) -> NIOSSLContext {
        var configuration = self
        configuration.minimumTLSVersion = .tlsv12
        // Certificates are validated by `TLSPeer`, so the library need not load the system's authorities.
        configuration.trustRoots = .certificates([])
        configuration.shutdownTimeout = .seconds(1)
        return try TLSFailure.convert("TLS cannot be set up") { try NIOSSLContext(configuration: configuration) }
    }
}
#endif
