/// One item of FROM: a collection, a nested query, or the elements of an array in an earlier source (Query 1.3, 12.2).
package struct Source: Sendable, Hashable {
    /// Where the rows come from.
    package enum Origin: Sendable, Hashable {
        /// The documents of a collection, which is named as in FROM.
        case collection(CollectionPath)
        /// The elements of an array, which must be a property of an earlier source.
        case unnest(QueryExpression)
        /// The rows of a nested query, whose columns are properties by their titles.
        indirect case query(SelectStatement)
        /// The documents that a search finds, with their scores, whose columns are properties.
        indirect case search(SearchSource)
    }

    /// How a source is combined with those before it. The raw value is the spelling in SQL and in JSON.
    package enum Join: String, Sendable, Hashable, CaseIterable {
        /// Rows for which the condition holds.
        case inner = "INNER"
        /// The same as ``leftOuter``, written without OUTER.
        case left = "LEFT"
        /// All rows of the earlier sources; those without a partner have MISSING for this source.
        case leftOuter = "LEFT OUTER"
        /// All pairs of rows, without a condition.
        case cross = "CROSS"
    }

    /// Where the rows come from.
    package var origin: Origin

    /// The name given by AS. Without it, the name of a collection is its path as written, and that of an UNNEST is the last key of its
    /// path. A nested query requires it.
    package var alias: String?

    /// How the source is joined. `nil` on the first source and on UNNEST; on other sources `nil` means an inner join.
    package var join: Join?

    /// The join condition. It is required unless the join is CROSS, and not allowed on a CROSS join or on the first source.
    package var condition: QueryExpression?

    package init(_ origin: Origin, alias: String? = nil, join: Join? = nil, on condition: QueryExpression? = nil) {
        (self.origin, self.alias, self.join, self.condition) = (origin, alias, join, condition)
    }

    /// Returns a collection as a source, which is the main source of most queries.
    package static func collection(_ path: CollectionPath, alias: String? = nil) -> Source { Source(.collection(path), alias: alias) }
}

/// The name of a collection as written in a query (Query 1.3, 2.5).
package struct CollectionPath: Sendable, Hashable {
    /// The scope; `nil` if none is written.
    package var scope: String?

    /// The collection; `nil` if none is written, which means the default collection. `_` and `_default` also mean the default collection,
    /// and so does the database's own name unless a collection of the default scope has that name.
    package var name: String?

    package init(scope: String? = nil, name: String? = nil) { (self.scope, self.name) = (scope, name) }

    /// The default collection of the database.
    package static let defaultCollection = CollectionPath(scope: "_default", name: "_default")

    /// Whether the path means the default collection regardless of the database's name.
    package var isDefaultCollection: Bool {
        guard let name else { return true }
        guard let scope else { return name == "_" || name == "_default" }
        return scope == "_default" && name == "_default"
    }
}

extension CollectionPath: CustomStringConvertible {
    /// The path as written.
    package var description: String {
        let name = name ?? "_default"
        return if let scope { "\(scope).\(name)" } else { name }
    }
}
