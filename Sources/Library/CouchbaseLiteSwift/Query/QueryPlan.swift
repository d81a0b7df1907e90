import QueryEngine
import VectorSearch

/// A description in words of how a query is run, step by step, and of the indexes that would help it; see ``Query/plan``.
///
/// ```swift
/// let query = try database.query("SELECT name FROM _ WHERE type = 'hotel' ORDER BY name")
/// print(try query.plan)
/// ```
///
/// The description has a line for each step, followed by the advice with the statements that create the indexes.
public struct QueryPlan: Sendable, Hashable, CustomStringConvertible {
    /// One step of the plan. Reading steps are nested loops: each runs once for every row of the reading step before it.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The kind of a step.
        public enum Kind: Sendable, Hashable {
            /// Looks up rows by an index, by document ID, or row by row in another source.
            case search
            /// Reads all documents of the collection, or all rows of the source.
            case scan
            /// Reads the elements of an array in each document.
            case elements
            /// Sorts rows, or collects them to compare them, before the first row is returned.
            case sort
            /// Runs a nested query.
            case subquery
            /// Any other step.
            case other
        }

        private let step: PlanDescription.Step

        init(_ step: PlanDescription.Step) { self.step = step }

        /// The kind of the step.
        public var kind: Kind {
            switch step.kind {
            case .search: .search
            case .scan: .scan
            case .elements: .elements
            case .sort: .sort
            case .subquery: .subquery
            case .other: .other
            }
        }
        /// The nesting depth of the step; 0 for a step of the outermost query.
        public var depth: Int { step.depth }
        /// The description of the step, in words.
        public var description: String { step.text }
        /// The full name of the collection that the step reads; `nil` if it reads none.
        public var collection: String? { step.collection }
        /// The name of the index that the step uses; `nil` if it uses none.
        public var index: String? { step.index }
        /// The number of documents the step reads, if it reads all documents of the collection; otherwise `nil`.
        public var documentCount: UInt64? { step.documentCount }
    }

    /// An index that would help the query. It was tested, on a copy of the database's tables without documents, that the query uses it.
    ///
    /// A vector index is advised for a query that orders its rows by `EUCLIDEAN_DISTANCE` or `COSINE_DISTANCE` and has a `LIMIT`. This index alone
    /// does not help: write the query with `APPROX_VECTOR_DISTANCE` afterwards, see <doc:VectorSearch>.
    ///
    /// ```swift
    /// for advice in try query.plan.advice {
    ///     try collection.createIndex(withName: advice.name, config: advice.configuration)
    /// }
    /// ```
    public struct Advice: Sendable, Hashable, CustomStringConvertible {
        private let advice: PlanDescription.Advice

        init(_ advice: PlanDescription.Advice) { self.advice = advice }

        /// What the index improves, in words.
        public var reason: String { advice.reason }
        /// The full name of the collection on which to create the index.
        public var collection: String { advice.collection }
        /// A proposed name, which no index of the collection has yet.
        public var name: String { advice.name }
        /// The configuration with which to create the index.
        public var configuration: any IndexConfiguration {
            if let options = advice.vectorOptions { return vectorConfiguration(options) }
            guard let path = advice.arrayPath else { return ValueIndexConfiguration(advice.expressions) }
            return ArrayIndexConfiguration(path: path, expressions: advice.expressions.isEmpty ? nil : advice.expressions)
        }
        /// The Swift statements that create the index, for a variable `collection`.
        public var statement: String { advice.statement }
        /// The reason and the statements.
        public var description: String { "\(reason): \(statement)" }

        // The numbers are in the ranges of the configuration, which the engine has checked.
        private func vectorConfiguration(_ options: VectorIndexOptions) -> VectorIndexConfiguration {
            var configuration = VectorIndexConfiguration(
                expression: advice.expressions.joined(separator: ", "),
                dimensions: UInt32(clamping: options.dimensions),
                centroids: UInt32(clamping: options.centroids)
            )
            configuration.metric = DistanceMetric(rawValue: UInt32(options.metric.rawValue)) ?? configuration.metric
            return configuration
        }
    }

    /// The steps, in the order in which they start.
    public let steps: [Step]
    /// The indexes that would help. Empty if the query reads no whole collection and sorts nothing, or if no index would help. A vector index is
    /// advised only if the query or a document has a vector, so that the number of components is known.
    public let advice: [Advice]
    /// The text of the steps and the advice, one per line.
    public let description: String

    init(_ plan: PlanDescription) {
        steps = plan.steps.map(Step.init)
        advice = plan.advice.map(Advice.init)
        description = plan.text(statement: \.statement)
    }
}

extension Query {
    /// A description in words of how the query would be run now, and of the indexes that would help it.
    ///
    /// For use during development. Does not run the query, but blocks: it counts the documents of the collections that the query reads and
    /// tests possible indexes, which takes about a millisecond for each index of the database.
    ///
    /// - Throws: `invalidQuery`, `missingIndex` or `notOpen`, as ``execute()``.
    public var plan: QueryPlan {
        get throws { QueryPlan(try withFile { try $0.plan(on: $1) }) }
    }
}
