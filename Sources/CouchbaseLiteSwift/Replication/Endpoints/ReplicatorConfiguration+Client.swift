#if Replication
import ExactStrings
import SyncRuntime
import Transport

extension ReplicatorConfiguration {
    /// Returns the factory for connections to a server. The configuration must be the private copy of a replicator.
    func webSocketFactory(for endpoint: URLEndpoint) -> WebSocketChannelFactory {
        // Safe because the copy is never changed.
        nonisolated(unsafe) let configuration = self
        return WebSocketChannelFactory(endpoint.url, acceptsParentDomainCookies: acceptParentDomainCookie) {
            try configuration.client(for: $0)
        }
    }

    /// Returns the configuration of a connection, without cookies.
    ///
    /// - Throws: `crypto` if a certificate of the configuration cannot be read.
    private func client(for url: EndpointURL) throws -> ClientConfiguration {
        var client = ClientConfiguration(url: url, subprotocols: Subprotocol.all)
        client.headers = (headers ?? [:]).sorted { $0.key.isOrderedBefore($1.key) }.map { ($0.key, $0.value) }
        client.networkInterface = networkInterface
        client.proxy = proxy.map {
            ProxyConfiguration(isSecure: $0.kind == .https, host: $0.host, port: $0.port, username: $0.username, password: $0.password)
        }
        client.asksForLastSequence = estimatesProgress && replicatorType.pulls
        if heartbeat > 0 { client.webSocket.heartbeat = heartbeat }
        switch authenticator {
        case let basic as BasicAuthenticator:
            client.authentication = .basic(BasicCredentials(username: basic.username, password: basic.password))
        case let session as SessionAuthenticator:
            client.authentication = .session(id: session.sessionID, cookieName: session.cookieName)
        case let certificate as ClientCertificateAuthenticator:
            client.tls.identity = certificate.identity.data
        default: break
        }
        client.tls.trust = try ServerTrust(
            pinned: pinnedServerCertificate?.der,
            selfSignedOnly: acceptOnlySelfSignedServerCertificate,
            roots: (trustedRootCertificates ?? []).map(\.der)
        )
        return client
    }
}
#endif
