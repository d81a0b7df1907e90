#if Replication
import Synchronization
import WebServer

/// Limits the number of queries of a hub that run at the same time, because each takes a thread and connections of its database that other
/// requests need. Further queries take turns, and do not block a thread while they wait.
final class QueryTurns: Sendable {
    private struct State {
        var runningCount = 0
        var waiting: [Waiting] = []
        var lastNumber = 0
    }

    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The right to run, which is passed on when it is destroyed.
    private struct Turn: ~Copyable {
        let turns: QueryTurns

        deinit { turns.end() }
    }

    private let state = Mutex(State())
    private let maximumRunning: Int
    private let maximumWaiting: Int

    init(running: Int = 2, waiting: Int = 64) { (maximumRunning, maximumWaiting) = (running, waiting) }

    /// The number of queries that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The number of queries that run.
    var runningCount: Int { state.withLock { $0.runningCount } }

    /// Runs `body` when it is the turn of its query.
    ///
    /// - Throws: ``WebError`` 503 if too many queries wait; `CancellationError` if the task is cancelled while it waits; the errors of `body`.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(Waiting(number: number, continuation: $0)) }
        } onCancel: {
            leave(number)
        }
        let turn = Turn(turns: self)
        defer { withExtendedLifetime(turn) {} }
        try Task.checkCancellation()
        return try await body()
    }

    /// Resumes the query now if it may run or is refused, and otherwise when it is its turn.
    private func wait(_ query: Waiting) {
        let outcome = state.withLock { state -> Result<Void, any Error>? in
            // The handler of a cancellation may have been called before the query was in the queue.
            if Task.isCancelled { return .failure(CancellationError()) }
            guard state.runningCount >= maximumRunning else {
                state.runningCount += 1
                return .success(())
            }
            guard state.waiting.count < maximumWaiting else { return .failure(HubError.tooManyQueries) }
            state.waiting.append(query)
            return nil
        }
        if let outcome { query.continuation.resume(with: outcome) }
    }

    /// Removes a query from the queue, because its client has gone.
    private func leave(_ number: Int) {
        let removed = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        removed?.continuation.resume(throwing: CancellationError())
    }

    /// Passes the turn to the query that has waited for the longest time.
    private func end() {
        let next = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else {
                state.runningCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume()
    }
}
#endif
