import DatabaseRuntime
import QueryEngine
import QueryLanguage

extension Query {
    /// Running the query as an `async` function; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncQuery { AsyncQuery(query: self) }
}

/// Running a ``Query`` as an `async` function; returned by ``Query/async``.
public struct AsyncQuery: Sendable {
    /// The query.
    public let query: Query

    /// Runs the query on the current state of the database; see ``Query/execute()``. If the task is cancelled, the run is stopped and
    /// throws `CancellationError`.
    public nonisolated(nonsending) func execute() async throws -> ResultSet {
        let cancellation = QueryCancellation()
        return try await cancellation.withTask { try await read { try $0.execute(endedBy: cancellation) } }
    }

    nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Query) throws -> Value) async throws -> Value {
        // A query without a database throws at once.
        try Task.checkCancellation()
        guard let database = query.draft.database else { return try body(query) }
        return try await database.core.work.reads.run { [query] in try body(query) }
    }
}
