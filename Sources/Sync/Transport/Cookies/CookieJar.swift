#if Replication
import Base
import Foundation
import Synchronization

/// The cookies of a database's servers (Replication 1.3). It is a value type; ``CookieStore`` shares one.
package struct CookieJar: Sendable, Equatable {
    /// The maximum number of cookies per jar. Beyond it the oldest are removed, so that a server cannot fill the database.
    static let maximumCount = 300

    /// The cookies in the order in which they were set.
    package private(set) var cookies: [Cookie] = []

    package init() {}

    /// Decodes the result of ``encoded(now:)``. Invalid data results in an empty jar.
    package init(encoded: [UInt8], now: Double) {
        let decoded = (try? JSONDecoder().decode([Cookie].self, from: Data(encoded))) ?? []
        cookies = decoded.filter { !$0.isExpired(now: now) }.suffix(Self.maximumCount)
    }

    /// Returns the persistent cookies as JSON: an array of objects with a member for each property of ``Cookie``.
    package func encoded(now: Double) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let lasting = cookies.filter { $0.expires != nil && !$0.isExpired(now: now) }
        return (try? encoder.encode(lasting)).map { Array($0) } ?? Array("[]".utf8)
    }

    /// Stores a cookie, replacing one with the same name, domain and path. An expired cookie removes it.
    ///
    /// - Returns: Whether the persistent cookies have changed.
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

    /// Returns the value of the `Cookie` field for a request, or `nil` if no cookie matches. Longer paths come first.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - excluded: The name of a cookie to leave out.
    ///   - now: The current time, in seconds since 1970.
    package func header(for url: EndpointURL, excluding excluded: String? = nil, now: Double) -> String? {
        let matching = cookies.filter { !$0.name.isExactly(excluded) && $0.matches(url, now: now) }.enumerated()
            .sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
        return matching.isEmpty
            ? nil : matching.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }
}

/// The cookies of a database, shared by all connections of the database.
package final class CookieStore: Sendable {
    private let acceptsParentDomain: Bool
    private let now: @Sendable () -> Double
    private let save: @Sendable ([UInt8]) -> Void
    private let jar: Mutex<CookieJar>

    /// - Parameters:
    ///   - encoded: The last value passed to `save`. Empty if there is none.
    ///   - acceptsParentDomain: See ``Cookie/init(field:from:acceptsParentDomain:now:)``.
    ///   - now: Returns the current time, in seconds since 1970.
    ///   - save: Called with the encoded persistent cookies after they have changed, on any thread except an event loop's.
    package init(
        encoded: [UInt8] = [],
        acceptsParentDomain: Bool = false,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
        save: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
        self.acceptsParentDomain = acceptsParentDomain
        self.now = now
        self.save = save
        jar = Mutex(CookieJar(encoded: encoded, now: now()))
    }

    /// Returns the value of the `Cookie` field for a request, without the cookie named `excluded`.
    package func header(for url: EndpointURL, excluding excluded: String? = nil) -> String? {
        jar.withLock { $0.header(for: url, excluding: excluded, now: now()) }
    }

    /// Stores the cookies of a response's `Set-Cookie` values. Must not be called on an event loop, because it may call `save`.
    package func store(_ fields: [String], from url: EndpointURL) {
        let time = now()
        let cookies = fields.compactMap { Cookie(field: $0, from: url, acceptsParentDomain: acceptsParentDomain, now: time) }
        let changed = jar.withLock { jar -> [UInt8]? in
            let changes = cookies.map { jar.set($0, now: time) }
            return changes.contains(true) ? jar.encoded(now: time) : nil
        }
        if let changed { save(changed) }
    }
}
#endif
