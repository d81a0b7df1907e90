import QueryLanguage
package import VectorSearch

/// An existing index.
package struct IndexInfo: Sendable, Hashable {
    /// Kinds of indexes, by their numbers in the registry (Storage format 5.1).
    package enum Kind: Int, Sendable {
        /// The kinds, numbered from 0.
        case value, fullText, array, predictive, vector

        /// The name for display.
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

    /// The name given when the index was created.
    package let name: String
    /// The kind; `nil` if it is unknown.
    package let kind: Kind?
    /// The expressions as given when the index was created, in SQL++ or JSON.
    package let expressions: String
    /// Whether ``expressions`` is SQL++ rather than JSON.
    package let isSQL: Bool
    /// The condition of a partial index, in the same language; `nil` if there is none.
    package let condition: String?
    /// The name of the index's own table in the registry; `nil` if it has no table.
    package let table: String?
    /// The name in the registry and of the SQL index.
    let storedName: String
    /// The configuration of a vector index of this library; `nil` for other kinds, and for a vector index of Couchbase Lite.
    package var vectorOptions: VectorIndexOptions?

    /// The path of an array index; nil for other kinds.
    package var arrayPath: String? { kind == .array ? table.flatMap(ArrayTable.path(ofRegisteredName:)) : nil }
}

extension IndexInfo {
    /// What is known of the index, by names that the API documents (API 18).
    package var summary: [String: Any] {
        var summary: [String: Any] = ["name": name, "lang": isSQL ? "n1ql" : "json", "expr": expressions]
        summary["type"] = kind?.rawValue
        summary["unnestPath"] = arrayPath
        return summary
    }

    /// Returns the condition of a partial index as a syntax tree; `nil` if there is none.
    ///
    /// - Throws: ``QueryError`` if the condition cannot be parsed.
    func conditionTree() throws -> QueryExpression? {
        if isSQL { return try condition.map { try SQLPlusPlus.parseIndexCondition($0).withNestedChains } }
        if let condition { return try QueryJSON.parse(condition).condition }
        return try QueryJSON.parseIndex(expressions).condition
    }
}
