#if Replication
import Synchronization

/// Slows down who guesses passwords: from an address, so many may be wrong at once, and then one every so often. Whatever comes beyond that
/// is refused unread, right ones too.
package final class PasswordThrottle: Sendable {
    package struct Limits: Sendable {
        /// How many wrong passwords an address may send in a row. 10.
        package var burst = 10
        /// Milliseconds after which one more is allowed. 6 seconds, which is ten a minute.
        package var interval: Int64 = 6000
        /// How many addresses are remembered. When there are more, the one is forgotten that has been quiet for longest.
        package var addresses = 10_000

        package init() {}
    }

    private struct Entry {
        /// When all will be forgiven: each wrong password moves it an interval on.
        var end: Int64
    }

    private let limits: Limits
    private let entries = Mutex<[ClientAddress: Entry]>([:])

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether a password from that address is looked at.
    ///
    /// - Parameter now: Milliseconds since some fixed moment.
    package func allows(_ address: ClientAddress, at now: Int64) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[address] else { return true }
            return entry.end - now <= Int64(limits.burst - 1) * limits.interval
        }
    }

    /// A password was wrong.
    package func noteFailure(_ address: ClientAddress, at now: Int64) {
        entries.withLock { entries in
            if entries[address] == nil, entries.count >= limits.addresses { Self.forget(&entries, at: now) }
            entries[address] = Entry(end: max(entries[address]?.end ?? now, now) + limits.interval)
        }
    }

    /// Makes room: all who are forgiven go, or the one that will be first.
    private static func forget(_ entries: inout [ClientAddress: Entry], at now: Int64) {
        let count = entries.count
        entries = entries.filter { $0.value.end > now }
        guard entries.count == count, let first = entries.min(by: { $0.value.end < $1.value.end }) else { return }
        entries[first.key] = nil
    }
}
#endif
