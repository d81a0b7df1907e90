import DatabaseRuntime
import ModelCoding
import QueryEngine

/// A query whose rows are decoded as values.
struct LiveSource<Model: Sendable>: Sendable {
    fileprivate let query: Query
    fileprivate let identity: RowIdentity
    fileprivate let decode: @Sendable (Result) throws -> Model

    init(_ models: ModelQuery<Model>) throws where Model: Decodable {
        let decoder = models.rows
        try self.init(models.query) { row in try throwingPublicErrors { try decoder.model(row.row, of: row.table.rows, row.table.source) } }
    }

    init(_ query: Query, as type: Model.Type) throws where Model: Decodable { try self.init(query) { try $0.data(as: type) } }

    private init(_ query: Query, decode: @escaping @Sendable (Result) throws -> Model) throws {
        self.query = query
        self.decode = decode
        identity = try throwingPublicErrors { RowIdentity(documentIDsOf: try query.draft.tree.get()) }
    }
}

/// Observes a query, and decodes the rows that are new or have changed. It does not retain the database.
struct LiveObservation<Model: Sendable>: Sendable {
    private var rows: RowObservation<Model>

    init(_ source: Swift.Result<LiveSource<Model>, any Error>) {
        do {
            let source = try source.get()
            let (database, decode) = (source.query.draft.database, source.decode)
            rows = RowObservation(RowSubscription(source.query.observer), by: source.identity) { [weak database] new in
                guard let database else { return nil }
                let table = ResultTable(new, database: database)
                return { try decode(Result($0, of: table)) }
            }
        } catch {
            rows = RowObservation(failingWith: publicError(error))
        }
    }

    /// See ``RowObservation/next(isolation:)``.
    mutating func next(isolation: isolated (any Actor)?) async throws -> ModelDifference<Model>? {
        do { return try await rows.next(isolation: isolation).map { ModelDifference($0) } } catch { throw thrownPublicError(error) }
    }

    /// See ``RowObservation/nextOrEnd(isolation:)``.
    mutating func nextOrEnd(isolation: isolated (any Actor)?) async throws -> ModelDifference<Model>? {
        do { return try await rows.nextOrEnd(isolation: isolation).map { ModelDifference($0) } } catch { throw thrownPublicError(error) }
    }
}
