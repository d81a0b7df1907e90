import Synchronization

/// Limits the number of tasks that run at the same time; the others are suspended in a queue, without blocking a thread.
final class Gate: Sendable {
    private struct State {
        var freePlaces: Int
        var line: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(places: Int) {
        state = Mutex(State(freePlaces: places))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = state.withLock { state in
                guard state.freePlaces == 0 else {
                    state.freePlaces -= 1
                    return true
                }
                state.line.append(continuation)
                return false
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.freePlaces += 1
            return nil
        }
        next?.resume()
    }
}
