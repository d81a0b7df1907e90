#if Replication
import ExactStrings
import Replication
import SyncCore
import SyncRuntime
import Synchronization
import Transport

/// Creates WebSocket channels to a server.
final class WebSocketChannelFactory: ChannelFactory {
    private let url: URL
    // Safe because it is the replicator's private copy, which is never changed.
    nonisolated(unsafe) private let configuration: ReplicatorConfiguration
    /// Shared by all connections, so that session cookies stay in memory as long as the replicator exists.
    private let cookies = Mutex<CookieStore?>(nil)

    init(_ endpoint: URLEndpoint, _ configuration: ReplicatorConfiguration) {
        url = endpoint.url
        self.configuration = configuration
    }

    var logName: String { (try? EndpointURL(endpoint: url.absoluteString))?.withoutQuery ?? "an invalid URL" }

    var remote: String {
        get throws { try EndpointURL(endpoint: url.absoluteString).effective.string }
    }

    func channel(_ replica: ReplicaDatabase, certificateSeen: @escaping @Sendable ([UInt8]) -> Void) throws -> any FrameChannel {
        let url = try EndpointURL(endpoint: url.absoluteString).effective
        var client = ClientConfiguration(url: url, subprotocols: Subprotocol.all)
        client.headers = (configuration.headers ?? [:]).sorted { $0.key.isOrderedBefore($1.key) }.map {
            ($0.key, $0.value)
        }
        client.networkInterface = configuration.networkInterface
        client.proxy = configuration.proxy.map(ProxyConfiguration.init)
        client.asksForLastSequence = configuration.estimatesProgress && configuration.replicatorType.pulls
        client.cookies = try cookieStore(replica)
        if configuration.heartbeat > 0 { client.webSocket.heartbeat = configuration.heartbeat }
        switch configuration.authenticator {
        case let basic as BasicAuthenticator:
            client.authentication = .basic(BasicCredentials(username: basic.username, password: basic.password))
        case let session as SessionAuthenticator:
            client.authentication = .session(id: session.sessionID, cookieName: session.cookieName)
        case let certificate as ClientCertificateAuthenticator:
            client.tls.identity = certificate.identity.data
        default: break
        }
        client.tls.trust = try configuration.trust
        client.tls.onServerCertificate = certificateSeen
        return WebSocketClientChannel(client)
    }

    /// Returns the cookies of the database (Replication 1.3).
    private func cookieStore(_ replica: ReplicaDatabase) throws -> CookieStore {
        let encoded = try replica.cookies() ?? []
        return cookies.withLock { cookies in
            if let cookies { return cookies }
            let store = CookieStore(
                encoded: encoded,
                acceptsParentDomain: configuration.acceptParentDomainCookie,
                // Errors are ignored: the server can set a cookie again, so the connection need not fail.
                save: { try? replica.setCookies($0) }
            )
            cookies = store
            return store
        }
    }
}

extension ReplicatorConfiguration {
    /// The verification of server certificates.
    ///
    /// - Throws: `crypto` if a certificate of the configuration cannot be read.
    fileprivate var trust: ServerTrust {
        get throws {
            try ServerTrust(
                pinned: pinnedServerCertificate?.der,
                selfSignedOnly: acceptOnlySelfSignedServerCertificate,
                roots: (trustedRootCertificates ?? []).map(\.der)
            )
        }
    }
}
#endif
