import Base

/// How far two vectors are apart (Vector search 6.2). Smaller is nearer in all of them.
package enum VectorMetric: UInt8, Sendable, CaseIterable {
    /// The sum of the squares of the differences.
    case euclideanSquared = 1
    /// 1 minus the cosine of the angle.
    case cosine
    /// The square root of ``euclideanSquared``.
    case euclidean
    /// The negative dot product.
    case dot

    /// The name in the options of a stored index, and in messages (Vector search FO-2, VQ-8).
    package var name: String {
        switch self {
        case .euclideanSquared: "euclidean2"
        case .cosine: "cosine"
        case .euclidean: "euclidean"
        case .dot: "dot"
        }
    }

    /// Creates the metric with a stored name; `nil` if there is none.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name.isExactly(name) }) else { return nil }
        self = found
    }

    /// Returns the distance that queries show for a number that orders vectors (Vector search VQ-11).
    package func distance(ofOrder order: Float) -> Double { self == .euclidean ? Double(order).squareRoot() : Double(order) }
}
