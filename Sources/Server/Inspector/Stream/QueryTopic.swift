import Base
import DocumentStore
import QueryEngine
import QueryLanguage
import Synchronization

/// The rows of a query, with the pacing of all live queries.
struct QueryTopic: StreamTopic {
    private let observer: QueryObserver
    private let rowLimit: Int
    private let seconds: Double
    private let latest = LatestOutcome()
    private var observation: ChangeObservation?
    /// Ends the first run if it takes too long.
    private var timer: ChangeObservation?

    /// - Throws: ``APIError`` or `QueryError` if the text is not that of a query.
    init(_ request: JSONObject, of database: InspectedDatabase) throws {
        let text = try request.required("text")
        guard try SQLPlusPlus.parseDataStatement(text) == nil else {
            throw APIError(.badRequest, "only queries can be live: this statement changes documents")
        }
        (rowLimit, seconds) = (try InspectedDatabase.rowLimit(request), try InspectedDatabase.timeLimit(request))
        var select = try SQLPlusPlus.parse(text)
        // All rows are in memory between two runs. One more than are shown tells that there are more.
        switch select.limit {
        case nil: select.limit = .integer(Int64(rowLimit + 1))
        case .integer(let number): select.limit = .integer(min(number, Int64(rowLimit + 1)))
        default: throw APIError(.badRequest, "the limit of a live query must be a number")
        }
        let (file, name) = (try database.file, database.name)
        observer = QueryObserver(file, parameters: .success(try InspectedDatabase.parameters(request))) { [select] in
            try PreparedQuery(select, on: file, databaseName: name)
        }
    }

    mutating func observe(_ changed: @escaping @Sendable () -> Void) {
        let (observer, latest) = (observer, latest)
        let number = observer.addListener { outcome in
            latest.set(outcome)
            changed()
        }
        observation = ChangeObservation { observer.removeListener(number) }
        timer = QueryTimer.call(after: seconds) { [seconds] in
            guard latest.setIfNone(APIError.late(after: seconds)) else { return }
            observer.removeListener(number)
            changed()
        }
    }

    mutating func next() throws -> AnswerValue? {
        switch latest.remove() {
        case nil: return nil
        case .failure(let error): return APIError(error).value
        case .success(let rows):
            var shown = ShownRows(limit: rowLimit)
            _ = try shown.add(rows)
            return shown.answer
        }
    }
}

/// The last outcome of a query that was not sent. Thread-safe.
private final class LatestOutcome: Sendable {
    private struct State {
        var outcome: QueryObserver.Outcome?
        var hasRun = false
    }

    private let state = Mutex(State())

    func set(_ outcome: QueryObserver.Outcome) { state.withLock { $0 = State(outcome: outcome, hasRun: true) } }

    /// Sets an error, unless there was an outcome before. Returns whether it was set.
    func setIfNone(_ error: any Error) -> Bool {
        state.withLock { state in
            guard !state.hasRun else { return false }
            state = State(outcome: .failure(error), hasRun: true)
            return true
        }
    }

    /// Removes and returns the outcome.
    func remove() -> QueryObserver.Outcome? { state.withLock { $0.outcome.take() } }
}
