import Synchronization

/// Limits how many pieces of long work on indexes run at the same time in the process, whose memory and processors they share: several files may be
/// opened, or one again and again. No thread waits: a piece above the limit begins when another one ends. Thread-safe.
package final class IndexWorkLimit: Sendable {
    /// A piece that waits.
    private struct Waiting: Sendable {
        /// Returns whether it is still to begin.
        let isWanted: @Sendable () -> Bool
        let start: @Sendable () -> Void
    }

    private struct State {
        var runningCount = 0
        /// In the order in which they begin.
        var waiting: [Waiting] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a limit of `count` pieces.
    package init(count: Int) { limit = count }

    /// The number of pieces that have begun and not ended.
    package var runningCount: Int { state.withLock { $0.runningCount } }

    /// The number of pieces that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Calls `start` now, or when enough other pieces have ended. ``end()`` must be called when the piece ends.
    ///
    /// - Parameter isWanted: Returns whether a piece that waits is still to begin. One that is not, because its file was closed, is forgotten when
    ///   another one begins to wait. It must not use the limit.
    func begin(ifWanted isWanted: @escaping @Sendable () -> Bool, _ start: @escaping @Sendable () -> Void) {
        let isPermitted = state.withLock { state in
            guard state.runningCount < limit else {
                state.waiting.removeAll { !$0.isWanted() }
                state.waiting.append(Waiting(isWanted: isWanted, start: start))
                return false
            }
            state.runningCount += 1
            return true
        }
        if isPermitted { start() }
    }

    /// Ends a piece, and begins one that waits.
    func end() {
        let next = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else {
                state.runningCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.start()
    }
}
