/// What an index is to be.
package struct IndexDefinition: Sendable, Hashable {
    /// How the expressions were given: as SQL++ text or as a syntax tree, which is kept as JSON.
    package enum Source: Sendable, Hashable {
        case text(expressions: String, condition: String?)
        case tree([QueryExpression])
    }

    /// The name, unique in the collection.
    package let name: String
    package let source: Source

    /// A value index of comma-separated SQL++ expressions, of the documents that satisfy a condition.
    package init(name: String, text: String, condition: String? = nil) {
        self.name = name
        source = .text(expressions: text, condition: condition)
    }

    /// A value index of expressions.
    package init(name: String, expressions: [QueryExpression]) {
        self.name = name
        source = .tree(expressions)
    }
}

/// An index that exists.
package struct IndexInfo: Sendable, Hashable {
    /// Kinds of indexes, by their numbers in the registry (Storage format 5.1).
    package enum Kind: Int, Sendable {
        case value, fullText, array, predictive, vector

        /// For people.
        package var name: String {
            switch self {
            case .value: "value"
            case .fullText: "full-text"
            case .array: "array"
            case .predictive: "predictive"
            case .vector: "vector"
            }
        }
    }

    /// The name it was given.
    package let name: String
    /// Nil for a kind that is not known.
    package let kind: Kind?
    /// The expressions as they were given, SQL++ or JSON.
    package let expressions: String
    /// Whether ``expressions`` is SQL++ rather than JSON.
    package let isSQL: Bool
    /// The condition of a partial index, in the same language.
    package let condition: String?
    /// The index's own table, if it has one.
    package let table: String?
    /// The name in the registry and of the SQL index.
    let storedName: String
}
