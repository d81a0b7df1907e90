#if Replication
package import SyncCore

/// The address of a database to sync with (Replication 1.1).
package struct EndpointURL: Sendable, Hashable {
    package var isSecure: Bool
    /// The name or the address, without the brackets of IPv6.
    package var host: String
    /// Nil for 80 or 443.
    package var explicitPort: Int?
    /// The path with its leading slash, percent-encoded as given, and the query if there is one.
    package var target: String

    /// The path part of what a database is served under.
    package static let syncPath = "/_blipsync"

    package var port: Int { explicitPort ?? (isSecure ? 443 : 80) }

    /// The host as URLs and `Host` spell it.
    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The value of `Host`: with the port unless it is the usual one of either scheme.
    package var hostField: String { port == 80 || port == 443 ? bracketedHost : "\(bracketedHost):\(port)" }

    /// Whether both are of the same server: scheme, host and port (RFC 6454, 4).
    func isOfSameOrigin(as other: EndpointURL) -> Bool {
        isSecure == other.isSecure && port == other.port && host.isEqualIgnoringCase(to: other.host)
    }

    /// The path alone.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The whole as a URL with `ws` or `wss`; the port only if it was given.
    package var string: String {
        "\(isSecure ? "wss" : "ws")://\(bracketedHost)\(explicitPort.map { ":\($0)" } ?? "")\(target)"
    }

    /// The same for people, without what may be secret.
    package var withoutQuery: String {
        var url = self
        url.target = path
        return url.string
    }

    /// What is connected to, and what a checkpoint is for (Replication 4.2): the path with `/_blipsync` after it.
    package var effective: EndpointURL {
        var url = self
        let path = self.path
        url.target = (path.hasSuffix("/") ? String(path.dropLast()) : path) + Self.syncPath
        return url
    }

    /// Reads the URL of an endpoint: `ws`, `wss`, `blip` or `blips`, a host, and a path that ends in a database name.
    ///
    /// - Throws: ``SyncError``, network 4 (invalid URL), which says what is wrong.
    package init(endpoint text: String) throws(SyncError) {
        try self.init(text, schemes: ["ws": false, "wss": true, "blip": false, "blips": true])
        guard let name = path.split(separator: "/").last, name.utf8.count <= 239 else { throw Self.invalid(text, "it names no database") }
    }

    /// Reads a URL of HTTP, as it stands in `Location`.
    ///
    /// - Throws: As ``init(endpoint:)``.
    init(redirect text: String) throws(SyncError) {
        try self.init(text, schemes: ["http": false, "https": true])
    }

    private init(_ text: String, schemes: [String: Bool]) throws(SyncError) {
        guard let schemeEnd = text.firstRange(of: "://") else { throw Self.invalid(text, "it has no scheme") }
        guard let isSecure = schemes[text[..<schemeEnd.lowerBound].asciiLowercased] else {
            throw Self.invalid(text, "its scheme is not one of \(schemes.keys.sorted().joined(separator: ", "))")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.invalid(text, "it holds a character that must be percent-encoded")
        }
        let rest = text[schemeEnd.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw Self.invalid(text, "it holds a user name") }
        let (host, port) = try Self.split(authority, of: text)
        let target = rest[authority.endIndex...]
        self.isSecure = isSecure
        self.host = host
        explicitPort = port
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// Cuts the authority into the host and the port.
    private static func split(_ authority: Substring, of text: String) throws(SyncError) -> (String, Int?) {
        var host: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw invalid(text, "a bracket is open") }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            guard host.contains(":"),
                host.utf8.allSatisfy({
                    $0.hexadecimalValue != nil || ":.%".utf8.contains($0) || $0.isTokenCharacter
                })
            else { throw invalid(text, "what stands in brackets is no address") }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
            guard host.utf8.allSatisfy({ $0.isTokenCharacter }) else { throw invalid(text, "its host is malformed") }
        }
        guard !host.isEmpty, host.utf8.count <= 255 else { throw invalid(text, "it has no host, or one too long") }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.hasPrefix(":"), rest.count <= 6, let port = Int(rest.dropFirst()), (1...65535).contains(port),
            rest.dropFirst().utf8.allSatisfy(\.isDigit)
        else { throw invalid(text, "its port is no number from 1 to 65535") }
        return (String(host), port)
    }

    private static func invalid(_ text: String, _ why: String) -> SyncError {
        // Without what may be secret: the user's name and password, and the query.
        let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
        let rest = text.lastIndex(of: "@").map { "…" + text[$0...] } ?? String(text.dropFirst(scheme.count))
        let shown = (scheme + rest).prefix { $0 != "?" }.prefix(200)
        return SyncError(network: .invalidURL, "the URL “\(shown)” is not valid: \(why)")
    }
}
#endif
