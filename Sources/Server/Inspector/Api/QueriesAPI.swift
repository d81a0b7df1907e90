import Base
import Dispatch
import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import Synchronization
import VectorSearch

/// The queries of all databases of an inspector that run at the moment, by the names that the page has given them, so that it can cancel them.
final class RunningQueries: Sendable {
    /// Fewer than the connections that read, and than the threads of a server, so that the rest of the page does not have to wait for queries.
    private static let maximum = 3

    private struct Key: Hashable {
        let database: ExactString
        let name: ExactString

        init(_ name: String, of database: String) { (self.database, self.name) = (ExactString(database), ExactString(name)) }
    }

    private struct State {
        var running: [Key: QueryCancellation] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// - Throws: ``APIError`` if too many queries run, or one with that name, or if no more queries may run.
    func begin(_ name: String, of database: String) throws(APIError) -> QueryCancellation {
        let (key, cancellation) = (Key(name, of: database), QueryCancellation())
        let refusal = state.withLock { state -> APIError? in
            guard !state.isStopped else { return APIError(.cancelled, "the server ends") }
            guard state.running.count < Self.maximum, state.running[key] == nil else {
                return APIError(.busy, "too many queries are running: cancel one, or wait until one has ended")
            }
            state.running[key] = cancellation
            return nil
        }
        if let refusal { throw refusal }
        return cancellation
    }

    func end(_ name: String, of database: String) { state.withLock { _ = $0.running.removeValue(forKey: Key(name, of: database)) } }

    /// Returns `false` if there is no such query.
    func cancel(_ name: String, of database: String) -> Bool {
        let cancellation = state.withLock { $0.running[Key(name, of: database)] }
        cancellation?.cancel()
        return cancellation != nil
    }

    /// Cancels the running queries. No query can begin afterwards.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            return Array(state.running.values)
        }
        for cancellation in running { cancellation.cancel() }
    }
}

extension InspectedDatabase {
    /// The most that the rows of one answer take as JSON, in bytes.
    fileprivate static let maximumResult = 16 << 20
    private static let maximumRows = 10_000

    /// `POST query`: runs a query, or a statement that changes documents if `write` is true. Ends after `limit` rows or `seconds`.
    func runQuery(_ request: APIRequest) throws -> APIResponse {
        let object = try request.object()
        let text = try object.required("text")
        let queryName = try object.string("name") ?? ""
        let (limit, seconds) = (try Self.rowLimit(object), try Self.timeLimit(object))
        let parameters = try Self.parameters(object)
        let cancellation = try queries.begin(queryName, of: name)
        defer { queries.end(queryName, of: name) }
        let isLate = Mutex(false)
        let timer = QueryTimer.call(after: seconds) {
            isLate.withLock { $0 = true }
            cancellation.cancel()
        }
        defer { withExtendedLifetime(timer) {} }
        do {
            if let statement = try SQLPlusPlus.parseDataStatement(text) {
                return try run(statement, parameters, cancellation, mayWrite: try object.bool("write"))
            }
            return try run(SQLPlusPlus.parse(text), parameters, cancellation, limit: limit)
        } catch is CancellationError where isLate.withLock({ $0 }) {
            throw APIError.late(after: seconds)
        }
    }

    /// Returns the maximum number of rows of an answer that a request wants.
    static func rowLimit(_ request: JSONObject) throws(APIError) -> Int {
        Int(try request.number("limit", in: 1...Double(maximumRows), default: 1_000))
    }

    /// Returns the time after which a query is ended, in seconds.
    static func timeLimit(_ request: JSONObject) throws(APIError) -> Double { try request.number("seconds", in: 0.001...600, default: 30) }

    static func parameters(_ object: JSONObject) throws -> QueryParameters {
        var parameters = QueryParameters()
        for (name, value) in try object.members("parameters") { parameters[name] = value }
        return parameters
    }

    private func run(_ select: SelectStatement, _ parameters: QueryParameters, _ cancellation: QueryCancellation, limit: Int) throws
        -> APIResponse
    {
        let start = ContinuousClock.now
        let file = try file
        let query = try PreparedQuery(select, on: file, databaseName: name)
        var rows = ShownRows(limit: limit)
        try query.stream(on: file, parameters: parameters, cancellation: cancellation) { try rows.add($0) }
        return .json(rows.answer + ["milliseconds": (ContinuousClock.now - start) / .milliseconds(1)])
    }

    private func run(
        _ statement: DataStatement,
        _ parameters: QueryParameters,
        _ cancellation: QueryCancellation,
        mayWrite: Bool
    ) throws -> APIResponse {
        try checkIsWritable()
        guard mayWrite else { throw APIError(.conflict, "this statement changes documents", details: ["statement": true]) }
        let start = ContinuousClock.now
        let outcome = try statement.run(on: file, databaseName: name, parameters: parameters, cancellation: cancellation)
        var rows = ShownRows(limit: Self.maximumRows)
        _ = try rows.add(outcome.rows)
        let more: AnswerObject = [
            "changed": outcome.count, "skipped": outcome.skippedCount,
            "milliseconds": (ContinuousClock.now - start) / .milliseconds(1),
        ]
        return .json(rows.answer + more)
    }

    /// `POST cancel`: cancels the query with a name.
    func cancelQuery(_ request: APIRequest) throws -> APIResponse {
        let queryName = try request.object().required("name")
        return .json(["cancelled": queries.cancel(queryName, of: name)])
    }

    /// `POST explain`: describes the plan of a query in words, and the indexes that would help.
    func explain(_ request: APIRequest) throws -> APIResponse {
        let text = try request.object().required("text")
        guard try SQLPlusPlus.parseDataStatement(text) == nil else {
            throw APIError(.badRequest, "only queries have a plan: this statement changes documents")
        }
        let file = try file
        let query = try PreparedQuery(SQLPlusPlus.parse(text), on: file, databaseName: name)
        let plan = try query.plan(on: file)
        let steps = plan.steps.map { step -> AnswerObject in
            [
                "kind": "\(step.kind)", "depth": step.depth, "text": step.text,
                "collection": step.collection, "index": step.index,
                "documents": step.documentCount,
            ]
        }
        let advice = plan.advice.map { advice -> AnswerObject in
            [
                "reason": advice.reason, "collection": advice.collection, "name": advice.name,
                "path": advice.arrayPath, "expressions": advice.expressions,
                "dimensions": advice.vectorOptions?.dimensions, "centroids": advice.vectorOptions?.centroids,
                "metric": advice.vectorOptions?.metric.name,
            ]
        }
        return .json(["steps": steps, "advice": advice, "sql": try query.explain(on: file)])
    }
}

/// Calls after a time.
enum QueryTimer {
    /// Calls `body` after a number of seconds, unless the result is released before.
    static func call(after seconds: Double, _ body: @escaping @Sendable () -> Void) -> ChangeObservation {
        let clock = SystemSteadyClock()
        let call = clock.wake(at: clock.now + Int64(seconds * 1000), on: .global(), body)
        return ChangeObservation { call.cancel() }
    }
}

extension APIError {
    /// The error of a query that was ended after a number of seconds.
    static func late(after seconds: Double) -> APIError {
        APIError(.timeout, "the query was ended because it took longer than \(seconds) seconds")
    }
}

/// The rows of a result as JSON arrays, up to a number and a size.
struct ShownRows {
    let limit: Int
    private let maximumSize = InspectedDatabase.maximumResult
    private var columns: [String] = []
    /// The columns with documents of which the table shows the properties.
    private var documentColumns: [Int] = []
    private var rows: [RawJSON] = []
    /// The positions of the missing values, counted through all rows. They are null in the rows.
    private var missing: [Int] = []
    private var size = 0
    private var isTruncated = false

    init(limit: Int) { self.limit = limit }

    /// Adds rows until one of the limits is reached. Returns whether more rows are wanted.
    mutating func add(_ batch: RecordedRows) throws -> Bool {
        columns = batch.columnTitles
        documentColumns = batch.documentColumns
        for row in 0..<batch.count {
            guard rows.count < limit, size < maximumSize else {
                isTruncated = true
                return false
            }
            let values = try JSONWriter.array(columns.indices) { writer, column in
                let isMissing = try withExtendedLifetime(batch) {
                    guard let value = batch.value(row: row, column: column), !value.isUndefined else { return true }
                    try writer.append(value, form: .canonical)
                    return false
                }
                guard isMissing else { return }
                missing.append(rows.count * columns.count + column)
                writer.appendNull()
            }
            size += values.count
            rows.append(RawJSON(bytes: values.byteArray))
        }
        return true
    }

    var answer: AnswerObject {
        ["columns": columns, "documents": documentColumns, "rows": rows, "missing": missing, "truncated": isTruncated]
    }
}
