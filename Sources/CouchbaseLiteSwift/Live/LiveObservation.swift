import QueryEngine

/// A query whose rows are decoded as values.
struct LiveSource<Model: Sendable>: Sendable {
    fileprivate let query: Query
    fileprivate let rows: LiveRows<Model>

    init(_ models: ModelQuery<Model>) throws where Model: Decodable {
        query = models.query
        let decoder = models.rows
        rows = LiveRows(identity: try Self.identity(in: query)) { row in try throwingPublicErrors { try decoder.model(row) } }
    }

    init(_ query: Query, as type: Model.Type) throws where Model: Decodable {
        self.query = query
        rows = LiveRows(identity: try Self.identity(in: query)) { try $0.data(as: type) }
    }

    private static func identity(in query: Query) throws -> RowIdentity {
        try throwingPublicErrors { RowIdentity(documentIDsOf: try query.draft.select.get()) }
    }
}

/// How the rows of a live query are matched and decoded.
private struct LiveRows<Model: Sendable>: Sendable {
    let identity: RowIdentity
    let decode: @Sendable (Result) throws -> Model
}

/// Observes a query, and decodes the rows that are new or have changed. It does not retain the database.
struct LiveObservation<Model: Sendable>: Sendable {
    private let subscription: QuerySubscription
    private let rows: LiveRows<Model>?
    /// The rows and values that were returned last; no rows before the first time.
    private var last: (rows: RecordedRows, models: [Model])?
    /// Whether the last rows could not be decoded. Then the next ones are returned even if they are those of the time before.
    private var hasFailed = false
    private var isEnded = false

    init(_ source: Swift.Result<LiveSource<Model>, any Error>) {
        switch source {
        case .success(let source): (subscription, rows) = (QuerySubscription(source.query), source.rows)
        case .failure(let error): (subscription, rows) = (QuerySubscription(failingWith: error), nil)
        }
    }

    /// Returns what has changed since the last call, waiting for a change if necessary; `nil` at the end, or if the task is cancelled.
    ///
    /// - Throws: The error because of which the query cannot be run, after which there is only the end; or the error of a row that cannot
    ///   be decoded, after which the observation goes on.
    mutating func next(isolation: isolated (any Actor)?) async throws -> ModelDifference<Model>? {
        while let (new, database) = try await subscription.next(isolation: isolation), let rows {
            do {
                let difference = try await Self.compare(last, new, rows, database)
                let mustReturn = last == nil || hasFailed
                (last, hasFailed) = ((new, difference.models), false)
                if mustReturn || !difference.isEmpty { return difference }
            } catch {
                if Task.isCancelled { return nil }
                hasFailed = true
                throw error
            }
        }
        return nil
    }

    /// Returns what has changed; `nil` at the end. After an error there is only the end.
    mutating func nextOrEnd(isolation: isolated (any Actor)?) async throws -> ModelDifference<Model>? {
        if isEnded { return nil }
        isEnded = true
        let difference = try await next(isolation: isolation)
        isEnded = difference == nil
        return difference
    }

    /// Runs on no actor, because decoding many rows takes a while.
    @concurrent
    private static func compare(
        _ last: (rows: RecordedRows, models: [Model])?,
        _ new: RecordedRows,
        _ rows: LiveRows<Model>,
        _ database: Database
    ) async throws -> ModelDifference<Model> {
        let difference = RowDifference(from: last?.rows ?? RecordedRows(columnTitles: new.columnTitles), to: new, by: rows.identity)
        let table = ResultTable(new, database: database)
        let old = last?.models ?? []
        let models = try difference.items(from: old, of: old.count, count: new.count) { index in
            try Task.checkCancellation()
            return try rows.decode(Result(index, of: table))
        }
        return ModelDifference(difference, from: old, to: models)
    }
}
