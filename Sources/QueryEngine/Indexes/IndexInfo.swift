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
    /// The index's own table as the registry names it, if it has one.
    package let table: String?
    /// The name in the registry and of the SQL index.
    let storedName: String

    /// The path of an array index; nil for other kinds.
    package var arrayPath: String? { kind == .array ? table.flatMap(ArrayTable.path(ofRegisteredName:)) : nil }
}

extension IndexInfo {
    /// The condition of a partial index as a syntax tree.
    ///
    /// - Throws: ``QueryError`` for one that cannot be understood.
    func conditionTree() throws -> QueryExpression? {
        if isSQL { return try condition.map { try SQLPlusPlus.parseIndexCondition($0).withNestedChains } }
        if let condition { return try QueryJSON.parse(condition).condition }
        return try QueryJSON.parseIndex(expressions).condition
    }
}
