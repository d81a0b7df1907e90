import Fleece
import Foundation
import ModelCoding
import QueryEngine

/// A document that a search for near vectors has found; see ``ModelCollection/nearest(to:by:where:limit:)``.
public struct NearestHit<Model> {
    /// The document.
    public let model: Model
    /// The distance of its vector, in the metric of the index: lower is nearer.
    public let distance: Double
}

extension NearestHit: Sendable where Model: Sendable {}

extension NearestHit: Identifiable where Model: Identifiable {
    /// The identity of the document.
    public var id: Model.ID { model.id }
}

/// A search for the documents with the nearest vectors, as values of a model type, created by ``ModelCollection/nearest(to:by:where:limit:)``.
///
/// Thread-safe. It can be run any number of times. Its functions block; tasks call them inside of ``Database/read(_:)``.
public struct NearestSearch<Model: Decodable>: Sendable {
    /// The query for the documents, as any other query; see ``ModelQuery/query`` and ``Query/plan``.
    public var query: Query { found.query }

    let found: ModelQuery<Model>

    /// Runs the search and returns the documents, nearest first.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded. Default: the error is thrown.
    /// - Throws: ``CBLError/missingIndex`` if the collection has no vector index of the expression; ``CBLError/invalidQuery`` if the expression or
    ///   the condition is invalid, or the limit above 10,000; an error if the vector has not as many components as those of the index; the
    ///   errors of ``ModelQuery/all(onDecodingError:)``.
    public func all(onDecodingError policy: DecodingErrorPolicy = .throw) throws -> [NearestHit<Model>] {
        try throwingPublicErrors { try query.execute().allResults().compactMap { try hit($0, policy) } }
    }

    /// Returns the hit of a row; `nil` if its document is left out.
    func hit(_ result: Result, _ policy: DecodingErrorPolicy) throws -> NearestHit<Model>? {
        guard let model = try found.model(result, policy) else { return nil }
        return NearestHit(model: model, distance: found.value(of: result))
    }
}

extension NearestSearch where Model: Sendable {
    /// Returns the hits as an asynchronous sequence of arrays that stays live: the current hits, and all of them again after each change.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded; see ``ModelQuery/live(onDecodingError:)``. Default: it is left out,
    ///   with a warning in the log.
    public func live(onDecodingError policy: DecodingErrorPolicy = .skip) -> LiveModels<NearestHit<Model>> {
        LiveModels { try LiveSource(query, decode: { row in try throwingPublicErrors { try hit(row, policy) } }) }
    }
}

extension ModelQuery {
    /// Creates the query for the documents with the nearest vectors.
    init(
        nearestTo vector: [Float],
        by expression: String,
        where predicate: Predicate<Model>?,
        limit: Int,
        in models: ModelCollection<Model>
    ) {
        let selection = ModelSelection(
            predicate.map { .predicate($0) },
            [],
            limit,
            nearest: ModelSelection.Nearest(expression: expression)
        )
        // The shortest form of a vector (Vector search VV-1).
        let bytes = vector.flatMap { component in withUnsafeBytes(of: component.bitPattern.littleEndian, Array.init) }
        let parameters = Parameters().setString(Data(bytes).base64EncodedString(), forName: ModelSelection<Model>.Nearest.parameter)
        self.init(selection, in: models.collection, models.unknownFields, models.shape, parameters: parameters)
    }

    /// Returns the rank or the distance in a row of a search.
    func value(of result: Result) -> Double {
        result.table.rows.value(row: result.row, column: ModelRows<Model>.rankColumn)?.double ?? 0
    }
}

extension ModelCollection {
    /// Returns the search for the documents whose vectors are nearest to a vector, nearest first, with their distances.
    ///
    /// ```swift
    /// let search = notes.nearest(to: vector, by: "embedding", where: #Predicate { $0.isPublic }, limit: 10)
    /// for hit in try search.all() { print(hit.model.title, hit.distance) }
    /// ```
    ///
    /// <doc:VectorSearch> describes the index. Never throws and does not access the disk: the functions of the search throw.
    ///
    /// - Parameters:
    ///   - vector: The vector, with as many components as those of the index.
    ///   - expression: The expression of the index in SQL++, for example the path of a property.
    ///   - predicate: A condition that the documents must satisfy too. All documents that satisfy it are compared. Default: `nil`, none.
    ///   - limit: The maximum number of documents, at most 10,000. Default: 10.
    public func nearest(
        to vector: [Float],
        by expression: String,
        where predicate: Predicate<Model>? = nil,
        limit: Int = 10
    ) -> NearestSearch<Model> {
        NearestSearch(found: ModelQuery(nearestTo: vector, by: expression, where: predicate, limit: limit, in: self))
    }
}
