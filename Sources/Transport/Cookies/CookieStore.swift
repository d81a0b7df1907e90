#if Replication
import Foundation
import Synchronization

/// The cookies of a database, shared by the connections that are made for it.
package final class CookieStore: Sendable {
    private let acceptsParentDomain: Bool
    private let now: @Sendable () -> Double
    private let save: @Sendable ([UInt8]) -> Void
    private let jar: Mutex<CookieJar>

    /// - Parameters:
    ///   - encoded: What `save` was last given; empty at first.
    ///   - acceptsParentDomain: See ``Cookie/init(field:from:acceptsParentDomain:now:)``.
    ///   - now: Seconds since 1970.
    ///   - save: Called with the cookies that outlive the process whenever they have changed, on any thread but an event loop's.
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

    /// The value of `Cookie` for a request, without the cookies of that name.
    package func header(for url: EndpointURL, excluding excluded: String? = nil) -> String? {
        jar.withLock { $0.header(for: url, excluding: excluded, now: now()) }
    }

    /// Takes the values of `Set-Cookie` of a response. Must not be called on an event loop.
    package func store(_ fields: [String], from url: EndpointURL) {
        let time = now()
        let cookies = fields.compactMap {
            Cookie(field: $0, from: url, acceptsParentDomain: acceptsParentDomain, now: time)
        }
        let changed = jar.withLock { jar -> [UInt8]? in
            let changes = cookies.map { jar.set($0, now: time) }
            return changes.contains(true) ? jar.encoded(now: time) : nil
        }
        if let changed { save(changed) }
    }
}
#endif
