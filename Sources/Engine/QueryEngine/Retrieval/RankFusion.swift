package import QueryLanguage

/// A rule that makes one order of two: that of a search for words, and that of a search for near vectors.
package enum RankFusion: Hashable, Sendable {
    /// Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): the sum of weight / (k + rank) over the lists that contain an item, with
    /// ranks from 1. Only the order in the lists counts.
    case reciprocalRank(k: Double, text: Double, vector: Double)
    /// The weighted sum of both scores, each as its share of the range from the worst to the best item of its list: from 0 to 1. An item that a
    /// list does not contain has 0 there. Infinite values are not in the range, but count as its end: 0 for an infinite distance. So does NaN,
    /// which is the worst value.
    case weightedScores(text: Double, vector: Double)

    /// The usual constant of reciprocal rank fusion, which its authors propose.
    package static let usualK = 60.0

    /// An item of one of the lists.
    package struct Candidate<ID: Hashable> {
        /// The identity, which is unique in the list.
        let id: ID
        /// The score of the text, where higher is better, or the distance of the vector, where lower is better.
        let value: Double

        package init(id: ID, value: Double) { (self.id, self.value) = (id, value) }
    }

    /// An item of the fused list.
    package struct Item<ID: Hashable> {
        /// The identity.
        package let id: ID
        /// The fused score: higher is better.
        package var score = 0.0
        /// The score of the text; `nil` if the search for words did not find the item.
        package var textScore: Double?
        /// The distance of the vector; `nil` if the search for vectors did not find the item.
        package var distance: Double?
    }

    /// - Throws: `invalidQueryParameter` if a number is negative, infinite or none.
    package func check() throws(QueryError) {
        let numbers: [(name: String, value: Double)] =
            switch self {
            case .reciprocalRank(let k, let text, let vector): [("k", k), ("weight of the text", text), ("weight of the vector", vector)]
            case .weightedScores(let text, let vector): [("weight of the text", text), ("weight of the vector", vector)]
            }
        for (name, value) in numbers where !(value >= 0 && value.isFinite) {
            throw QueryError(.invalidQueryParameter, "the \(name) of a fusion must be a number from 0, not \(value)")
        }
    }

    /// Returns the items of both lists, best first. Among equal scores, those that the search for words found come first, in their order.
    ///
    /// - Parameters:
    ///   - text: What the search for words found, best first.
    ///   - vector: What the search for vectors found, nearest first.
    /// - Complexity: O(*n* log *n*) in the number of items.
    package func fused<ID>(text: [Candidate<ID>], vector: [Candidate<ID>]) -> [Item<ID>] {
        var items: [Item<ID>] = []
        var places: [ID: Int] = [:]
        items.reserveCapacity(text.count + vector.count)
        let scores = (text: self.scores(text, isDistance: false), vector: self.scores(vector, isDistance: true))
        for (candidate, score) in zip(text, scores.text) {
            places[candidate.id] = items.count
            items.append(Item(id: candidate.id, score: score, textScore: candidate.value))
        }
        for (candidate, score) in zip(vector, scores.vector) {
            if let place = places[candidate.id] {
                items[place].score += score
                items[place].distance = candidate.value
            } else {
                items.append(Item(id: candidate.id, score: score, distance: candidate.value))
            }
        }
        // The sort of the standard library is stable, but does not promise to be.
        let order = items.indices.sorted { (items[$0].score, $1) > (items[$1].score, $0) }
        return order.map { items[$0] }
    }

    /// Returns what each item of a list contributes.
    private func scores<ID>(_ list: [Candidate<ID>], isDistance: Bool) -> [Double] {
        switch self {
        case .reciprocalRank(let k, let text, let vector):
            let weight = isDistance ? vector : text
            return list.indices.map { weight / (k + Double($0 + 1)) }
        case .weightedScores(let text, let vector):
            let weight = isDistance ? vector : text
            return Self.shares(of: list.map { isDistance ? -$0.value : $0.value }).map { weight * $0 }
        }
    }

    /// Returns the place of each value in the range of the finite ones, from 0 to 1.
    private static func shares(of values: [Double]) -> [Double] {
        let finite = values.filter(\.isFinite)
        let (worst, best) = (finite.min() ?? 0, finite.max() ?? 0)
        // The difference of two large numbers can be infinite. That of their halves is not.
        let scale = (best - worst).isFinite ? 1 : 0.5
        let range = best * scale - worst * scale
        return values.map { value in
            guard value.isFinite else { return value > 0 ? 1 : 0 }
            return range > 0 ? (value * scale - worst * scale) / range : 1
        }
    }
}
