import DocumentStore
import Fleece
import QueryEngine

/// A query whose results are objects of a model type: what ``Collection/query(of:where:orderBy:limit:offset:)`` makes.
///
/// It can be run any number of times, from any thread, and is compiled once.
public struct ModelQuery<Model: Decodable>: Sendable {
    /// The query behind it, for what concerns rows: change listeners and explanations. Its rows have the ID, the revision and the
    /// properties of a document; ``models(in:)`` reads them.
    public let query: Query

    init(_ draft: QueryDraft) {
        query = Query(draft)
    }

    /// The objects that satisfy the condition now.
    ///
    /// - Throws: ``CBLError/decodingError`` when a document cannot be read as a `Model`; the message says which one and why. What
    ///   `init(from:)` of the type throws. `notOpen` once the database is closed.
    public func execute() throws -> [Model] {
        try models(in: query.execute())
    }

    /// The first object that satisfies the condition now; nil when none does.
    ///
    /// - Throws: As ``execute()``.
    public func first() throws -> Model? {
        let limited = query.draft.changing { select in
            guard select.limit != .integer(0) else { return }
            select.limit = .integer(1)
        }
        return try models(in: Query(limited).execute()).first
    }

    /// How many objects satisfy the condition now. The limit and the offset do not count; nothing is decoded.
    ///
    /// - Throws: `notOpen` once the database is closed.
    public func count() throws -> Int {
        let counting = query.draft.changing { select in
            select.items = [SelectItem(.function(name: "COUNT", arguments: [.property([])]))]
            select.ordering = []
            select.limit = nil
            select.offset = nil
        }
        return try Query(counting).execute().next()?.int(at: 0) ?? 0
    }

    /// How the query is run; see ``Query/explain()``.
    public func explain() throws -> String {
        try query.explain()
    }

    /// Reads the rows of ``query`` that have not been gone through, say those that a change listener was given.
    ///
    /// - Throws: As ``execute()``.
    public func models(in results: ResultSet) throws -> [Model] {
        try throwingPublicErrors {
            var models: [Model] = []
            for result in results.allResults() { models.append(try Self.model(result)) }
            return models
        }
    }

    // MARK: Rows

    static var items: [SelectItem] {
        let document = QueryExpression.property([.key(PredicateTranslator.alias)])
        return [
            SelectItem(document.appending([.key("_id")])), SelectItem(document.appending([.key("_revisionID")])),
            SelectItem(document),
        ]
    }

    private static func model(_ result: Result) throws -> Model {
        let table = result.table
        guard let id = result.string(at: 0), let revision = result.string(at: 1).flatMap(RevisionID.init),
            let body = table.rows.value(row: result.row, column: 2)
        else { throw QueryError.invalidQuery("The rows are not those of a query of models") }
        do {
            let decoding = ModelDecoding(table.source, identity: .init(id: id, revision: revision))
            let model = try Model(from: ValueDecoder(decoding, .value(body)))
            if Model.self is AnyClass, let wrapper = try? DocumentID.of(model as AnyObject) {
                wrapper.stands(for: id, revision)
            }
            return model
        } catch let error as DecodingError {
            throw NSError.couchbaseLite(
                code: CBLError.decodingError,
                message: "Document \"\(id)\": \(error.publicError.localizedDescription)",
                underlying: error
            )
        }
    }
}

extension Collection {
    /// Makes a query of documents as objects of a model type, with the condition as Swift code.
    ///
    /// ```swift
    /// let query = try hotels.query(
    ///     of: Hotel.self,
    ///     where: #Predicate { $0.country == "France" && $0.reviews.contains { $0.stars >= 4 } },
    ///     orderBy: [SortDescriptor(\.name)],
    ///     limit: 10
    /// )
    /// for hotel in try query.execute() { print(hotel.name) }
    /// ```
    ///
    /// The condition becomes a query of the database, which finds documents by index where it can; nothing is decoded but the
    /// results. The guide <doc:PredicatesAndModels> tells which operators there are, and where the database compares otherwise than
    /// Swift does.
    ///
    /// - Parameters:
    ///   - model: The type of the objects, `Codable` as documents are written and read: see <doc:Models>.
    ///   - predicate: The condition; nil for all documents of the collection.
    ///   - sortDescriptors: The order of the objects; none for any order.
    ///   - limit: The most objects there may be; nil for all.
    ///   - offset: How many objects to leave out at the beginning.
    /// - Throws: `invalidQuery` when the condition has an operator that has no counterpart in the query language, or a property
    ///   that documents do not keep; the message names it.
    public func query<Model: Decodable>(
        of model: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> ModelQuery<Model> {
        try throwingPublicErrors {
            let path = CollectionPath(scope: store.id.scope, name: store.id.name)
            let select = QueryEngine.Select(
                items: ModelQuery<Model>.items,
                sources: [.collection(path, alias: PredicateTranslator.alias)],
                condition: try predicate.map { try PredicateTranslator.condition($0) },
                ordering: try sortDescriptors.map { try $0.ordering() },
                limit: limit.map { .integer(Int64($0)) },
                offset: offset == 0 ? nil : .integer(Int64(offset))
            )
            return ModelQuery(QueryDraft(select: .success(select), database: database))
        }
    }

    /// The documents that satisfy a condition now, as objects of a model type; see
    /// ``query(of:where:orderBy:limit:offset:)``.
    ///
    /// - Parameters:
    ///   - model: The type of the objects.
    ///   - predicate: The condition; nil for all documents of the collection.
    ///   - sortDescriptors: The order of the objects; none for any order.
    ///   - limit: The most objects there may be; nil for all.
    ///   - offset: How many objects to leave out at the beginning.
    /// - Throws: As ``query(of:where:orderBy:limit:offset:)`` and ``ModelQuery/execute()``.
    public func documents<Model: Decodable>(
        as model: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> [Model] {
        try query(of: model, where: predicate, orderBy: sortDescriptors, limit: limit, offset: offset).execute()
    }
}

extension ModelQuery {
    /// The functions that may block, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncModelQuery<Model> { AsyncModelQuery(query: self) }
}

/// The functions of a ``ModelQuery`` that may block, as `async` functions: what ``ModelQuery/async`` gives.
public struct AsyncModelQuery<Model: Decodable>: Sendable {
    /// The query.
    public let query: ModelQuery<Model>

    /// The objects that satisfy the condition now; see ``ModelQuery/execute()``. They are made by the caller's task, once the
    /// documents have been read.
    public nonisolated(nonsending) func execute() async throws -> [Model] {
        try query.models(in: try await query.query.async.execute())
    }
}
