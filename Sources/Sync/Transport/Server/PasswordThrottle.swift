#if Replication
import Base

/// Limits how fast passwords can be guessed: an address may send a number of wrong passwords at once, and then one per interval. Further
/// passwords are rejected without checking them, including correct ones.
package final class PasswordThrottle: Sendable {
    /// How many wrong passwords are allowed, and of how many addresses they are counted.
    package struct Limits: Sendable {
        /// The number of wrong passwords an address may send in a row. Default: 10.
        package var burst = 10
        /// The time after which one more wrong password is allowed, in milliseconds. Default: 6 seconds, which is ten per minute.
        package var interval: Int64 = 6000
        /// The maximum number of remembered addresses. When it is exceeded, the address whose entry expires first is forgotten.
        package var addresses = 10_000

        package init() {}
    }

    private struct State {
        var failures: FailureTable<ClientAddress>
        /// The number of passwords of an address that are being checked.
        var checks: [ClientAddress: Int] = [:]
    }

    /// Wakes the threads that wait when a check has ended.
    private let state: Monitor<State>

    init(_ limits: Limits = Limits()) { state = Monitor(State(failures: FailureTable(limits))) }

    /// Checks a password. Returns `nil` without checking it if the address has sent too many wrong passwords.
    ///
    /// Passwords that an address sends at the same time count as wrong until they are checked: if one of them could exceed the limit, it
    /// waits for the others, so that parallel connections cannot guess faster than a single one.
    ///
    /// - Parameters:
    ///   - now: Returns the current time, in milliseconds since any fixed moment.
    ///   - isCorrect: Called without a lock held.
    package func check(from address: ClientAddress, now: () -> Int64, _ isCorrect: () -> Bool) -> Bool? {
        guard beginCheck(from: address, now) else { return nil }
        let result = isCorrect()
        let time = now()
        state.withLock { state in
            state.checks[address, default: 1] -= 1
            if state.checks[address] == 0 { state.checks[address] = nil }
            if !result { state.failures.add(address, at: time) }
        }
        state.wakeAll()
        return result
    }

    /// Returns whether a password may be checked, after waiting for those on which that depends.
    private func beginCheck(from address: ClientAddress, _ now: () -> Int64) -> Bool {
        var isAllowed = false
        return state.withLock(
            waitingWhile: { state in
                let time = now()
                isAllowed = state.failures.allows(address, at: time)
                return isAllowed && !state.failures.allows(address, at: time, pending: state.checks[address] ?? 0)
            },
            { state in
                if isAllowed { state.checks[address, default: 0] += 1 }
                return isAllowed
            }
        )
    }
}

/// Counts the recent wrong passwords of each key, such as an address. Has no lock of its own.
package struct FailureTable<Key: Hashable & Sendable>: Sendable {
    private let limits: PasswordThrottle.Limits
    /// The time at which the entry of a key expires. Each wrong password adds one interval.
    private var ends: [Key: Int64] = [:]

    /// Creates a table without any wrong passwords.
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
