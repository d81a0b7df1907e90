import DatabaseRuntime
import ModelCoding
import QueryEngine

/// A query whose rows are decoded as values.
struct LiveSource<Model: Sendable>: Sendable {
    private let query: Query
    private let identity: RowIdentity
    private let decode: @Sendable (Result) throws -> Model

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

    /// Starts to observe the query. It does not retain the database.
    func observation() -> RowObservation<Model> {
        let subscription = RowSubscription(query.observer)
        return RowObservation(subscription, by: identity, converting: thrownPublicError) {
            [weak database = query.draft.database, decode] rows in
            guard let database else { return nil }
            let table = ResultTable(rows, database: database)
            return { try decode(Result($0, of: table)) }
        }
    }
}
