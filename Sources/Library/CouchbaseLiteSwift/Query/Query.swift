import DatabaseRuntime
import DocumentStore
import Foundation
package import QueryEngine
import QueryLanguage

/// A query of a database, created by ``QueryBuilder`` or ``Database/createQuery(_:)``.
///
/// Thread-safe. The query is compiled on first use, and compiled again only after indexes or collections were created or deleted. It keeps
/// the ``Database`` object alive.
public class Query: CustomStringConvertible, @unchecked Sendable {
    // Unchecked because the builder's steps are subclasses. They add no state; all mutable state is in `core`, which is thread-safe.
    let draft: QueryDraft
    /// Shared by copies of the query.
    private let core: QueryCore

    /// - Parameter reportsMatches: Whether the rows of a full-text query include the positions of the matched words.
    init(_ draft: QueryDraft, reportsMatches: Bool = false) {
        self.draft = draft
        core = QueryCore(draft.tree, reportsMatches: reportsMatches)
    }

    private init(_ draft: QueryDraft, _ core: QueryCore) { (self.draft, self.core) = (draft, core) }

    /// The values of the query's parameters. Default: `nil`, no parameters.
    ///
    /// Setting the property copies and encodes the values: changing the `Parameters` object later has no effect on the query. A value that
    /// cannot be encoded makes the next run throw. The returned object is read-only.
    ///
    /// Setting new values runs the query again at once for its listeners, in the background, and notifies all of them.
    public var parameters: Parameters? {
        get { core.originalParameters as? Parameters }
        set {
            let frozen = newValue.map { Parameters(frozen: $0) }
            core.setParameters(Swift.Result { try frozen?.queryParameters() ?? QueryParameters() }, from: frozen)
        }
    }

    /// The minimum time between the end of a run for listeners and the next run after a commit, in seconds. The default, 0, shows changes
    /// at once, see ``addChangeListener(withQueue:_:)``; a negative number counts as 0. Applies to every live form of this query.
    public var minimumRunInterval: TimeInterval {
        get { core.minimumInterval }
        set { core.minimumInterval = newValue }
    }

    /// Runs the query and returns its rows, as of the time of the call.
    ///
    /// All rows are read before the function returns and are held in memory until the ``ResultSet`` and everything taken from it are
    /// released. For large results select only the columns you need and set a limit; a result of more than 2 GiB is an error. Later changes
    /// of the database do not affect the rows. Inside a batch the query sees the uncommitted changes of that batch.
    ///
    /// Blocks the calling thread while it reads from disk, and while other threads use all read connections of the database. In a task, call it
    /// inside of ``Database/read(_:)``, or use ``AsyncQuery/execute()``.
    ///
    /// - Complexity: Depends on the indexes, see ``plan``: without a suitable one, O(*n*) in the number of documents in the collection.
    /// - Throws: `invalidQuery` if the query is invalid, fails while it is evaluated, or has too large a result; `missingIndex` if it
    ///   matches against a full-text index that does not exist; `invalidQueryParam` if a parameter is set that the query does not have; the
    ///   encoding error of a parameter; `notOpen` if the database is closed; `CancellationError` after a concurrent call of ``cancel()``.
    public func execute() throws -> ResultSet { try execute(endedBy: cancellation) }

    /// What cancels a run on the calling thread.
    var cancellation: QueryCancellation { draft.database?.cancellation ?? QueryCancellation() }

    /// Cancels all runs of this query that are in progress, on any thread: each ``execute()`` in progress throws `CancellationError`. Later
    /// runs are not affected, nor are listeners.
    ///
    /// Can be called from any thread and does not block. A run stops at the next row it reads, or within some thousand steps of a regular
    /// expression, of a `LIKE` with a collation, or of `contains()` on a long text.
    public func cancel() { core.cancel() }

    /// Runs the query. ``cancel()`` and the caller, by `cancellation`, can cancel the run.
    ///
    /// - Parameter parameters: The values of all parameters; `nil` for those of ``parameters``.
    func execute(endedBy cancellation: QueryCancellation, parameters: QueryParameters? = nil) throws -> ResultSet {
        try throwingPublicErrors {
            let database = try draft.source
            return ResultSet(try core.run(on: database.core, cancellation, parameters: parameters), database: database)
        }
    }

    /// Runs the query with these parameters, which must be those that it has.
    func execute(_ parameters: Parameters, _ cancellation: QueryCancellation) throws -> ResultSet {
        try execute(endedBy: cancellation, parameters: try throwingPublicErrors { try parameters.queryParameters() })
    }

    /// Runs the query and passes its rows on in batches while it reads them, so that a result of any size takes little memory. The database
    /// is being read until the function returns.
    ///
    /// - Parameters:
    ///   - cancellation: Ends the run, also before it begins.
    ///   - body: Called for each batch, at least once; returns whether to go on.
    /// - Throws: As ``execute()``; `invalidQueryParam` if a parameter has no value; the errors of `body`.
    package func stream(endedBy cancellation: QueryCancellation = QueryCancellation(), _ body: (RecordedRows) throws -> Bool) throws {
        var app = AppErrors()
        do {
            try core.stream(on: draft.source.core, cancellation) { rows in try app.record { try body(rows) } }
        } catch {
            // The errors of `body` are not converted.
            throw app.thrown ?? LibraryError.thrown(error)
        }
    }

    /// Returns a technical description of how the query is run: the SQL it is translated to, a line for each step of SQLite's plan, and the
    /// query as JSON. See ``plan`` for a description in words.
    ///
    /// Does not run the query, but blocks while it reads the database's schema.
    ///
    /// - Throws: `invalidQuery`, `missingIndex` or `notOpen`, as ``execute()``.
    public func explain() throws -> String { try withFile { try $0.explain(on: $1) } }

    /// A text for logs: `Query[…]` with the query as JSON, or `Query[invalid]`.
    public var description: String { "Query[\(json ?? "invalid")]" }

    private var json: String? { (try? draft.tree.get()).map { QueryJSON.text(of: $0) } }

    /// The query as JSON in UTF-8, in the form that ``init(database:JSONRepresentation:)`` accepts, for builder and text queries alike. The
    /// value is `null` if a builder query is invalid.
    public var JSONRepresentation: Data { Data((json ?? "null").utf8) }

    /// Creates a query from JSON text: an object with the operands of SELECT, as returned by ``JSONRepresentation``. Without `FROM` the
    /// query reads the default collection.
    ///
    /// Does not throw: if the text is invalid, running or explaining the query throws `invalidQuery`, and listeners receive that error.
    public convenience init(database: Database, JSONRepresentation json: Data) {
        let select = Swift.Result { () throws(QueryError) in try QueryJSON.parse(String(decoding: json, as: UTF8.self)) }
        self.init(QueryDraft(tree: select, database: database))
    }

    /// Compiles the query unless it is compiled already, and returns what is needed to run it.
    ///
    /// - Throws: `invalidQuery`; `missingIndex`; `notOpen` if the database is closed.
    @discardableResult
    func prepare() throws -> (Database, PreparedQuery) {
        let database = try draft.source
        return (database, try core.prepared(on: database.core))
    }

    /// Runs `body` with the compiled query and the file.
    func withFile<Value>(_ body: (PreparedQuery, DatabaseFile) throws -> Value) throws -> Value {
        try throwingPublicErrors {
            let (database, prepared) = try prepare()
            return try database.withFile { try body(prepared, $0) }
        }
    }

    /// Returns the observer that runs the query for its listeners, and where it is registered.
    ///
    /// - Throws: `invalidQuery` if the query has no database; `notOpen` if the database is closed.
    func observer() throws -> (ObservedQueries, QueryObserver) {
        let database = try draft.source.core
        return (database.observedQueries, try core.observer(on: database))
    }

    /// Returns the query for its listeners, without retaining it or the database. If it has been released, it is an equal one.
    var reference: @Sendable (Database) -> Query {
        { [weak self, core, select = draft.tree] in self ?? Query(QueryDraft(tree: select, database: $0), core) }
    }
}

typealias QueryDraft = Draft<SelectStatement, Database>

extension Draft {
    func setting(_ path: WritableKeyPath<Tree, QueryExpression?>, _ new: (any ExpressionProtocol)?) -> Self {
        setting(path, try new?.queryExpression())
    }
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
            let made = Query(QueryDraft(tree: .success(select), database: self))
            try made.prepare()
            return made
        }
    }
}
