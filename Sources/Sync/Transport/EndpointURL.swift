#if Replication
import Base
package import SyncCore

/// The URL of a database to sync with (Replication 1.1).
package struct EndpointURL: Sendable, Hashable {
    /// Whether the connection uses TLS: the scheme is `wss` or `https`.
    package var isSecure: Bool
    /// The host name or IP address. IPv6 addresses have no brackets.
    package var host: String
    /// The port, if the URL contains one. `nil` means 80 or 443, depending on the scheme.
    package var explicitPort: Int?
    /// The path with its leading slash, percent-encoded as given, and the query if there is one.
    package var target: String

    /// The path component appended to the path of a database for syncing.
    package static let syncPath = "/_blipsync"

    /// The port to connect to: the one in the URL, or the usual one of the scheme.
    package var port: Int { explicitPort ?? (isSecure ? 443 : 80) }

    /// The host as written in URLs and `Host` fields.
    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The value of the `Host` field. It contains the port unless that is the default port of either scheme.
    package var hostField: String { port == 80 || port == 443 ? bracketedHost : "\(bracketedHost):\(port)" }

    /// Returns whether both URLs have the same origin: scheme, host and port (RFC 6454, 4).
    func isOfSameOrigin(as other: EndpointURL) -> Bool {
        isSecure == other.isSecure && port == other.port && host.isEqualIgnoringCase(to: other.host)
    }

    /// The path without the query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The URL with the scheme `ws` or `wss`. It contains the port only if the port was given.
    package var string: String {
        "\(isSecure ? "wss" : "ws")://\(bracketedHost)\(explicitPort.map { ":\($0)" } ?? "")\(target)"
    }

    /// The URL for messages, without the query, which may be secret.
    package var withoutQuery: String {
        var url = self
        url.target = path
        return url.string
    }

    /// The URL of the connection, which also identifies a checkpoint (Replication 4.2): the path followed by `/_blipsync`.
    package var effective: EndpointURL {
        var url = self
        let path = self.path
        url.target = (path.hasSuffix("/") ? String(path.dropLast()) : path) + Self.syncPath
        return url
    }

    /// Parses the URL of an endpoint: `ws`, `wss`, `blip` or `blips`, a host, and a path that ends in a database name.
    ///
    /// - Throws: ``SyncError``, network 4 (invalid URL). The message says what is wrong.
    package init(endpoint text: String) throws(SyncError) {
        try self.init(text, schemes: ["ws": false, "wss": true, "blip": false, "blips": true])
        guard let name = path.split(separator: "/").last, name.utf8.count <= 239 else {
            throw Self.invalid(text, "it names no database, or the name is too long")
        }
    }

    /// Parses an HTTP URL, as in a `Location` field or in a request to a proxy.
    ///
    /// - Throws: ``SyncError``, network 4 (invalid URL). The message says what is wrong.
    package init(http text: String) throws(SyncError) {
        try self.init(text, schemes: ["http": false, "https": true])
    }

    private init(_ text: String, schemes: [String: Bool]) throws(SyncError) {
        guard let schemeEnd = text.firstRange(of: "://") else { throw Self.invalid(text, "it has no scheme") }
        guard let isSecure = schemes[text[..<schemeEnd.lowerBound].asciiLowercased] else {
            throw Self.invalid(text, "its scheme is not one of \(schemes.keys.sorted().joined(separator: ", "))")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.invalid(text, "it contains a character that must be percent-encoded")
        }
        let rest = text[schemeEnd.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw Self.invalid(text, "it contains a user name") }
        let (host, port) = try Self.split(authority, of: text)
        let target = rest[authority.endIndex...]
        self.isSecure = isSecure
        self.host = host
        explicitPort = port
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    private static func split(_ authority: Substring, of text: String) throws(SyncError) -> (String, Int?) {
        var host: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw invalid(text, "its bracket is not closed") }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            guard host.contains(":"), host.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || $0.isTokenCharacter }) else {
                throw invalid(text, "the text in brackets is not an IPv6 address")
            }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
            guard host.utf8.allSatisfy({ $0.isTokenCharacter }) else { throw invalid(text, "its host is invalid") }
        }
        guard !host.isEmpty, host.utf8.count <= 255 else { throw invalid(text, "it has no host, or the host is too long") }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.hasPrefix(":"), rest.count <= 6, let port = Int(rest.dropFirst()), (1...65535).contains(port),
            rest.dropFirst().utf8.allSatisfy(\.isDigit)
        else { throw invalid(text, "its port is not a number from 1 to 65535") }
        return (String(host), port)
    }

    private static func invalid(_ text: String, _ why: String) -> SyncError {
        // The message omits secrets: the user's name and password, and the query.
        let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
        let rest = text.lastIndex(of: "@").map { "…" + text[$0...] } ?? String(text.dropFirst(scheme.count))
        let shown = (scheme + rest).prefix { $0 != "?" }.prefix(200)
        return SyncError(network: .invalidURL, "the URL “\(shown)” is invalid: \(why)")
    }
}

extension String {
    /// The 4 or 16 bytes of an IP address. `nil` if the text is not one.
    var ipAddressBytes: [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, self, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
#endif
