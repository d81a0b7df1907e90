#if Replication
import Foundation
package import SyncCore

/// Encodes the requests of a client (Replication 1.2, 1.6).
package struct ClientRequest {
    /// Fields that the handshake itself sets. An app's fields of these names are ignored. Extensions are included because the client
    /// supports none.
    private static let reserved = [
        "Host", "Connection", "Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "Content-Length", "Transfer-Encoding",
    ]

    let configuration: ClientConfiguration

    /// Creates the encoder of the requests of one client.
    package init(configuration: ClientConfiguration) { self.configuration = configuration }

    /// Returns the request to upgrade to a WebSocket.
    ///
    /// - Parameters:
    ///   - url: The URL of this request. After a redirect it differs from the configuration's URL.
    ///   - key: The key of the handshake.
    ///   - sendsCredentials: `false` after a redirect to another scheme, host or port. The request then contains no user's credentials,
    ///     cookies or fields of the app, because all of them may be secret.
    /// - Throws: ``SyncError``, LiteCore 9 (invalid parameter), if a header field of the app is invalid.
    package func upgrade(to url: EndpointURL, key: String, sendsCredentials: Bool) throws(SyncError) -> [UInt8] {
        var fields = HTTPFields([("Host", url.hostField), ("User-Agent", configuration.userAgent)])
        if sendsCredentials {
            for (name, value) in credentialFields(for: url) { fields.set(name, value) }
        }
        fields.append("Connection", "Upgrade")
        fields.append("Upgrade", "websocket")
        fields.append("Sec-WebSocket-Version", "13")
        fields.append("Sec-WebSocket-Key", key)
        fields.append("Sec-WebSocket-Protocol", configuration.subprotocols.joined(separator: ","))
        return try encode(HTTPRequestHead(method: "GET", target: url.target, fields: fields))
    }

    /// Returns the fields that may be secret: the user's credentials, cookies, and the fields of the app, which replace the others.
    func credentialFields(for url: EndpointURL) -> [(name: String, value: String)] {
        var fields = HTTPFields()
        if case .basic(let credentials) = configuration.authentication {
            fields.append("Authorization", credentials.fieldValue)
        }
        let extra = configuration.headers.filter { header in !Self.reserved.contains { $0.isEqualIgnoringCase(to: header.name) } }
        if let cookie = self.cookie(for: url, extra) { fields.append("Cookie", cookie) }
        for (name, value) in extra where !name.isEqualIgnoringCase(to: "Cookie") { fields.set(name, value) }
        return fields.pairs
    }

    /// Returns the request for a tunnel through a proxy.
    func tunnel(to url: EndpointURL, through proxy: ProxyConfiguration) throws(SyncError) -> [UInt8] {
        let authority = "\(url.bracketedHost):\(url.port)"
        var fields = HTTPFields([("Host", authority), ("User-Agent", configuration.userAgent)])
        if let credentials = proxy.credentials { fields.append("Proxy-Authorization", credentials.fieldValue) }
        return try encode(HTTPRequestHead(method: "CONNECT", target: authority, fields: fields))
    }

    /// Returns all cookies as one field: the stored cookies, the session's, and the app's. `nil` if there is none.
    private func cookie(for url: EndpointURL, _ extra: [(name: String, value: String)]) -> String? {
        var session: (id: String, name: String)?
        if case .session(let id, let name) = configuration.authentication { session = (id, name) }
        var cookies: [String] = []
        // The app's session replaces a stored cookie of the same name, which is older.
        if let stored = configuration.cookies?.header(for: url, excluding: session?.name) { cookies.append(stored) }
        if let session { cookies.append("\(session.name)=\(session.id)") }
        cookies += extra.filter { $0.name.isEqualIgnoringCase(to: "Cookie") && !$0.value.isEmpty }.map(\.value)
        return cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    }

    private func encode(_ head: HTTPRequestHead) throws(SyncError) -> [UInt8] {
        do throws(HTTPSyntaxError) {
            return try head.encoded()
        } catch {
            throw SyncError(engine: .invalidParameter, "the request is invalid: \(error)")
        }
    }
}

/// Reads the last sequence of a database from a Sync Gateway: the response to `GET /db/` is an object with `update_seq`, for every user who
/// may log in. The sync protocol has no message for it.
package enum LastSequence {
    /// The timeout for connecting and receiving the response, in seconds. It begins after the handshake.
    static let timeout: Double = 2

    private struct Information: Decodable {
        let sequence: UInt64

        private enum CodingKeys: String, CodingKey {
            case sequence = "update_seq"
        }
    }

    /// Returns the last sequence in a response, or `nil` if it does not describe a database.
    package static func value(in response: HTTPResponse) -> UInt64? {
        guard response.head.status == 200 else { return nil }
        return try? JSONDecoder().decode(Information.self, from: Data(response.body)).sequence
    }
}

extension ClientRequest {
    /// Returns the request for the description of a database, with the same credentials as ``upgrade(to:key:sendsCredentials:)``. `nil` if
    /// the credentials must not be sent on this route, or the request is invalid.
    func lastSequence(at route: ClientRoute) -> [UInt8]? {
        guard route.sendsCredentials, route.url.path.hasSuffix(EndpointURL.syncPath) else { return nil }
        let path = route.url.path.dropLast(EndpointURL.syncPath.utf8.count)
        var fields = HTTPFields([("Host", route.url.hostField), ("User-Agent", configuration.userAgent)])
        for (name, value) in credentialFields(for: route.url) { fields.set(name, value) }
        fields.set("Accept", "application/json")
        fields.set("Connection", "close")
        return try? HTTPRequestHead(method: "GET", target: path + "/", fields: fields).encoded()
    }
}
#endif
