#if Replication
package import Foundation
package import Replication
package import SyncCore
import Synchronization
package import Transport

/// Creates WebSocket channels to a server.
package final class WebSocketChannelFactory: ChannelFactory {
    private let url: URL
    private let acceptsParentDomainCookies: Bool
    private let configuration: @Sendable (EndpointURL) throws -> ClientConfiguration
    /// Shared by all connections, so that session cookies stay in memory as long as the replicator exists.
    private let cookies = Mutex<CookieStore?>(nil)

    /// - Parameters:
    ///   - url: The URL of the endpoint, which may be invalid.
    ///   - acceptsParentDomainCookies: Whether cookies for a parent domain of the server are stored.
    ///   - configuration: Returns the configuration of a new connection to a URL, without cookies.
    package init(
        _ url: URL,
        acceptsParentDomainCookies: Bool,
        configuration: @escaping @Sendable (EndpointURL) throws -> ClientConfiguration
    ) {
        self.url = url
        self.acceptsParentDomainCookies = acceptsParentDomainCookies
        self.configuration = configuration
    }

    package var logName: String { (try? EndpointURL(endpoint: url.absoluteString))?.withoutQuery ?? "an invalid URL" }

    package var remote: String {
        get throws { try EndpointURL(endpoint: url.absoluteString).effective.string }
    }

    package func channel(
        _ replica: ReplicaDatabase,
        offering subprotocols: [String],
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel {
        var client = try configuration(EndpointURL(endpoint: url.absoluteString).effective)
        client.subprotocols = subprotocols
        client.cookies = try cookieStore(replica)
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
                acceptsParentDomain: acceptsParentDomainCookies,
                // Errors are ignored: the server can set a cookie again, so the connection need not fail.
                save: { try? replica.setCookies($0) }
            )
            cookies = store
            return store
        }
    }
}

extension URL {
    /// The URL with the scheme `ws` in place of `blip`, and `wss` in place of `blips`.
    package var withWebSocketScheme: URL {
        let schemes = ["blip": "ws", "blips": "wss"]
        guard let scheme = scheme.flatMap({ schemes[$0.lowercased()] }),
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        else { return self }
        parts.scheme = scheme
        return parts.url ?? self
    }
}
#endif
