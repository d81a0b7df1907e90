package import VectorSearch

/// A query plan in words, and the indexes that would help the query.
package struct PlanDescription: Sendable, Hashable {
    /// A step of the plan. Steps that read one after the other are nested loops: the second step runs for every row of the first.
    package struct Step: Sendable, Hashable {
        /// What the step does: it reads only the wanted rows, by an index, the primary key or the row ID (`search`), or all rows (`scan`),
        /// or the elements of an array from each document; it sorts rows, or collects them for comparison, before the first row can be
        /// delivered; it runs a query nested in this one; or anything else.
        package enum Kind: Sendable, Hashable {
            /// The kinds, in the order of their description above.
            case search, scan, elements, sort, subquery, other
        }

        /// What the step does, for tools that need not understand ``text``.
        package internal(set) var kind: Kind
        /// The nesting depth of the step, from 0.
        package internal(set) var depth = 0
        /// What the step does, in words.
        package internal(set) var text: String
        /// The name of the collection that is read; `nil` if none is.
        package var collection: String?
        /// The name of the index in use, as given when the index was created; `nil` if there is none.
        package var index: String?
        /// The number of documents in the collection if all are read; otherwise `nil`.
        package var documentCount: UInt64?
    }

    /// An index that would help the query. That SQLite would use it has been verified on a copy of the schema, except for a vector index, for which
    /// the query must be written with another function.
    package struct Advice: Sendable, Hashable {
        /// The benefit of the index, in words.
        package let reason: String
        /// The full name of the collection.
        package let collection: String
        /// A name for the index that is not in use in the collection.
        package let name: String
        /// The path of an array index; `nil` for other kinds.
        package let arrayPath: String?
        /// The SQL++ expressions to index; none for an array index of the elements themselves.
        package let expressions: [String]
        /// The configuration of a vector index; `nil` for other kinds.
        package let vectorOptions: VectorIndexOptions?
    }

    /// The steps, each followed by the steps inside of it.
    package let steps: [Step]
    /// The indexes that would help; empty if there are none.
    package let advice: [Advice]
}

extension PlanDescription {
    /// Returns the plan as text: a line for each step, then the advice.
    ///
    /// - Parameter statement: Returns the command that creates an index.
    package func text(statement: (Advice) -> String) -> String {
        let lines = steps.map { String(repeating: "  ", count: $0.depth) + $0.text }
        let advised = advice.map { "\nAn index would help: \($0.reason).\n  \(statement($0))" }
        return (lines + advised).joined(separator: "\n")
    }
}

extension PlanDescription.Advice {
    /// The Swift statements that create the index, on one line; `collection` is the collection.
    package var statement: String {
        if let vectorOptions { return vectorStatement(vectorOptions) }
        let list = "[\(expressions.map(\.debugDescription).joined(separator: ", "))]"
        let config =
            arrayPath.map { path in
                let argument = expressions.isEmpty ? "" : ", expressions: \(list)"
                return "ArrayIndexConfiguration(path: \(path.debugDescription)\(argument))"
            } ?? "ValueIndexConfiguration(\(list))"
        return "try collection.createIndex(withName: \(name.debugDescription), config: \(config))"
    }

    private func vectorStatement(_ options: VectorIndexOptions) -> String {
        let expression = expressions.joined(separator: ", ").debugDescription
        let creation =
            "VectorIndexConfiguration(expression: \(expression), dimensions: \(options.dimensions), centroids: \(options.centroids))"
        return "var config = \(creation); config.metric = .\(options.metric); "
            + "try collection.createIndex(withName: \(name.debugDescription), config: config)"
    }
}
