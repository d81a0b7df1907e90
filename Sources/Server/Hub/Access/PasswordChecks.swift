#if Replication
import Dispatch
import Base
import Synchronization
package import Transport
import WebServer

/// Checks passwords one after the other on a thread of its own, so that the threads of requests stay free and clients cannot use more than one
/// core, and limits how fast passwords can be guessed.
///
/// Wrong passwords for a name from an address are limited, and all wrong passwords from an address. When a limit is reached, further passwords are
/// refused without checking them, including correct ones; other names from the address, and the name from other addresses, are not affected by
/// the first limit. Passwords that wait take turns by name and address, so that many for one name do not delay others.
final class PasswordChecks: Sendable {
    fileprivate struct Key: Hashable {
        let address: ClientAddress
        let name: ExactString
    }

    /// A place among the pending passwords, which count as wrong. It is given back when this object is released, outside of the lock.
    fileprivate final class Pending: Sendable {
        private let checks: PasswordChecks
        private let key: Key

        init(_ checks: PasswordChecks, _ key: Key) { (self.checks, self.key) = (checks, key) }

        deinit { checks.state.withLock { $0.end(key) } }
    }

    /// A password that waits.
    fileprivate struct Waiting {
        let key: Key
        /// `nil` if it is not among the pending ones.
        var pending: Pending?
        let isCorrect: @Sendable () throws -> Bool
        let continuation: CheckedContinuation<Bool, any Error>
    }

    fileprivate struct State {
        var ofName: FailureTable<Key>
        var ofAddress: FailureTable<ClientAddress>
        /// The numbers of pending passwords.
        var pending: [Key: Int] = [:]
        var pendingOfAddress: [ClientAddress: Int] = [:]
        var waiting: [Key: [Waiting]] = [:]
        /// The keys in the order of their turns.
        var turns: [Key] = []
        var waitingCount = 0
        var isRunning = false
    }

    fileprivate let state: Mutex<State>
    private let maximumWaiting: Int
    private let now: @Sendable () -> Int64
    private let queue = DispatchQueue(label: "CouchbaseLite.hub.passwords")

    /// - Parameter now: Returns the time in milliseconds since any fixed moment.
    init(_ limits: PasswordLimits, now: @escaping @Sendable () -> Int64) {
        maximumWaiting = limits.waiting
        self.now = now
        state = Mutex(State(ofName: FailureTable(limits.ofName), ofAddress: FailureTable(limits.ofAddress)))
    }

    /// The number of passwords that wait.
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// The number of passwords that count as wrong until they are checked.
    var pendingCount: Int { state.withLock { $0.pendingOfAddress.values.reduce(0, +) } }

    /// Checks a password.
    ///
    /// - Parameters:
    ///   - isRemembered: Returns at once whether the password is known to be correct. Called before the password waits, unless those that are
    ///     being checked would exceed a limit if they were wrong.
    ///   - isCorrect: Checks the password. Called on the thread for passwords.
    /// - Throws: ``WebError``: 429 if a limit on wrong passwords is reached, 503 if too many passwords wait; the errors of the closures.
    func check(
        _ name: String,
        from address: ClientAddress,
        isRemembered: () throws -> Bool,
        isCorrect: @escaping @Sendable () throws -> Bool
    ) async throws -> Bool {
        // Longer names are no names of users, and are not kept.
        let key = Key(address: address, name: ExactString(name.utf8.count <= 240 ? name : ""))
        let pending = try begin(key)
        if pending != nil, try isRemembered() { return true }
        return try await withCheckedThrowingContinuation { continuation in
            add(Waiting(key: key, pending: pending, isCorrect: isCorrect, continuation: continuation))
        }
    }

    /// Adds the password to the pending ones. Returns `nil` if these would exceed a limit then if they were wrong.
    private func begin(_ key: Key) throws -> Pending? {
        let time = now()
        let isAdded = try state.withLock { state in
            guard state.allows(key, at: time) else { throw HubError.tooManyPasswords }
            let (ofName, ofAddress) = (state.pending[key] ?? 0, state.pendingOfAddress[key.address] ?? 0)
            guard state.ofName.allows(key, at: time, pending: ofName), state.ofAddress.allows(key.address, at: time, pending: ofAddress)
            else { return false }
            state.pending[key] = ofName + 1
            state.pendingOfAddress[key.address] = ofAddress + 1
            return true
        }
        return isAdded ? Pending(self, key) : nil
    }

    private func add(_ new: Waiting) {
        let (isAdded, starts) = state.withLock { state in
            guard state.waitingCount < maximumWaiting else { return (false, false) }
            state.waitingCount += 1
            if state.waiting[new.key] == nil { state.turns.append(new.key) }
            state.waiting[new.key, default: []].append(new)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        guard isAdded else { return new.continuation.resume(throwing: HubError.tooManyWaitingPasswords) }
        if starts { queue.async { self.run() } }
    }

    // MARK: The thread for passwords

    private func run() {
        while var next = state.withLock({ $0.next() }) {
            guard state.withLock({ [time = now()] in $0.allows(next.key, at: time) }) else {
                next.continuation.resume(throwing: HubError.tooManyPasswords)
                continue
            }
            let result = Result { try next.isCorrect() }
            let time = now()
            state.withLock { state in
                guard case .success(false) = result else { return }
                state.ofName.add(next.key, at: time)
                state.ofAddress.add(next.key.address, at: time)
            }
            next.pending = nil
            next.continuation.resume(with: result)
        }
    }
}

extension PasswordChecks.State {
    fileprivate func allows(_ key: PasswordChecks.Key, at time: Int64) -> Bool {
        ofName.allows(key, at: time) && ofAddress.allows(key.address, at: time)
    }

    /// Removes a password from the pending ones.
    fileprivate mutating func end(_ key: PasswordChecks.Key) {
        let (ofName, ofAddress) = ((pending[key] ?? 1) - 1, (pendingOfAddress[key.address] ?? 1) - 1)
        pending[key] = ofName > 0 ? ofName : nil
        pendingOfAddress[key.address] = ofAddress > 0 ? ofAddress : nil
    }

    /// Removes and returns the password whose turn it is.
    fileprivate mutating func next() -> PasswordChecks.Waiting? {
        guard let key = turns.first, var waiting = waiting[key], !waiting.isEmpty else {
            isRunning = false
            return nil
        }
        turns.removeFirst()
        let next = waiting.removeFirst()
        self.waiting[key] = waiting.isEmpty ? nil : waiting
        if !waiting.isEmpty { turns.append(key) }
        waitingCount -= 1
        return next
    }
}

/// The limits on passwords that clients of a hub send.
package struct PasswordLimits: Sendable {
    /// The limit on wrong passwords for a name from an address. Default: 10 at once, then one every 6 seconds.
    package var ofName = PasswordThrottle.Limits()
    /// The limit on wrong passwords for any names from an address. Default: 50 at once, then one every 1.2 seconds.
    package var ofAddress = {
        var limits = PasswordThrottle.Limits()
        limits.burst = 50
        limits.interval = 1200
        return limits
    }()
    /// The maximum number of passwords that wait to be checked, one after the other. Default: 256.
    package var waiting = 256

    package init() {}
}
#endif
