import Base
import DocumentStore
import Fleece
import QueryLanguage
import VectorSearch

/// Vector indexes for queries that compute all distances.
extension IndexAdvisor {
    /// Returns the advice to create a vector index; `nil` if there is such an index, or if the number of components is unknown: neither the query nor
    /// a document has a vector. Reads documents up to the first one with a vector, unless the query has a vector.
    func vectorAdvice(_ order: DistanceOrder, in query: ResolvedQuery) throws -> PlanDescription.Advice? {
        let scope = query.scope
        guard let own = SearchTerm.own(order.vector, of: query.select, scope), case .documents(let table) = scope.sources[own.source].kind,
            let text = SQLPlusPlus.text(of: own.expression), let id = CollectionID(storeName: table.storeName),
            let collection = try file.collection(id), let dimensions = try componentCount(of: order.target, comparedWith: text, in: id),
            VectorIndexOptions.dimensionCounts.contains(dimensions)
        else { return nil }
        let root = Double(try collection.count()).squareRoot().rounded()
        let centroids = VectorIndexOptions.centroidCounts
        let options = VectorIndexOptions(
            dimensions: dimensions,
            centroids: min(max(Int(root), centroids.lowerBound), centroids.upperBound),
            metric: order.metric
        )
        let indexes = try IndexRegistry(file).indexes(of: collection)
        guard !indexes.contains(where: { $0.serves(own.expression, options) }) else { return nil }
        return PlanDescription.Advice(
            reason: "with APPROX_VECTOR_DISTANCE, which the query must use then, the nearest documents are found without reading all",
            collection: id.fullName,
            name: try freeName(for: [text], on: collection),
            arrayPath: nil,
            expressions: [text],
            vectorOptions: options
        )
    }

    /// Returns the number of components of the vector in the query, or of the first one in the documents; `nil` if there is none.
    private func componentCount(of target: QueryExpression, comparedWith text: String, in collection: CollectionID) throws -> Int? {
        if case .array(let components) = target { return components.count }
        let path = "`\(collection.scope)`.`\(collection.name)`"
        let select = try SQLPlusPlus.parse("SELECT ARRAY_LENGTH(\(text)) FROM \(path) WHERE ISARRAY(\(text)) LIMIT 1")
        let rows = try PreparedQuery(select, on: file, databaseName: databaseName).run(on: file)
        return rows.value(row: 0, column: 0)?.int64.map { Int(clamping: $0) }
    }
}

extension IndexInfo {
    /// Returns whether the index has the vectors of an expression, with the same metric.
    fileprivate func serves(_ expression: QueryExpression, _ options: VectorIndexOptions) -> Bool {
        guard let own = vectorOptions, own.metric == options.metric, own.dimensions == options.dimensions, let definition,
            let indexed = try? IndexSpecification(definition).expressions.first
        else { return false }
        return indexed.isSameIndexed(as: expression)
    }
}
