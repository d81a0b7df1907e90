import ExactStrings

#if Replication
/// A cookie (RFC 6265, Replication 1.3).
package struct Cookie: Sendable, Hashable, Codable {
    package var name: String
    package var value: String
    /// The host, or the domain that its hosts are in, in lower case.
    package var domain: String
    /// Whether hosts inside of the domain get it too.
    package var includesSubdomains: Bool
    package var path: String
    package var isSecure: Bool
    /// Seconds since 1970. Nil when it goes with the process.
    package var expires: Double?

    /// The sizes beyond which a cookie is not kept.
    static let maximumBytes = 4096

    /// The longest age, some three hundred years: with enough digits it would be infinite, which cannot be stored.
    private static let maximumAge = 1e10

    /// Reads a value of `Set-Cookie`. Nil when it is no cookie, or when its domain is not the server's to name.
    ///
    /// - Parameters:
    ///   - field: The value of the header field.
    ///   - url: Where the response is from.
    ///   - acceptsParentDomain: Whether the domain may be one that the host lies in; else it must be the host, or lie within it.
    ///   - now: Seconds since 1970.
    package init?(field: String, from url: EndpointURL, acceptsParentDomain: Bool, now: Double) {
        guard field.utf8.count <= Self.maximumBytes else { return nil }
        let parts = field.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
            .map { Substring($0) }
        let pair = Self.pair(parts[0])
        guard let value = pair.value, !pair.name.isEmpty, Self.isPrintable(pair.name), Self.isPrintable(value)
        else {
            return nil
        }
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
        // The age counts, whatever the date says.
        if let maximumAge { expires = maximumAge <= 0 ? 0 : now + maximumAge }
    }

    /// Whether it goes along with a request.
    package func matches(_ url: EndpointURL, now: Double) -> Bool {
        let host = url.host.asciiLowercased
        return (host.isExactly(domain) || includesSubdomains && Self.isInside(host, domain))
            && Self.isPath(url.path, under: path) && (!isSecure || url.isSecure) && !isExpired(now: now)
    }

    /// Whether its time is over.
    package func isExpired(now: Double) -> Bool {
        expires.map { $0 <= now } ?? false
    }

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
        if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = String(value.dropFirst().dropLast())
        }
        return (text[..<equals].trimmingBlanks(), value)
    }

    /// The path without its last component.
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
        // An address has no domains.
        host.hasSuffix("." + domain) && !host.contains(":") && host.utf8.last.map(\.isDigit) != true
    }

    private static func isPath(_ path: String, under prefix: String) -> Bool {
        // By bytes: a slash and an accent after it are one character, which is no slash.
        let directory = prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
        return path.isExactly(prefix) || path.utf8.starts(with: directory.utf8)
    }

    /// Neither control characters nor what would end it within a header field.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }
}
#endif
