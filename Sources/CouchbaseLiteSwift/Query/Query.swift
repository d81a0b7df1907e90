import DocumentStore
import LogCore
import QueryEngine
import Synchronization

/// A query of a database's documents, made by ``QueryBuilder`` or ``Database/createQuery(_:)``.
///
/// Safe to use from any thread. It is compiled once, when it is first run.
public class Query: CustomStringConvertible, @unchecked Sendable {
    // Unchecked because the class is open to the steps of the builder; all that changes is in `memory`, under its lock.
    let draft: QueryDraft

    private struct State {
        var parameters: Parameters?
        var encodedParameters: Swift.Result<QueryParameters, any Error> = .success(QueryParameters())
        var prepared: PreparedQuery?
        /// What runs it for its listeners, once there has been one.
        var observer: QueryObserver?
    }
    /// What changes. Another object that stands for the same query has the same.
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

    /// The values of the parameters. A copy is taken when they are set; the one that is returned cannot be changed.
    ///
    /// A query that has listeners is run anew when they are set.
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

    /// Runs the query on the database as it is now. The results do not change when the database does.
    ///
    /// - Throws: `invalidQuery` when the query makes no sense; `missingIndex`; `invalidQueryParam` for a parameter that
    ///   it does not have; `notOpen` once the database is closed.
    public func execute() throws -> ResultSet {
        try throwingPublicErrors {
            let (database, file, prepared) = try prepare()
            let parameters = try memory.state.withLock { $0.encodedParameters }.get()
            let start = EngineLog.isEnabled(.verbose, .query) ? ContinuousClock.now : nil
            let rows = try prepared.run(on: file, parameters: parameters)
            if let start {
                EngineLog.log(.verbose, .query, Self.report(of: rows, after: .now - start, prepared, database))
            }
            return ResultSet(rows, database: database)
        }
    }

    /// What the log is told of a query that has been run, with its results.
    private static func report(
        of rows: RecordedRows,
        after duration: Duration,
        _ prepared: PreparedQuery,
        _ database: Database
    ) -> String {
        let lines = ResultSet(rows, database: database).map { "\n" + $0.toJSON() }.joined()
        return "ran \(prepared.compiled.sql) in \(Int(duration / .microseconds(1))) µs: \(rows.count) rows\(lines)"
    }

    /// How the query is run: the SQL that it is translated to, SQLite's plan with a line for every step, and the query as JSON.
    ///
    /// - Throws: As ``execute()``.
    public func explain() throws -> String {
        try throwingPublicErrors {
            let (_, file, prepared) = try prepare()
            return try prepared.explain(on: file)
        }
    }

    /// The query as JSON.
    public var description: String {
        let json = (try? draft.select.get()).map { QueryJSON.text(of: $0) } ?? "invalid"
        return "Query[\(json)]"
    }

    /// Compiles the query unless that has been done.
    @discardableResult
    func prepare() throws -> (Database, DatabaseFile, PreparedQuery) {
        let select = try draft.select.get()
        guard let database = draft.database else {
            throw QueryError.hasNoSource
        }
        let file = try database.openFile()
        if let prepared = memory.state.withLock({ $0.prepared }) { return (database, file, prepared) }
        let prepared = try PreparedQuery(
            select,
            on: file,
            databaseName: database.name,
            tellsMatches: draft.tellsMatches
        )
        memory.state.withLock { $0.prepared = prepared }
        return (database, file, prepared)
    }
}

extension Query {
    /// What runs the query for its listeners, and the database it belongs to.
    ///
    /// - Throws: `invalidQuery` when the query has no database; `notOpen`.
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

    /// The query as its listeners are told of it.
    var reference: QueryReference {
        let (select, memory) = (draft.select, memory)
        return QueryReference(self) { Query(QueryDraft(select: select, database: $0), memory) }
    }
}

extension QueryError {
    fileprivate static var hasNoSource: QueryError {
        .invalidQuery("The query does not say what to read: from(…) is missing")
    }
}

/// What queries can be made of by text.
public protocol QueryFactory {
    /// Makes a query of SQL++ text.
    func createQuery(_ query: String) throws -> Query
}

extension Database: QueryFactory {
    /// Makes a query of SQL++ text.
    ///
    /// ```swift
    /// let query = try database.createQuery("SELECT meta().id, name FROM _ WHERE type = 'airport' ORDER BY name")
    /// for row in try query.execute() { print(row.string(forKey: "name") ?? "") }
    /// ```
    ///
    /// - Throws: `invalidQuery` when the text cannot be understood, with the position of the error; `notOpen`.
    public func createQuery(_ query: String) throws -> Query {
        try throwingPublicErrors {
            let select = try SQLPlusPlus.parse(query)
            let made = Query(QueryDraft(select: .success(select), database: self))
            try made.prepare()
            return made
        }
    }
}
