import Base

#if Replication
/// A cookie (RFC 6265, Replication 1.3).
package struct Cookie: Sendable, Hashable, Codable {
    /// The name, which is case-sensitive.
    package var name: String
    /// The value, as the server has written it.
    package var value: String
    /// The host, or the domain of the hosts, in lower case.
    package var domain: String
    /// Whether the cookie is also sent to subdomains.
    package var includesSubdomains: Bool
    /// The path at or below which requests contain the cookie.
    package var path: String
    /// Whether the cookie is only sent over TLS.
    package var isSecure: Bool
    /// The expiration time, in seconds since 1970. `nil` for a session cookie, which is not stored.
    package var expires: Double?

    /// The maximum size of a `Set-Cookie` value, in bytes. Longer values are ignored.
    static let maximumBytes = 4096

    /// The maximum age in seconds, about three hundred years. Without it, an age with many digits would be infinite, which cannot be
    /// stored.
    private static let maximumAge = 1e10

    /// Parses a `Set-Cookie` value. Returns `nil` if it is not a cookie, or the server may not set a cookie for its domain.
    ///
    /// - Parameters:
    ///   - field: The value of the header field.
    ///   - url: The URL of the request.
    ///   - acceptsParentDomain: Whether the cookie's domain may be a parent domain of the host. Otherwise it must be the host or a
    ///     subdomain of it.
    ///   - now: The current time, in seconds since 1970.
    package init?(field: String, from url: EndpointURL, acceptsParentDomain: Bool, now: Double) {
        guard field.utf8.count <= Self.maximumBytes else { return nil }
        let parts = field.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { Substring($0) }
        let pair = Self.pair(parts[0])
        guard let value = pair.value, !pair.name.isEmpty, Self.isPrintable(pair.name), Self.isPrintable(value)
        else { return nil }
        name = pair.name
        self.value = value
        domain = url.host.asciiLowercased
        includesSubdomains = false
        path = Self.defaultPath(of: url.path)
        isSecure = false
        var maximumAge: Double?
        for part in parts.dropFirst() {
            let attribute = Self.pair(part)
            let text = attribute.value ?? ""
            switch attribute.name.asciiLowercased {
            case "domain":
                guard setDomain(text, host: url.host.asciiLowercased, acceptsParentDomain) else { return nil }
            case "path":
                path = text.hasPrefix("/") ? text : Self.defaultPath(of: url.path)
            case "secure":
                isSecure = true
            case "expires":
                expires = CookieDate.seconds(text) ?? expires
            case "max-age":
                maximumAge = Self.age(text) ?? maximumAge
            default:
                break
            }
        }
        // `Max-Age` takes precedence over `Expires`.
        if let maximumAge { expires = maximumAge <= 0 ? 0 : now + maximumAge }
    }

    /// Returns whether the cookie is sent with a request.
    package func matches(_ url: EndpointURL, now: Double) -> Bool {
        let host = url.host.asciiLowercased
        return (host.isExactly(domain) || includesSubdomains && Self.isInside(host, domain))
            && Self.isPath(url.path, under: path) && (!isSecure || url.isSecure) && !isExpired(now: now)
    }

    /// Returns whether the cookie must not be sent anymore; always `false` for a session cookie.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package func isExpired(now: Double) -> Bool { expires.map { $0 <= now } ?? false }

    private mutating func setDomain(_ text: String, host: String, _ acceptsParentDomain: Bool) -> Bool {
        let wanted = (text.hasPrefix(".") ? String(text.dropFirst()) : text).asciiLowercased
        if wanted.isEmpty { return true }
        if wanted.isExactly(host) || Self.isInside(wanted, host) {
            domain = wanted
        } else if acceptsParentDomain, Self.isInside(host, wanted), wanted.contains(".") {
            domain = wanted
        } else {
            return false
        }
        includesSubdomains = true
        return true
    }

    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        guard let equals = text.unicodeScalars.firstIndex(of: "=") else { return (text.trimmingBlanks(), nil) }
        var value = text[text.unicodeScalars.index(after: equals)...].trimmingBlanks()
        if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = String(value.dropFirst().dropLast()) }
        return (text[..<equals].trimmingBlanks(), value)
    }

    private static func defaultPath(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func age(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return text.hasPrefix("-") ? 0 : Double(digits).map { Swift.min($0, maximumAge) }
    }

    private static func isInside(_ host: String, _ domain: String) -> Bool {
        // An IP address has no subdomains.
        host.hasSuffix("." + domain) && !host.contains(":") && host.utf8.last.map(\.isDigit) != true
    }

    private static func isPath(_ path: String, under prefix: String) -> Bool {
        // Compares bytes, because a slash followed by a combining accent is a single character that is not equal to a slash.
        let directory = prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
        return path.isExactly(prefix) || path.utf8.starts(with: directory.utf8)
    }

    /// Returns whether the text contains no control characters and no semicolon, which would end it in a header field.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }
}
#endif
