import Synchronization

/// The memory that all connections of this process may use together, for data received from peers and for data queued for sending.
///
/// Each connection has a ``MemoryAccount``, which reserves memory before it is allocated. When the limit is reached, the account that holds
/// the most is revoked: its connection is closed, and connections that need less continue. A connection that would itself hold the most is
/// refused.
package final class MemoryBudget: Sendable {
    /// The default limit: 256 MiB.
    package static let defaultLimit = 256 << 20
    /// The share of the limit that revoked accounts may still hold, as a divisor, before other accounts are refused too.
    private static let revokedPart = 4

    /// The budget that is used by default.
    package static let shared = MemoryBudget()
    /// A budget for peers that are trusted like this process.
    package static let unlimited = MemoryBudget(limit: .max / 2)

    private struct Entry {
        var granted = 0
        var isRevoked = false
        /// Closes the connection. Stored in a struct, because a bare closure would be wrapped again at every read.
        var revoke: (@Sendable () -> Void)?
    }

    private struct State {
        var limit: Int
        /// The bytes held by accounts that are not revoked.
        var granted = 0
        /// The bytes held by revoked accounts.
        var revoked = 0
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
    }

    private struct Revocation {
        let perform: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// - Parameter limit: The limit, in bytes.
    package init(limit: Int = MemoryBudget.defaultLimit) { state = Mutex(State(limit: max(0, limit))) }

    /// The most bytes that may be reserved at a time. Existing reservations stay when it is lowered.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = max(0, newValue) } }
    }

    /// The number of bytes that are reserved now.
    package var used: Int { state.withLock { $0.granted + $0.revoked } }

    /// Whether more than half of the limit is reserved.
    var isShort: Bool { state.withLock { $0.granted + $0.revoked > $0.limit / 2 } }

    // MARK: For accounts

    func open() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry()
            return state.lastNumber
        }
    }

    func close(_ number: Int) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: number) else { return }
            if entry.isRevoked { state.revoked -= entry.granted } else { state.granted -= entry.granted }
        }
    }

    /// Sets the closure that closes the connection of an account. It is called at once if the account has already been revoked.
    func whenRevoked(_ number: Int, _ revoke: @escaping @Sendable () -> Void) {
        let isRevoked = state.withLock { state in
            state.entries[number]?.revoke = revoke
            return state.entries[number]?.isRevoked ?? false
        }
        if isRevoked { revoke() }
    }

    /// Grants an account more bytes.
    ///
    /// - Parameter isForced: Whether the account gets the bytes in any case, because they are already allocated. If that exceeds the limit,
    ///   an account is revoked, possibly this one.
    /// - Parameter mayRevoke: Whether a larger account is revoked if the bytes exceed the limit. Otherwise they are refused, which takes
    ///   the same short time for any number of accounts. Without effect if the grant is forced.
    func grant(_ number: Int, _ count: Int, isForced: Bool, mayRevoke: Bool = true) -> Bool {
        let (isGranted, revocation) = state.withLock { state -> (Bool, Revocation?) in
            guard var entry = state.entries[number] else { return (isForced, nil) }
            var revocation: Revocation?
            if !isForced {
                guard !entry.isRevoked else { return (false, nil) }
                if state.granted + count > state.limit {
                    guard mayRevoke, let freed = Self.revokeLargest(&state, above: entry.granted + count, except: number)
                    else { return (false, nil) }
                    revocation = freed
                }
            }
            entry.granted += count
            if entry.isRevoked { state.revoked += count } else { state.granted += count }
            state.entries[number] = entry
            if isForced, !entry.isRevoked, state.granted > state.limit {
                revocation = Self.revokeLargest(&state, above: 0, except: nil)
            }
            return (true, revocation)
        }
        revocation?.perform?()
        return isGranted
    }

    func reclaim(_ number: Int, _ count: Int) {
        state.withLock { state in
            guard var entry = state.entries[number] else { return }
            entry.granted -= count
            if entry.isRevoked { state.revoked -= count } else { state.granted -= count }
            state.entries[number] = entry
        }
    }

    /// Revokes the account that holds the most, if that is more than `minimum`.
    private static func revokeLargest(_ state: inout State, above minimum: Int, except number: Int?) -> Revocation? {
        let largest = state.entries.filter { !$0.value.isRevoked && $0.key != number }
            .max { ($0.value.granted, $1.key) < ($1.value.granted, $0.key) }
        guard let largest, largest.value.granted > minimum else { return nil }
        // Revoked memory is released a little later: it must not be granted twice without limit.
        guard state.revoked == 0 || state.revoked + largest.value.granted <= state.limit / revokedPart else { return nil }
        state.entries[largest.key]?.isRevoked = true
        state.granted -= largest.value.granted
        state.revoked += largest.value.granted
        return Revocation(perform: largest.value.revoke)
    }
}
