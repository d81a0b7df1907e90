/// How a query will be run, in words, and which indexes would help.
package struct PlanDescription: Sendable, Hashable {
    /// One thing that is done. Steps that stand one after the other are nested loops where they read: the second is done for every row
    /// of the first.
    package struct Step: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// What is wanted is found by an index, the primary key, or row by row from another source.
            case search
            /// Everything is read.
            case scan
            /// The elements of an array are taken out of each document.
            case elements
            /// Rows are sorted, or collected to be compared, before the first can be delivered.
            case sort
            /// Another query is run within this one.
            case subquery
            /// Anything else.
            case other
        }

        package let kind: Kind
        /// How deep the step stands in others, from 0.
        package let depth: Int
        package let text: String
        /// The collection that is read; nil when no collection is.
        package var collection: String?
        /// The name of the index that is used, as it was given when the index was created.
        package var index: String?
        /// How many documents are read, when it is all there are.
        package var documentCount: UInt64?

        func prefixed(_ prefix: String) -> Step {
            var step = Step(kind: kind, depth: depth, text: prefix + text)
            (step.collection, step.index, step.documentCount) = (collection, index, documentCount)
            return step
        }
    }

    /// An index that SQLite would use for the query, as has been tried.
    package struct Advice: Sendable, Hashable {
        /// What is better with the index.
        package let reason: String
        /// The full name of the collection.
        package let collection: String
        /// A name that no index of the collection has.
        package let name: String
        /// The path of an array index; nil for a value index.
        package let arrayPath: String?
        /// SQL++ expressions. For an array index none means the elements.
        package let expressions: [String]
    }

    package let steps: [Step]
    package let advice: [Advice]
}

extension PlanDescription {
    /// The plan for people: a line for each step, and the advice.
    ///
    /// - Parameter statement: Says how an index is created.
    package func text(statement: (Advice) -> String) -> String {
        let lines = steps.map { String(repeating: "  ", count: $0.depth) + $0.text }
        let advised = advice.map { "\nAn index would help: \($0.reason).\n  \(statement($0))" }
        return (lines + advised).joined(separator: "\n")
    }
}

extension PlanDescription.Advice {
    /// The Swift statement that creates the index on an object `collection`.
    package var statement: String {
        let list = "[\(expressions.map(\.debugDescription).joined(separator: ", "))]"
        let config =
            arrayPath.map { path in
                let argument = expressions.isEmpty ? "" : ", expressions: \(list)"
                return "ArrayIndexConfiguration(path: \(path.debugDescription)\(argument))"
            } ?? "ValueIndexConfiguration(\(list))"
        return "try collection.createIndex(withName: \(name.debugDescription), config: \(config))"
    }
}
