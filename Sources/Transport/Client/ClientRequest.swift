#if Replication
package import SyncCore

/// Writes the requests of a client (Replication 1.2, 1.6).
package struct ClientRequest {
    /// Set by the handshake itself; an app's fields of these names are left out. Extensions would have to be understood.
    private static let reserved = [
        "Host", "Connection", "Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "Content-Length", "Transfer-Encoding",
    ]

    let configuration: ClientConfiguration

    package init(configuration: ClientConfiguration) {
        self.configuration = configuration
    }

    /// The request that asks for a WebSocket.
    ///
    /// - Parameters:
    ///   - url: Where this request goes; after a redirect another than the configuration's.
    ///   - key: The key of the handshake.
    ///   - sendsCredentials: False after a redirect to another scheme, host or port: then neither the user's credentials go along, nor
    ///     cookies, nor fields of the app's, in any of which there may be secrets.
    /// - Throws: ``SyncError``, LiteCore 9 (invalid parameter), when a header of the app cannot be sent.
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

    /// The fields in which there may be secrets: the user's credentials, cookies, and those of the app, which win over the others.
    func credentialFields(for url: EndpointURL) -> [(name: String, value: String)] {
        var fields = HTTPFields()
        if case .basic(let credentials) = configuration.authentication {
            fields.append("Authorization", credentials.fieldValue)
        }
        let extra = configuration.headers.filter { name, _ in
            !Self.reserved.contains { $0.isEqualIgnoringCase(to: name) }
        }
        if let cookie = cookie(for: url, extra) { fields.append("Cookie", cookie) }
        for (name, value) in extra where !name.isEqualIgnoringCase(to: "Cookie") { fields.set(name, value) }
        return fields.pairs
    }

    /// The request that asks a proxy for a way through.
    ///
    /// - Throws: As ``upgrade(to:key:sendsCredentials:)``.
    func tunnel(to url: EndpointURL, through proxy: ProxyConfiguration) throws(SyncError) -> [UInt8] {
        let authority = "\(url.bracketedHost):\(url.port)"
        var fields = HTTPFields([("Host", authority), ("User-Agent", configuration.userAgent)])
        if let credentials = proxy.credentials { fields.append("Proxy-Authorization", credentials.fieldValue) }
        return try encode(HTTPRequestHead(method: "CONNECT", target: authority, fields: fields))
    }

    /// All cookies as one field: stored ones, that of the session, and the app's.
    private func cookie(for url: EndpointURL, _ extra: [(name: String, value: String)]) -> String? {
        var session: (id: String, name: String)?
        if case .session(let id, let name) = configuration.authentication { session = (id, name) }
        var cookies: [String] = []
        // The app's session is newer than one of that name from an earlier time.
        if let stored = configuration.cookies?.header(for: url, excluding: session?.name) { cookies.append(stored) }
        if let session { cookies.append("\(session.name)=\(session.id)") }
        cookies += extra.filter { $0.name.isEqualIgnoringCase(to: "Cookie") && !$0.value.isEmpty }.map(\.value)
        return cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    }

    private func encode(_ head: HTTPRequestHead) throws(SyncError) -> [UInt8] {
        do throws(HTTPSyntaxError) {
            return try head.encoded()
        } catch {
            throw SyncError(.liteCore, 9, "the request cannot be sent: \(error)")
        }
    }
}
#endif
