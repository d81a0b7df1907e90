#if Replication
import Foundation
import Synchronization

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
