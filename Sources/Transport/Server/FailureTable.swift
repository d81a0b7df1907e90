#if Replication

/// Counts the recent wrong passwords of each key, such as an address. Has no lock of its own.
package struct FailureTable<Key: Hashable & Sendable>: Sendable {
    private let limits: PasswordThrottle.Limits
    /// The time at which the entry of a key expires. Each wrong password adds one interval.
    private var ends: [Key: Int64] = [:]

    package init(_ limits: PasswordThrottle.Limits) { self.limits = limits }

    /// The number of remembered keys.
    package var count: Int { ends.count }

    /// Returns whether another password may be checked.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds since any fixed moment.
    ///   - pending: The number of passwords that are being checked, which count as wrong.
    package func allows(_ key: Key, at now: Int64, pending: Int = 0) -> Bool {
        let rest = max((ends[key] ?? now) - now, 0)
        return rest + Int64(pending) * limits.interval <= Int64(max(limits.burst, 1) - 1) * limits.interval
    }

    /// Counts a wrong password.
    package mutating func add(_ key: Key, at now: Int64) {
        if ends[key] == nil, ends.count >= limits.addresses { forget(at: now) }
        ends[key] = max(ends[key] ?? now, now) + limits.interval
    }

    /// Removes all expired entries or, if there are none, the one that expires first.
    private mutating func forget(at now: Int64) {
        let count = ends.count
        ends = ends.filter { $0.value > now }
        guard ends.count == count, let first = ends.min(by: { $0.value < $1.value }) else { return }
        ends[first.key] = nil
    }
}
#endif
