import SQLiteEngine
import Synchronization

/// Cancels the runs of a query. Thread-safe.
package final class QueryCancellation: Sendable {
    private struct State {
        var isCancelled = false
        /// The connections on which a query is running.
        var connections: [DatabaseHandle] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Cancels the current runs, each at the next row or, in a function that processes long strings, within some thousand steps. These runs
    /// and all later ones throw `CancellationError`.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            for connection in state.connections { connection.interrupt() }
        }
    }

    /// Runs `body`, and cancels the runs if the task is cancelled meanwhile.
    package nonisolated(nonsending) func withTask<Value>(_ body: nonisolated(nonsending) () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler(operation: body) { cancel() }
    }

    /// Whether ``cancel()`` has been called.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` if ``cancel()`` has been called. For work between statements, which nothing interrupts.
    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Runs `body`, which uses the connection, so that ``cancel()`` interrupts it.
    ///
    /// - Throws: `CancellationError` if the run was cancelled; otherwise the errors of `body`.
    func run<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
        let handle = connection.handle
        try state.withLock { state in
            guard !state.isCancelled else { throw CancellationError() }
            handle.clearInterruption()
            state.connections.append(handle)
        }
        defer {
            // From here on the connection must not be interrupted, because other code may use it.
            state.withLock { state in
                if let index = state.connections.firstIndex(where: { $0 === handle }) {
                    state.connections.remove(at: index)
                }
                handle.clearInterruption()
            }
        }
        do {
            return try body()
        } catch {
            throw isCancelled ? CancellationError() : error
        }
    }
}
