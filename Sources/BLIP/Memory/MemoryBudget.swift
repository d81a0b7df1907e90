import Synchronization

/// What all connections of this process may take in memory together, for what has come from peers and for what waits to be sent.
///
/// Each connection has a ``MemoryAccount``, which reserves before anything is allocated. When nothing is left, the account that holds most
/// gives way: its connection is closed, and whoever needs less goes on. One that would itself hold most is refused.
package final class MemoryBudget: Sendable {
    /// 256 MiB.
    package static let defaultLimit = 256 << 20
    /// What accounts that were told to give way may still hold, as a part of the limit, before others are refused too.
    private static let leavingPart = 4

    /// The one that is used where nothing else is said.
    package static let shared = MemoryBudget()
    /// For peers that are trusted as this process is.
    package static let unlimited = MemoryBudget(limit: .max / 2)

    private struct Entry {
        var granted = 0
        var isLeaving = false
        /// Has the connection closed. In a struct, since a bare closure would be wrapped anew at every read.
        var revoke: (@Sendable () -> Void)?
    }

    private struct State {
        var limit: Int
        /// What accounts hold that may stay.
        var granted = 0
        /// What accounts hold that were told to give way.
        var leaving = 0
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
    }

    private struct Revocation {
        let perform: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// - Parameter limit: Bytes.
    package init(limit: Int = MemoryBudget.defaultLimit) {
        state = Mutex(State(limit: max(0, limit)))
    }

    /// How many bytes may be reserved at a time. What is reserved already stays when it is lowered.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = max(0, newValue) } }
    }

    /// How many bytes are reserved now.
    package var used: Int { state.withLock { $0.granted + $0.leaving } }

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
            if entry.isLeaving { state.leaving -= entry.granted } else { state.granted -= entry.granted }
        }
    }

    /// Says what closes the connection of an account. Called at once when it has been told to give way already.
    func whenRevoked(_ number: Int, _ revoke: @escaping @Sendable () -> Void) {
        let isLeaving = state.withLock { state in
            state.entries[number]?.revoke = revoke
            return state.entries[number]?.isLeaving ?? false
        }
        if isLeaving { revoke() }
    }

    /// Grants an account more bytes.
    ///
    /// - Parameter isForced: Whether it gets them in any case, for what exists already. Then too somebody has to give way if that is too much,
    ///   be it the account itself.
    func grant(_ number: Int, _ count: Int, isForced: Bool) -> Bool {
        let (isGranted, revocation) = state.withLock { state -> (Bool, Revocation?) in
            guard var entry = state.entries[number] else { return (isForced, nil) }
            var revocation: Revocation?
            if !isForced {
                guard !entry.isLeaving else { return (false, nil) }
                if state.granted + count > state.limit {
                    guard let freed = Self.revokeLargest(&state, above: entry.granted + count, except: number) else { return (false, nil) }
                    revocation = freed
                }
            }
            entry.granted += count
            if entry.isLeaving { state.leaving += count } else { state.granted += count }
            state.entries[number] = entry
            if isForced, !entry.isLeaving, state.granted > state.limit {
                revocation = Self.revokeLargest(&state, above: 0, except: nil)
            }
            return (true, revocation)
        }
        revocation?.perform?()
        return isGranted
    }

    func takeBack(_ number: Int, _ count: Int) {
        state.withLock { state in
            guard var entry = state.entries[number] else { return }
            entry.granted -= count
            if entry.isLeaving { state.leaving -= count } else { state.granted -= count }
            state.entries[number] = entry
        }
    }

    /// Has the account give way that holds most, if that is more than `minimum`.
    private static func revokeLargest(_ state: inout State, above minimum: Int, except number: Int?) -> Revocation? {
        let largest = state.entries.filter { !$0.value.isLeaving && $0.key != number }
            .max { ($0.value.granted, $1.key) < ($1.value.granted, $0.key) }
        guard let largest, largest.value.granted > minimum else { return nil }
        // Memory comes back a little later only: it must not be lent out twice without end.
        guard state.leaving == 0 || state.leaving + largest.value.granted <= state.limit / leavingPart else { return nil }
        state.entries[largest.key]?.isLeaving = true
        state.granted -= largest.value.granted
        state.leaving += largest.value.granted
        return Revocation(perform: largest.value.revoke)
    }
}
