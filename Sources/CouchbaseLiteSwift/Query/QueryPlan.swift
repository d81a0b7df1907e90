import QueryEngine

/// How a query is run, step by step in words, and which indexes would help it: what ``Query/plan`` gives.
///
/// ```swift
/// let query = try database.createQuery("SELECT name FROM _ WHERE type = 'hotel' ORDER BY name")
/// print(try query.plan)
/// ```
///
/// The description has a line for each step, and below them the advice with the statements that follow it.
public struct QueryPlan: Sendable, Hashable, CustomStringConvertible {
    /// One thing that is done. Of steps that read, each is done for every row of the one before it.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// What a step does.
        public enum Kind: Sendable, Hashable {
            /// Finds what is wanted by an index, by document ID, or out of another source.
            case search
            /// Reads everything.
            case scan
            /// Takes the elements of an array out of each document.
            case elements
            /// Sorts or keeps rows before the first can be delivered.
            case sort
            /// Runs a query within this one.
            case subquery
            /// Anything else.
            case other
        }

        /// What the step does.
        public let kind: Kind
        /// How deep the step stands in others, from 0.
        public let depth: Int
        /// What the step does, in words.
        public let description: String
        /// The name of the collection that is read; nil when none is.
        public let collection: String?
        /// The name of the index that is used; nil when none is.
        public let index: String?
        /// How many documents there are to read; nil unless all of them are read.
        public let documentCount: UInt64?

        init(_ step: PlanDescription.Step) {
            kind =
                switch step.kind {
                case .search: .search
                case .scan: .scan
                case .elements: .elements
                case .sort: .sort
                case .subquery: .subquery
                case .other: .other
                }
            depth = step.depth
            description = step.text
            collection = step.collection
            index = step.index
            documentCount = step.documentCount
        }
    }

    /// An index that would help. That the query would use it has been tried, on a copy of the database's tables without documents.
    ///
    /// ```swift
    /// for advice in try query.plan.advice {
    ///     try collection.createIndex(withName: advice.name, config: advice.configuration)
    /// }
    /// ```
    public struct Advice: Sendable, Hashable, CustomStringConvertible {
        private let advice: PlanDescription.Advice

        init(_ advice: PlanDescription.Advice) {
            self.advice = advice
        }

        /// What is better with the index.
        public var reason: String { advice.reason }
        /// The full name of the collection to create the index on.
        public var collection: String { advice.collection }
        /// A name that no index of the collection has.
        public var name: String { advice.name }
        /// The index.
        public var configuration: any IndexConfiguration {
            guard let path = advice.arrayPath else { return ValueIndexConfiguration(advice.expressions) }
            return ArrayIndexConfiguration(path: path, expressions: advice.expressions.isEmpty ? nil : advice.expressions)
        }
        /// The statement that creates the index on an object `collection`.
        public var statement: String { advice.statement }
        /// The reason and the statement.
        public var description: String { "\(reason): \(statement)" }
    }

    /// The steps, in the order in which they begin.
    public let steps: [Step]
    /// Indexes that would help; none when everything is searched and nothing is sorted, or when nothing helps.
    public let advice: [Advice]
    /// The steps and the advice, line by line.
    public let description: String

    init(_ plan: PlanDescription) {
        steps = plan.steps.map(Step.init)
        advice = plan.advice.map(Advice.init)
        description = plan.text(statement: \.statement)
    }
}

extension Query {
    /// How the query would be run now, in words, and which indexes would help it.
    ///
    /// For finding out while developing: it counts the documents of the collections that the query reads, and tries the indexes
    /// that may help.
    ///
    /// - Throws: As ``execute()``.
    public var plan: QueryPlan {
        get throws {
            try throwingPublicErrors {
                let (database, _, prepared) = try prepare()
                return QueryPlan(try database.withFile { try prepared.plan(on: $0) })
            }
        }
    }
}
