#if Replication
import Foundation
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

    private struct State {
        /// The time at which the entry of an address expires. Each wrong password adds one interval.
        var ends: [ClientAddress: Int64] = [:]
        /// The number of passwords of an address that are being checked.
        var checks: [ClientAddress: Int] = [:]
    }

    private let limits: Limits
    private let state = Mutex(State())
    private let checkEnded = NSCondition()

    package init(_ limits: Limits = Limits()) { self.limits = limits }

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
        checkEnded.withLock {
            state.withLock { state in
                state.checks[address, default: 1] -= 1
                if state.checks[address] == 0 { state.checks[address] = nil }
                if !result { noteFailure(address, at: time, &state.ends) }
            }
            checkEnded.broadcast()
        }
        return result
    }

    /// Returns whether a password may be checked, after waiting for those on which that depends.
    private func beginCheck(from address: ClientAddress, _ now: () -> Int64) -> Bool {
        checkEnded.withLock {
            while true {
                let time = now()
                let mayCheck = state.withLock { state -> Bool? in
                    let rest = max((state.ends[address] ?? time) - time, 0)
                    let checks = state.checks[address] ?? 0
                    let most = Int64(max(limits.burst, 1) - 1) * limits.interval
                    guard rest <= most else { return false }
                    guard checks == 0 || rest + Int64(checks) * limits.interval <= most else { return nil }
                    state.checks[address] = checks + 1
                    return true
                }
                if let mayCheck { return mayCheck }
                checkEnded.wait()
            }
        }
    }

    private func noteFailure(_ address: ClientAddress, at now: Int64, _ ends: inout [ClientAddress: Int64]) {
        if ends[address] == nil, ends.count >= limits.addresses { Self.forget(&ends, at: now) }
        ends[address] = max(ends[address] ?? now, now) + limits.interval
    }

    /// Makes room for an entry: removes all expired entries or, if there are none, the one that expires first.
    private static func forget(_ ends: inout [ClientAddress: Int64], at now: Int64) {
        let count = ends.count
        ends = ends.filter { $0.value > now }
        guard ends.count == count, let first = ends.min(by: { $0.value < $1.value }) else { return }
        ends[first.key] = nil
    }
}
#endif
