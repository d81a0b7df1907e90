#if Replication
import Synchronization
import WebServer

/// Limits the number of queries of a database that run at the same time, because each takes a thread and connections of the database that other
/// requests need. Further queries take turns, and do not block a thread while they wait.
final class QueryTurns: Sendable {
    private struct State {
        var runningCount = 0
        var waiting: [CheckedContinuation<Void, any Error>] = []
    }

    private let state = Mutex(State())
    private let maximumRunning: Int
    private let maximumWaiting: Int

    init(running: Int = 2, waiting: Int = 64) { (maximumRunning, maximumWaiting) = (running, waiting) }

    /// The number of queries that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when it is the turn of its query.
    ///
    /// - Throws: ``WebError`` 503 if too many queries wait; `CancellationError` if the task was cancelled meanwhile; the errors of `body`.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let mayRun = state.withLock { state -> Bool? in
                guard state.runningCount >= maximumRunning else {
                    state.runningCount += 1
                    return true
                }
                guard state.waiting.count < maximumWaiting else { return false }
                state.waiting.append(continuation)
                return nil
            }
            switch mayRun {
            case true?: continuation.resume()
            case false?: continuation.resume(throwing: HubError.tooManyQueries)
            case nil: break
            }
        }
        defer { end() }
        try Task.checkCancellation()
        return try await body()
    }

    /// Passes the turn to the query that has waited for the longest time.
    private func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard !state.waiting.isEmpty else {
                state.runningCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
#endif
