import DocumentStore
import Foundation
import LogCore
import QueryEngine
import Synchronization

/// A query of a database, created by ``QueryBuilder`` or ``Database/createQuery(_:)``.
///
/// Thread-safe. The query is compiled on first use, and compiled again only after indexes or collections were created or deleted. It keeps
/// the ``Database`` object alive.
public class Query: CustomStringConvertible, @unchecked Sendable {
    // Unchecked because the builder's steps are subclasses. They add no state; all mutable state is in `memory`, protected by its lock.
    let draft: QueryDraft

    private struct State {
        var parameters: Parameters?
        var encodedParameters: Swift.Result<QueryParameters, any Error> = .success(QueryParameters())
        var prepared: PreparedQuery?
        /// Runs the query for its listeners; `nil` until the first listener is added.
        var observer: QueryObserver?
        /// One entry for each run in progress, to cancel it.
        var runs: [QueryCancellation] = []
    }
    /// The mutable state. Copies of the query share it.
    private final class Memory: Sendable {
        let state = Mutex(State())
    }
    private let memory: Memory

    init(_ draft: QueryDraft) {
        self.draft = draft
        memory = Memory()
    }

    private init(_ draft: QueryDraft, _ memory: Memory) {
        self.draft = draft
        self.memory = memory
    }

    /// The values of the query's parameters. Default: `nil`, no parameters.
    ///
    /// Setting the property copies and encodes the values: changing the `Parameters` object later has no effect on the query. A value that
    /// cannot be encoded makes the next run throw. The returned object is read-only.
    ///
    /// Setting new values runs the query again at once for its listeners, in the background, and notifies all of them.
    public var parameters: Parameters? {
        get { memory.state.withLock { $0.parameters } }
        set {
            let frozen = newValue.map { Parameters(frozen: $0) }
            let encoded = Swift.Result { try frozen?.queryParameters() ?? QueryParameters() }
            memory.state.withLock { state in
                state.parameters = frozen
                state.encodedParameters = encoded
                state.observer?.setParameters(encoded)
            }
        }
    }

    /// Runs the query and returns its rows, as of the time of the call.
    ///
    /// All rows are read before the function returns and are held in memory until the ``ResultSet`` and everything taken from it are
    /// released. For large results select only the columns you need and set a limit; a result of more than 2 GiB is an error. Later changes
    /// of the database do not affect the rows. Inside a batch the query sees the uncommitted changes of that batch.
    ///
    /// Blocks the calling thread while it reads from disk, and while other threads use all read connections of the database.
    /// ``AsyncQuery/execute()`` suspends the task instead.
    ///
    /// - Complexity: Depends on the indexes, see ``plan``: without a suitable one, O(*n*) in the number of documents in the collection.
    /// - Throws: `invalidQuery` if the query is invalid, fails while it is evaluated, or has too large a result; `missingIndex` if it
    ///   matches against a full-text index that does not exist; `invalidQueryParam` if a parameter is set that the query does not have; the
    ///   encoding error of a parameter; `notOpen` if the database is closed; `CancellationError` after a concurrent call of ``cancel()``.
    public func execute() throws -> ResultSet { try execute(endedBy: QueryCancellation()) }

    /// Cancels all runs of this query that are in progress, on any thread: each ``execute()`` in progress throws `CancellationError`. Later
    /// runs are not affected, nor are listeners.
    ///
    /// Can be called from any thread and does not block. A run stops at the next row it reads, or within some thousand steps of a regular
    /// expression, of a `LIKE` with a collation, or of `contains()` on a long text.
    public func cancel() { for run in memory.state.withLock({ $0.runs }) { run.cancel() } }

    /// Runs the query. ``cancel()`` and the caller, by `cancellation`, can cancel the run.
    func execute(endedBy cancellation: QueryCancellation) throws -> ResultSet {
        try execute(endedBy: cancellation) { try memory.state.withLock { $0.encodedParameters }.get() }
    }

    /// Runs the query with given values of its parameters.
    func execute(endedBy cancellation: QueryCancellation, parameters: () throws -> QueryParameters) throws -> ResultSet {
        memory.state.withLock { $0.runs.append(cancellation) }
        defer {
            memory.state.withLock { state in
                if let index = state.runs.firstIndex(where: { $0 === cancellation }) { state.runs.remove(at: index) }
            }
        }
        return try throwingPublicErrors {
            let (database, prepared) = try prepare()
            let parameters = try parameters()
            let start = EngineLog.isEnabled(.verbose, .query) ? ContinuousClock.now : nil
            let rows = try database.withFile {
                try prepared.run(on: $0, parameters: parameters, cancellation: cancellation)
            }
            let results = ResultTable(rows, database: database)
            if let start { Self.log(results, after: .now - start, prepared) }
            return ResultSet(results)
        }
    }

    /// Logs the SQL and the duration of a run, and each row as a JSON array (API 13). A message with all rows could need several times the
    /// memory of the results.
    private static func log(_ results: ResultTable, after duration: Duration, _ prepared: PreparedQuery) {
        let microseconds = Int(duration / .microseconds(1))
        EngineLog.log(.verbose, .query, "ran \(prepared.compiled.sql) in \(microseconds) µs: \(results.rows.count) rows")
        for row in ResultSet(results) { EngineLog.log(.verbose, .query, "row \(row.row + 1): \(row.jsonOfColumns)") }
    }

    /// Returns a technical description of how the query is run: the SQL it is translated to, a line for each step of SQLite's plan, and the
    /// query as JSON. See ``plan`` for a description in words.
    ///
    /// Does not run the query, but blocks while it reads the database's schema.
    ///
    /// - Throws: `invalidQuery`, `missingIndex` or `notOpen`, as ``execute()``.
    public func explain() throws -> String {
        try throwingPublicErrors {
            let (database, prepared) = try prepare()
            return try database.withFile { try prepared.explain(on: $0) }
        }
    }

    /// A text for logs: `Query[…]` with the query as JSON, or `Query[invalid]`.
    public var description: String {
        let json = (try? draft.select.get()).map { QueryJSON.text(of: $0) } ?? "invalid"
        return "Query[\(json)]"
    }

    /// The query as JSON in UTF-8, in the form that ``init(database:JSONRepresentation:)`` accepts, for builder and text queries alike. The
    /// value is `null` if a builder query is invalid.
    public var JSONRepresentation: Data { Data((try? draft.select.get()).map { QueryJSON.text(of: $0) }?.utf8 ?? "null".utf8) }

    /// Creates a query from JSON text: an object with the operands of SELECT, as returned by ``JSONRepresentation``. Without `FROM` the
    /// query reads the default collection.
    ///
    /// Does not throw: if the text is invalid, running or explaining the query throws `invalidQuery`, and listeners receive that error.
    public convenience init(database: Database, JSONRepresentation json: Data) {
        let select = Swift.Result { () throws(QueryError) in try QueryJSON.parse(String(decoding: json, as: UTF8.self))
        }
        self.init(QueryDraft(select: select, database: database))
    }

    /// Compiles the query unless it is compiled already, and returns what is needed to run it.
    ///
    /// - Throws: `invalidQuery`; `missingIndex`; `notOpen` if the database is closed.
    @discardableResult
    func prepare() throws -> (Database, PreparedQuery) {
        let select = try draft.select.get()
        guard let database = draft.database else { throw QueryError.hasNoSource }
        _ = try database.openFile()
        if let prepared = memory.state.withLock({ $0.prepared }) { return (database, prepared) }
        let prepared = try database.withFile { file in
            try PreparedQuery(select, on: file, databaseName: database.name, reportsMatches: draft.reportsMatches)
        }
        memory.state.withLock { $0.prepared = prepared }
        return (database, prepared)
    }
}

extension Query {
    /// Returns the observer that runs the query for its listeners, and the database.
    ///
    /// - Throws: `invalidQuery` if the query has no database; `notOpen` if the database is closed.
    func observer() throws -> (Database, QueryObserver) {
        guard let database = draft.database else { throw QueryError.hasNoSource }
        let file = try database.openFile()
        let observer = memory.state.withLock { state in
            if let observer = state.observer { return observer }
            let (select, name, prepared) = (draft.select, database.name, state.prepared)
            let observer = QueryObserver(file, parameters: state.encodedParameters) {
                try prepared ?? PreparedQuery(select.get(), on: file, databaseName: name)
            }
            state.observer = observer
            return observer
        }
        return (database, observer)
    }

    /// A weak reference to the query, for its listeners.
    var reference: QueryReference {
        let (select, memory) = (draft.select, memory)
        return QueryReference(self) { Query(QueryDraft(select: select, database: $0), memory) }
    }
}

/// A query under construction: the syntax tree, or the first error.
struct QueryDraft {
    var select: Swift.Result<QueryEngine.Select, QueryError> = .success(QueryEngine.Select())
    var database: Database?
    /// Whether the rows of a full-text query include the positions of the matched words.
    var reportsMatches = false

    func changing(_ change: (inout QueryEngine.Select) throws(QueryError) -> Void) -> QueryDraft {
        var draft = self
        draft.select = Swift.Result { () throws(QueryError) in
            var select = try self.select.get()
            try change(&select)
            return select
        }
        return draft
    }
}

/// A weak reference to a query, which does not retain the database either. If the query has been released, an equal one is created in its
/// place.
final class QueryReference: Sendable {
    private let original: @Sendable () -> Query?
    private let copy: @Sendable (Database) -> Query

    init(_ original: Query, copy: @escaping @Sendable (Database) -> Query) {
        self.original = { [weak original] in original }
        self.copy = copy
    }

    func query(of database: Database) -> Query { original() ?? copy(database) }
}

extension QueryError {
    fileprivate static var hasNoSource: QueryError { .invalidQuery("The query has no data source: from(…) is missing") }
}

/// A type that creates queries from SQL++ text.
public protocol QueryFactory {
    /// Creates a query from SQL++ text; see ``Database/createQuery(_:)``.
    func createQuery(_ query: String) throws -> Query
}

extension Database: QueryFactory {
    /// Creates and compiles a query from SQL++ text.
    ///
    /// ```swift
    /// let query = try database.createQuery("SELECT meta().id, name FROM _ WHERE type = 'airport' ORDER BY name")
    /// for row in try query.execute() { print(row.string(forKey: "name") ?? "") }
    /// ```
    ///
    /// Blocks while it reads the database's schema from disk.
    ///
    /// - Throws: `invalidQuery` if the text is invalid, with the position of a syntax error; `missingIndex` if it matches against a
    ///   full-text index that does not exist; `notOpen` if the database is closed.
    public func createQuery(_ query: String) throws -> Query {
        try throwingPublicErrors {
            let select = try SQLPlusPlus.parse(query)
            let made = Query(QueryDraft(select: .success(select), database: self))
            try made.prepare()
            return made
        }
    }
}
