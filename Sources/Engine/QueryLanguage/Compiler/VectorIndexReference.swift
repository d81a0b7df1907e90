/// A vector index that a query can search (Vector search 6).
package struct VectorIndexReference: Sendable, Hashable {
    /// The name of the index in its collection.
    package var name: String
    /// The name that stands for the index in SQL: `kv_.words:vector:words_index`.
    package var table: String
    /// The expression for the vector, relative to a document.
    package var expression: QueryExpression
    /// The name of its metric: `euclidean2`, `cosine`, `euclidean` or `dot`.
    package var metric: String
    /// Whether it is trained, so that a simple query searches a part of it only.
    package var isTrained: Bool

    package init(name: String, table: String, expression: QueryExpression, metric: String, isTrained: Bool) {
        self.name = name
        self.table = table
        self.expression = expression
        self.metric = metric
        self.isTrained = isTrained
    }
}

/// A search in a vector index as a part of a query.
package struct VectorSearchUse: Sendable, Hashable {
    /// The index.
    package var index: VectorIndexReference
    /// Whether only the nearest vectors are found, before all other conditions; otherwise all vectors get a distance.
    package var findsNearest: Bool
    /// The number of buckets that the query wants to be searched; 0 if it gives none.
    package var probes: Int
    /// Whether the query returns only the rows with the least distances of this search, as many as LIMIT says.
    package var returnsNearest = false

    package init(index: VectorIndexReference, findsNearest: Bool, probes: Int) {
        self.index = index
        self.findsNearest = findsNearest
        self.probes = probes
    }
}

/// The names of metrics in queries (Vector search VQ-5).
enum VectorMetricName {
    /// Returns the name by which indexes are described; `nil` if there is no such metric. Case is ignored.
    static func standard(of name: String) -> String? {
        switch name.uppercased() {
        case "EUCLIDEAN_SQUARED", "L2_SQUARED", "EUCLIDEAN2", "DEFAULT": "euclidean2"
        case "EUCLIDEAN", "L2": "euclidean"
        case "COSINE", "COSINE_DISTANCE": "cosine"
        case "DOT", "DOT_PRODUCT_DISTANCE": "dot"
        // Known to the original; no index has them.
        case "COSINE_SIMILARITY": "cosine_similarity"
        case "DOT_PRODUCT_SIMILARITY": "dot_product_similarity"
        default: nil
        }
    }
}
