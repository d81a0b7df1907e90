import DocumentStore
import ModelCoding
import QueryEngine
import QueryLanguage

/// A query for documents as values of a model type, created by ``ModelCollection/query(where:orderBy:limit:offset:)-(Predicate<Model>?,_,_,_)``.
///
/// Thread-safe. It can be run any number of times. Its functions block; tasks call them inside of ``Database/read(_:)`` or
/// ``Database/write(_:)``.
public struct ModelQuery<Model: Decodable>: Sendable {
    /// The underlying query, for change listeners and explanations. Its rows contain the ID, the revision and the properties of a document;
    /// ``models(in:onDecodingError:)`` decodes them.
    public let query: Query
    let rows: ModelRows<Model>
    let collection: Collection
    let unknownFields: UnknownFields

    /// - Parameters:
    ///   - shape: How the documents are identified; `nil` if only a property wrapper contains the ID.
    ///   - parameters: The values of parameters in the condition.
    ///   - reportsMatches: Whether the rows include the positions of the words that a search has found.
    init(
        _ selection: ModelSelection<Model>,
        in collection: Collection,
        _ unknownFields: UnknownFields,
        _ shape: ModelShape?,
        parameters: Parameters = Parameters(),
        reportsMatches: Bool = false
    ) {
        let path = CollectionPath(scope: collection.store.id.scope, name: collection.store.id.name)
        let select = Swift.Result { () throws(QueryError) in try selection.query(of: path, .ofAPI, idKey: shape?.idKey) }
        query = Query(QueryDraft(tree: select, database: collection.database), reportsMatches: reportsMatches)
        if !parameters.values.isEmpty { query.parameters = parameters }
        rows = ModelRows(shape: shape, types: .ofAPI)
        (self.collection, self.unknownFields) = (collection, unknownFields)
    }

    /// Runs the query and returns all values that satisfy the condition.
    ///
    /// Reads all documents found, with all their properties, into memory and decodes them before it returns. Blocks as ``Query/execute()``
    /// does.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded. Default: the error is thrown.
    /// - Complexity: O(*n*) in the number and size of the values, plus the cost of finding them; see ``Query/plan``.
    /// - Throws: ``CBLError/decodingError`` if a document cannot be decoded as a `Model`, with the document and the reason in the message;
    ///   any other error of the type's `init(from:)`; ``CBLError/invalidQuery`` if the condition is not supported; ``CBLError/notOpen`` if the
    ///   database is closed.
    public func all(onDecodingError policy: DecodingErrorPolicy = .throw) throws -> [Model] {
        try models(in: query.execute(), onDecodingError: policy)
    }

    /// Runs the query and returns the first value that satisfies the condition; `nil` if there is none. Decodes one document only.
    ///
    /// The query is compiled anew by each call.
    ///
    /// - Parameter policy: What happens if the first document cannot be decoded. If it is left out, the query is run again without a limit, and
    ///   the first value that can be decoded is returned. Default: the error is thrown.
    /// - Throws: As ``all(onDecodingError:)``.
    public func first(onDecodingError policy: DecodingErrorPolicy = .throw) throws -> Model? {
        try throwingPublicErrors {
            guard let first = try changed({ $0.limitToFirst() }).execute().next() else { return nil }
            do {
                return try model(first, .throw)
            } catch let error as ModelRowError {
                if case .throw = policy { throw error }
            }
            for result in try query.execute() {
                if let model = try self.model(result, policy) { return model }
            }
            return nil
        }
    }

    /// Returns the number of values that satisfy the condition, ignoring the limit and the offset. Decodes no documents.
    ///
    /// Blocks while it reads from disk. The query is compiled anew by each call.
    ///
    /// - Complexity: Without a suitable index, O(*n*) in the number of documents in the collection.
    /// - Throws: ``CBLError/invalidQuery`` and ``CBLError/notOpen``, as ``all(onDecodingError:)``.
    public func count() throws -> Int { try changed { $0.countAll() }.execute().next()?.int(at: 0) ?? 0 }

    /// Returns a technical description of how the query is run; see ``Query/explain()``.
    ///
    /// - Throws: ``CBLError/invalidQuery`` and ``CBLError/notOpen``, as ``all(onDecodingError:)``.
    public func explain() throws -> String { try query.explain() }

    /// Decodes the remaining rows of a result of ``query``, such as one passed to a change listener. Blocks until all rows are decoded.
    ///
    /// - Complexity: O(*n*) in the number and size of the rows.
    /// - Throws: As ``all(onDecodingError:)``; `invalidQuery` if the rows are not those of a model query.
    public func models(in results: ResultSet, onDecodingError policy: DecodingErrorPolicy = .throw) throws -> [Model] {
        try throwingPublicErrors { try results.allResults().compactMap { try model($0, policy) } }
    }

    /// Decodes a row; `nil` if its document is left out.
    func model(_ result: Result, _ policy: DecodingErrorPolicy) throws -> Model? {
        try rows.model(result.row, of: result.table.rows, result.table.source, handling: policy.handle)
    }

    /// Runs the query and returns the IDs of the documents.
    func documentIDs() throws -> [String] {
        try changed { $0.onlyIDs() }.execute().allResults().compactMap { $0.string(at: 0) }
    }

    /// Returns a changed query with the same parameters.
    func changed(_ change: (inout SelectStatement) throws(QueryError) -> Void) -> Query {
        let changed = Query(query.draft.changing(change))
        changed.parameters = query.parameters
        return changed
    }
}

/// A model type that specifies the document keys of its properties.
///
/// Rarely needed: by default a query determines the keys by decoding sample documents, or from the names of stored properties. Only a type
/// that rejects the sample values, and is not a structure or final class with plain properties, has to specify its keys. An enumeration with
/// raw values of text rejects them, unless it is `CaseIterable` or the model has a default value with one of its cases.
///
/// ```swift
/// extension Flight: DocumentKeyProviding {
///     static var documentKeys: [AnyKeyPath: String] { [\Flight.number: "no", \Flight.gate: "place.gate"] }
/// }
/// ```
public protocol DocumentKeyProviding {
    /// For key paths of this type, the paths of the properties in documents. Read each time a query with such a key path is created.
    static var documentKeys: [AnyKeyPath: String] { get }
}

extension Result {
    /// Decodes the row as a value of `type`: each property from the column with its name.
    ///
    /// ```swift
    /// struct Summary: Decodable {
    ///     let name: String
    ///     let stops: Int?
    /// }
    /// let query = try database.query("SELECT name, stops FROM route")
    /// let summaries = try query.execute().map { try $0.data(as: Summary.self) }
    /// ```
    ///
    /// - Parameter type: The type of the result.
    /// - Parameter dataKey: The name of a column that contains a dictionary, as `SELECT *` returns; properties without a column
    ///   of their own are decoded from it. Default: `nil`, only columns are decoded.
    /// - Throws: ``CBLError/invalidQuery`` if the row has no value for a property that is not optional, or no column
    ///   `dataKey`; ``CBLError/decodingError`` if a value has another type; the message contains its path.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        try throwingPublicErrors {
            let row = try ResultRow(row, of: table.rows, columns: table.rows.columnIndexes, dataKey: dataKey)
            return try ModelDecoding(table.source, types: .ofAPI).decode(type, from: row)
        }
    }
}

extension ResultSet {
    /// Decodes the remaining rows as values of `type`; see ``Result/data(as:dataKey:)``. Afterwards no rows remain, even if it throws.
    ///
    /// - Throws: The errors of ``Result/data(as:dataKey:)``.
    /// - Complexity: O(*n*), where *n* is the number of remaining rows.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> [T] {
        try allResults().map { try $0.data(as: type, dataKey: dataKey) }
    }
}
