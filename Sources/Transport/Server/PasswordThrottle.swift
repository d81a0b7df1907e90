#if Replication
import Synchronization

/// Limits how fast passwords can be guessed: an address may send a number of wrong passwords at once, and then one per interval. Further
/// passwords are rejected without checking them, including correct ones.
package final class PasswordThrottle: Sendable {
    package struct Limits: Sendable {
        /// The number of wrong passwords an address may send in a row. Default: 10.
        package var burst = 10
        /// The time after which one more wrong password is allowed, in milliseconds. Default: 6 seconds, which is ten per minute.
        package var interval: Int64 = 6000
        /// The maximum number of remembered addresses. When it is exceeded, the address whose entry expires first is forgotten.
        package var addresses = 10_000

        package init() {}
    }

    private struct Entry {
        /// The time at which the entry expires. Each wrong password adds one interval.
        var end: Int64
    }

    private let limits: Limits
    private let entries = Mutex<[ClientAddress: Entry]>([:])

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Returns whether a password from that address may be checked.
    ///
    /// - Parameter now: The current time, in milliseconds since any fixed moment.
    package func allows(_ address: ClientAddress, at now: Int64) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[address] else { return true }
            return entry.end - now <= Int64(limits.burst - 1) * limits.interval
        }
    }

    /// Records a wrong password.
    package func noteFailure(_ address: ClientAddress, at now: Int64) {
        entries.withLock { entries in
            if entries[address] == nil, entries.count >= limits.addresses { Self.forget(&entries, at: now) }
            entries[address] = Entry(end: max(entries[address]?.end ?? now, now) + limits.interval)
        }
    }

    /// Makes room for an entry: removes all expired entries or, if there are none, the one that expires first.
    private static func forget(_ entries: inout [ClientAddress: Entry], at now: Int64) {
        let count = entries.count
        entries = entries.filter { $0.value.end > now }
        guard entries.count == count, let first = entries.min(by: { $0.value.end < $1.value.end }) else { return }
        entries[first.key] = nil
    }
}
#endif
