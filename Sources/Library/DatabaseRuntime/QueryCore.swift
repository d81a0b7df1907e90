import Base
import DocumentStore
package import QueryEngine
package import QueryLanguage
import Synchronization

/// What a query and its copies share: the compiled query, the values of its parameters, the observer that runs it for its listeners, and
/// the runs in progress. Thread-safe.
package final class QueryCore: Sendable {
    private struct State {
        var parameters: Result<QueryParameters, any Error> = .success(QueryParameters())
        var originalParameters: (any AnyObject & Sendable)?
        var prepared: PreparedQuery?
        /// `nil` until the first listener is added.
        var observer: QueryObserver?
        var minimumInterval: Double = 0
        /// One entry for each run in progress, to cancel it.
        var runs: [QueryCancellation] = []
    }
    private let state = Mutex(State())
    private let select: Result<SelectStatement, QueryError>
    private let reportsMatches: Bool

    /// - Parameters:
    ///   - select: The query, or the error with which each run fails.
    ///   - reportsMatches: Whether the rows of a full-text query include the positions of the matched words.
    package init(_ select: Result<SelectStatement, QueryError>, reportsMatches: Bool) {
        (self.select, self.reportsMatches) = (select, reportsMatches)
    }

    /// The object from which the values of the parameters were encoded.
    package var originalParameters: (any AnyObject & Sendable)? { state.withLock { $0.originalParameters } }

    /// Sets the values of the parameters, or the error with which the next run fails. Runs the query for its listeners at once.
    ///
    /// - Parameter original: The object from which they were encoded.
    package func setParameters(_ parameters: Result<QueryParameters, any Error>, from original: (any AnyObject & Sendable)? = nil) {
        let old = state.withLock { state in
            defer { state.originalParameters = original }
            state.parameters = parameters
            state.observer?.setParameters(parameters)
            return state.originalParameters
        }
        // Released outside of the lock, because it may hold objects of the app.
        withExtendedLifetime(old) {}
    }

    /// The minimum time between the end of a run for the listeners and the next run after a commit, in seconds. A negative value or one
    /// that is not a number counts as 0, which is the default.
    package var minimumInterval: Double {
        get { state.withLock { $0.minimumInterval } }
        set {
            state.withLock { state in
                state.minimumInterval = newValue
                state.observer?.setMinimumInterval(Self.milliseconds(newValue))
            }
        }
    }

    /// Returns a number of seconds in milliseconds, at most about 30 years.
    private static func milliseconds(_ seconds: Double) -> Int64 {
        seconds > 0 ? Int64((min(seconds, 1e9) * 1000).rounded(.up)) : 0
    }

    /// Cancels all runs in progress, except those for listeners.
    package func cancel() {
        for run in state.withLock({ $0.runs }) { run.cancel() }
    }

    /// Returns the compiled query. Compiles it first if that was not done before.
    ///
    /// - Throws: `QueryError` if the query is invalid; `notOpen` if the database is closed; errors of reading the file.
    package func prepared(on database: DatabaseCore) throws -> PreparedQuery {
        if let prepared = state.withLock({ $0.prepared }) {
            _ = try database.openFile()
            return prepared
        }
        let select = try select.get()
        let prepared = try database.withFile { file in
            try PreparedQuery(select, on: file, databaseName: database.name, reportsMatches: reportsMatches)
        }
        state.withLock { $0.prepared = prepared }
        return prepared
    }

    /// Runs the query and returns its rows. The run is logged with all rows if the log wants verbose messages.
    ///
    /// - Parameters:
    ///   - cancellation: Cancels the run, as ``cancel()`` does.
    ///   - parameters: The values of all parameters of the query; `nil` for those that were set.
    /// - Throws: The errors of ``prepared(on:)`` and of the run; an error if `parameters` lacks one.
    package func run(
        on database: DatabaseCore,
        _ cancellation: QueryCancellation,
        parameters: QueryParameters? = nil
    ) throws -> RecordedRows {
        try cancellable(cancellation) {
            let (prepared, values) = try prepared(on: database, parameters)
            let start = EngineLog.isEnabled(.verbose, .query) ? ContinuousClock.now : nil
            let rows = try database.withFile { try prepared.run(on: $0, parameters: values, cancellation: cancellation) }
            if let start { Self.log(rows, after: .now - start, prepared) }
            return rows
        }
    }

    /// Runs the query and passes its rows on in batches while it reads them.
    ///
    /// - Parameters:
    ///   - parameters: The values of all parameters; `nil` for those that were set.
    ///   - body: Called for each batch, at least once; returns whether to go on.
    /// - Throws: As ``run(on:_:parameters:)``, also for a parameter that was not set; the errors of `body`.
    package func stream(
        on database: DatabaseCore,
        _ cancellation: QueryCancellation,
        parameters: QueryParameters? = nil,
        _ body: (RecordedRows) throws -> Bool
    ) throws {
        try cancellable(cancellation) {
            let (prepared, values) = try prepared(on: database, parameters ?? state.withLock { $0.parameters }.get())
            try database.withFile { try prepared.stream(on: $0, parameters: values, cancellation: cancellation, body) }
        }
    }

    /// Runs `body` so that ``cancel()`` cancels it.
    private func cancellable<Result>(_ cancellation: QueryCancellation, _ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.runs.append(cancellation) }
        defer {
            state.withLock { state in
                if let index = state.runs.firstIndex(where: { $0 === cancellation }) { state.runs.remove(at: index) }
            }
        }
        return try body()
    }

    /// Returns the compiled query and the values of its parameters.
    private func prepared(on database: DatabaseCore, _ parameters: QueryParameters?) throws -> (PreparedQuery, QueryParameters) {
        let prepared = try self.prepared(on: database)
        if let parameters {
            for name in prepared.compiled.parameterNames where parameters[name] == nil { throw QueryError.parameterNotSet(name) }
        }
        return (prepared, try parameters ?? state.withLock { $0.parameters }.get())
    }

    /// Logs the SQL and the duration of a run, and each row (API 13). A message with all rows could need several times the memory of the
    /// rows.
    private static func log(_ rows: RecordedRows, after duration: Duration, _ prepared: PreparedQuery) {
        let microseconds = Int(duration / .microseconds(1))
        EngineLog.log(.verbose, .query, "ran \(prepared.compiled.sql) in \(microseconds) µs: \(rows.count) rows")
        for row in 0..<rows.count { EngineLog.log(.verbose, .query, "row \(row + 1): \(rows.json(row: row))") }
    }

    /// Returns the observer that runs the query for its listeners.
    ///
    /// - Throws: `notOpen` if the database is closed.
    package func observer(on database: DatabaseCore) throws -> QueryObserver {
        let file = try database.openFile()
        let name = database.name
        return state.withLock { [select, reportsMatches] state in
            if let observer = state.observer { return observer }
            let observer = QueryObserver(file, parameters: state.parameters) { [prepared = state.prepared] in
                try prepared ?? PreparedQuery(select.get(), on: file, databaseName: name, reportsMatches: reportsMatches)
            }
            observer.setMinimumInterval(Self.milliseconds(state.minimumInterval))
            state.observer = observer
            return observer
        }
    }
}
