import Synchronization

/// Limits the number of tasks that run at the same time; the others are suspended in a queue, without blocking a thread.
final class Gate: Sendable {
    private struct State {
        var freePlaces: Int
        var urgent: [CheckedContinuation<Void, Never>] = []
        var others: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(places: Int) {
        state = Mutex(State(freePlaces: places))
    }

    /// Waits for a place.
    ///
    /// - Parameter isUrgent: Whether to enter before all waiting tasks that are not urgent.
    func enter(isUrgent: Bool) async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.freePlaces == 0 else {
                    state.freePlaces -= 1
                    return true
                }
                if isUrgent { state.urgent.append(continuation) } else { state.others.append(continuation) }
                return false
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.urgent.isEmpty else { return state.urgent.removeFirst() }
            guard state.others.isEmpty else { return state.others.removeFirst() }
            state.freePlaces += 1
            return nil
        }
        next?.resume()
    }
}
