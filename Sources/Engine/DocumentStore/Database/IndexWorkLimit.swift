import Synchronization

/// Limits how many pieces of long work on indexes run at the same time in the process, whose memory and processors they share: several files may be
/// opened, or one again and again. No thread waits: a piece above the limit begins when another one ends. Thread-safe.
package final class IndexWorkLimit: Sendable {
    private struct State {
        var runningCount = 0
        /// What begins the pieces that wait, in their order.
        var waiting: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a limit of `count` pieces.
    package init(count: Int) { limit = count }

    /// The number of pieces that have begun and not ended.
    package var runningCount: Int { state.withLock { $0.runningCount } }

    /// Calls `start` now, or when enough other pieces have ended. ``end()`` must be called when the piece ends.
    func begin(_ start: @escaping @Sendable () -> Void) {
        let isPermitted = state.withLock { state in
            guard state.runningCount < limit else {
                state.waiting.append(start)
                return false
            }
            state.runningCount += 1
            return true
        }
        if isPermitted { start() }
    }

    /// Ends a piece, and begins one that waits.
    func end() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.waiting.isEmpty else {
                state.runningCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?()
    }
}
