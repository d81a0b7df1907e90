import DatabaseRuntime
import QueryEngine
import QueryLanguage

extension Query {
    /// The functions of the query that may block, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncQuery { AsyncQuery(query: self) }
}

/// The functions of a ``Query`` that may block, as `async` functions; returned by ``Query/async``.
public struct AsyncQuery: Sendable {
    /// The query.
    public let query: Query

    /// Runs the query on the current state of the database; see ``Query/execute()``. If the task is cancelled, the run is stopped and
    /// throws `CancellationError`.
    public nonisolated(nonsending) func execute() async throws -> ResultSet {
        let cancellation = QueryCancellation()
        return try await cancellation.withTask { try await read { try $0.execute(endedBy: cancellation) } }
    }

    /// Returns the SQL to which the query is translated, SQLite's plan, and the query as JSON; see ``Query/explain()``.
    public nonisolated(nonsending) func explain() async throws -> String { try await read { try $0.explain() } }

    /// A description of how the query would be run; see ``Query/plan``.
    public nonisolated(nonsending) var plan: QueryPlan {
        get async throws { try await read { try $0.plan } }
    }

    private nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Query) throws -> Value) async throws -> Value {
        // A query without a database throws at once.
        try Task.checkCancellation()
        guard let database = query.draft.database else { return try body(query) }
        return try await database.core.work.reads.run { [query] in try body(query) }
    }
}

extension ModelQuery {
    /// The blocking functions of the query, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncModelQuery<Model> { AsyncModelQuery(query: self) }
}

/// The blocking functions of a ``ModelQuery``, as `async` functions; see ``ModelQuery/async``.
public struct AsyncModelQuery<Model: Decodable>: Sendable {
    /// The query.
    public let query: ModelQuery<Model>

    /// Runs the query and returns the objects that satisfy the condition; see ``ModelQuery/execute()``. The caller's task decodes the
    /// documents after they have been read.
    ///
    /// - Throws: As ``ModelQuery/execute()``; `CancellationError` if the task is cancelled while the query runs.
    public nonisolated(nonsending) func execute() async throws -> [Model] { try query.models(in: try await query.query.async.execute()) }
}
