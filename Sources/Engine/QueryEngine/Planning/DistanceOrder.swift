import Base
import QueryLanguage
import VectorSearch

/// The ordering of a query that returns the documents whose vectors are nearest to another one, but computes all distances.
struct DistanceOrder {
    /// The vector in the documents, as written in the query.
    let vector: QueryExpression
    /// The vector with which it is compared.
    let target: QueryExpression
    /// The metric of the vector index that gives the same order.
    let metric: VectorMetric

    /// Reads the ordering of a query; `nil` if it orders the rows in another way, or returns all of them.
    init?(_ select: SelectStatement) {
        guard select.limit != nil, let term = select.ordering.first, !term.isDescending else { return nil }
        var expression = term.expression
        if case .property(let path) = expression, let title = path.onlyKey {
            expression = select.items.first { title.isExactly($0.title) }?.expression ?? expression
        }
        guard case .function(let name, let arguments) = expression, let metric = Self.metric(name, arguments) else { return nil }
        let pair = arguments.prefix(2)
        let properties = pair.filter(\.isProperty)
        guard properties.count == 1, let target = pair.first(where: { !$0.isProperty }) else { return nil }
        (vector, self.target, self.metric) = (properties[0], target, metric)
    }

    /// Returns whether an expression is a call of a function that computes distances.
    static func isDistance(_ expression: QueryExpression) -> Bool {
        guard case .function(let name, let arguments) = expression else { return false }
        return metric(name, arguments) != nil
    }

    /// Returns the metric of a function (Vector search DF-1, DF-2); `nil` for other functions.
    private static func metric(_ name: String, _ arguments: [QueryExpression]) -> VectorMetric? {
        switch (name.lowercased(), arguments.count) {
        case ("euclidean_distance", 2): .euclidean
        case ("euclidean_distance", 3): arguments[2] == .integer(2) ? .euclideanSquared : nil
        case ("cosine_distance", 2): .cosine
        default: nil
        }
    }
}

extension QueryExpression {
    fileprivate var isProperty: Bool {
        if case .property = self { true } else { false }
    }
}
