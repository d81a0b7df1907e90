#if Replication
import ExactStrings
import Foundation

/// The cookies of a database's servers (Replication 1.3). A value; ``CookieStore`` shares one.
package struct CookieJar: Sendable, Equatable {
    /// The limits, so that a server cannot fill the database: per jar, the oldest go first.
    static let maximumCount = 300

    /// In the order in which they were set.
    package private(set) var cookies: [Cookie] = []

    package init() {}

    /// Reads what ``encoded(now:)`` has written. What cannot be read counts as none.
    package init(encoded: [UInt8], now: Double) {
        let decoded = (try? JSONDecoder().decode([Cookie].self, from: Data(encoded))) ?? []
        cookies = decoded.filter { !$0.isExpired(now: now) }.suffix(Self.maximumCount)
    }

    /// Those that outlive the process, as JSON: an array of objects, a member for each property of ``Cookie``.
    package func encoded(now: Double) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let lasting = cookies.filter { $0.expires != nil && !$0.isExpired(now: now) }
        return (try? encoder.encode(lasting)).map { Array($0) } ?? Array("[]".utf8)
    }

    /// Puts a cookie in the place of one of the same name, domain and path. One that has expired removes it.
    ///
    /// - Returns: Whether what is to be kept beyond the process has changed.
    package mutating func set(_ cookie: Cookie, now: Double) -> Bool {
        let index = cookies.firstIndex {
            $0.name.isExactly(cookie.name) && $0.domain.isExactly(cookie.domain) && $0.path.isExactly(cookie.path)
        }
        let old = index.map { cookies.remove(at: $0) }
        guard !cookie.isExpired(now: now) else { return old?.expires != nil }
        cookies.append(cookie)
        if cookies.count > Self.maximumCount { cookies.removeFirst(cookies.count - Self.maximumCount) }
        return old != cookie && (old?.expires != nil || cookie.expires != nil)
    }

    /// The value of `Cookie` for a request; nil when there is none to send. Longer paths come first.
    ///
    /// - Parameters:
    ///   - url: Where the request goes.
    ///   - excluded: The name of cookies to leave out.
    ///   - now: Seconds since 1970.
    package func header(for url: EndpointURL, excluding excluded: String? = nil, now: Double) -> String? {
        let matching = cookies.filter { !$0.name.isExactly(excluded) && $0.matches(url, now: now) }.enumerated()
            .sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
        return matching.isEmpty
            ? nil : matching.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }
}
#endif
