import QueryEngine

extension Query {
    /// The functions that may block, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncQuery { AsyncQuery(query: self) }
}

/// The functions of a ``Query`` that may block, as `async` functions: what ``Query/async`` gives.
public struct AsyncQuery: Sendable {
    /// The query.
    public let query: Query

    /// Runs the query on the database as it is now; see ``Query/execute()``. Cancelling the task ends the run, which throws
    /// `CancellationError`.
    public nonisolated(nonsending) func execute() async throws -> ResultSet {
        let cancellation = QueryCancellation()
        return try await withTaskCancellationHandler {
            try await read { try $0.execute(endedBy: cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// How the query is run; see ``Query/explain()``.
    public nonisolated(nonsending) func explain() async throws -> String {
        try await read { try $0.explain() }
    }

    /// How the query would be run, in words; see ``Query/plan``.
    public nonisolated(nonsending) var plan: QueryPlan {
        get async throws {
            try await read { try $0.plan }
        }
    }

    private nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Query) throws -> Value) async throws -> Value {
        // Without a database there is nothing to wait for: it throws.
        guard let database = query.draft.database else { return try body(query) }
        return try await database.work.read { [query] in try body(query) }
    }
}
