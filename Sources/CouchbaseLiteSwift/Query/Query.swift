import DocumentStore
import Foundation
import LogCore
import QueryEngine
import Synchronization

/// A query of a database's documents, made by ``QueryBuilder`` or ``Database/createQuery(_:)``.
///
/// Safe to use from any thread. It is compiled when it is first run, and again only for a run that finds other indexes or collections.
public class Query: CustomStringConvertible, @unchecked Sendable {
    // Unchecked because the class is open to the steps of the builder; all that changes is in `memory`, under its lock.
    let draft: QueryDraft

    private struct State {
        var parameters: Parameters?
        var encodedParameters: Swift.Result<QueryParameters, any Error> = .success(QueryParameters())
        var prepared: PreparedQuery?
        /// What runs it for its listeners, once there has been one.
        var observer: QueryObserver?
        /// What ends the runs that are under way.
        var runs: [QueryCancellation] = []
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
    ///   it does not have; `notOpen` once the database is closed; `CancellationError` when ``cancel()`` is called meanwhile.
    public func execute() throws -> ResultSet {
        try execute(endedBy: QueryCancellation())
    }

    /// Ends the runs of the query that are under way, on whatever threads: each ``execute()`` that has begun throws
    /// `CancellationError`. Those that begin later run as ever, and listeners are told as ever.
    ///
    /// To be called from any thread. A run ends at the next row that it looks at, or within some thousand steps of a regular
    /// expression, a `LIKE` under a collation or `contains()` on a long text.
    public func cancel() {
        for run in memory.state.withLock({ $0.runs }) { run.cancel() }
    }

    /// Runs the query until its end, or until it is cancelled by ``cancel()`` or by who gave `cancellation`.
    func execute(endedBy cancellation: QueryCancellation) throws -> ResultSet {
        memory.state.withLock { $0.runs.append(cancellation) }
        defer {
            memory.state.withLock { state in
                if let index = state.runs.firstIndex(where: { $0 === cancellation }) { state.runs.remove(at: index) }
            }
        }
        return try throwingPublicErrors {
            let (database, _, prepared) = try prepare()
            let parameters = try memory.state.withLock { $0.encodedParameters }.get()
            let start = EngineLog.isEnabled(.verbose, .query) ? ContinuousClock.now : nil
            let rows = try database.withFile {
                try prepared.run(on: $0, parameters: parameters, cancellation: cancellation)
            }
            if let start {
                EngineLog.log(.verbose, .query, Self.report(of: rows, after: .now - start, prepared, database))
            }
            return ResultSet(rows, database: database)
        }
    }

    /// What the log is told of a query that has been run, with its results.
    private static func report(of rows: RecordedRows, after duration: Duration, _ prepared: PreparedQuery, _ database: Database) -> String {
        let lines = ResultSet(rows, database: database).map { "\n" + $0.jsonOfColumns }.joined()
        return "ran \(prepared.compiled.sql) in \(Int(duration / .microseconds(1))) µs: \(rows.count) rows\(lines)"
    }

    /// How the query is run: the SQL that it is translated to, SQLite's plan with a line for every step, and the query as JSON.
    ///
    /// - Throws: As ``execute()``.
    public func explain() throws -> String {
        try throwingPublicErrors {
            let (database, _, prepared) = try prepare()
            return try database.withFile { try prepared.explain(on: $0) }
        }
    }

    /// The query as JSON.
    public var description: String {
        let json = (try? draft.select.get()).map { QueryJSON.text(of: $0) } ?? "invalid"
        return "Query[\(json)]"
    }

    /// The query as JSON in UTF-8, in the form that ``init(database:JSONRepresentation:)`` takes, however it was made. Of a query of the
    /// builder that makes no sense it is `null`.
    public var JSONRepresentation: Data {
        Data((try? draft.select.get()).map { QueryJSON.text(of: $0) }?.utf8 ?? "null".utf8)
    }

    /// A query of a text in JSON: an object with the operands of SELECT, such as ``JSONRepresentation`` gives. Without `FROM` it reads
    /// the default collection.
    ///
    /// A text that makes no sense is found out when the query is run, explained or listened to: that throws `invalidQuery`.
    public convenience init(database: Database, JSONRepresentation json: Data) {
        let select = Swift.Result { () throws(QueryError) in try QueryJSON.parse(String(decoding: json, as: UTF8.self))
        }
        self.init(QueryDraft(select: select, database: database))
    }

    /// Compiles the query unless that has been done.
    @discardableResult
    func prepare() throws -> (Database, DatabaseFile, PreparedQuery) {
        let select = try draft.select.get()
        guard let database = draft.database else { throw QueryError.hasNoSource }
        let file = try database.openFile()
        if let prepared = memory.state.withLock({ $0.prepared }) { return (database, file, prepared) }
        let prepared = try database.withFile { file in
            try PreparedQuery(select, on: file, databaseName: database.name, tellsMatches: draft.tellsMatches)
        }
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
