import SQLiteEngine
import Synchronization

/// Ends the run of a query before its time, from any thread.
package final class QueryCancellation: Sendable {
    private struct State {
        var isCancelled = false
        /// The connections on which runs are under way.
        var connections: [Connection] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the runs that are under way, each at the next row or, in a function that looks at long texts, within some thousand steps.
    /// They, and all that are yet to begin, throw `CancellationError`.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            for connection in state.connections { connection.interrupt() }
        }
    }

    /// Whether ``cancel()`` has been called.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs `body`, which uses the connection and which ``cancel()`` ends.
    func run<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
        try state.withLock { state in
            guard !state.isCancelled else { throw CancellationError() }
            connection.clearInterruption()
            state.connections.append(connection)
        }
        defer {
            // Only until here may the connection be interrupted: then it is somebody else's.
            state.withLock { state in
                if let index = state.connections.firstIndex(where: { $0 === connection }) {
                    state.connections.remove(at: index)
                }
                connection.clearInterruption()
            }
        }
        do {
            return try body()
        } catch {
            throw isCancelled ? CancellationError() : error
        }
    }
}
