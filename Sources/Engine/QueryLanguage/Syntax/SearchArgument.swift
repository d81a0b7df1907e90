/// A named argument of `search({…})`.
package enum SearchArgument: String, Sendable, CaseIterable {
    /// The collection, as a text: `scope.collection` or `collection`. Default: the default collection.
    case of
    /// The words, as in `MATCH`.
    case text
    /// The name of the full-text index, as a text.
    case `in`
    /// The vector.
    case vector
    /// The expression of the vector index: as a text in SQL++, and in the tree and in JSON as what it means.
    case by
    /// A condition that all documents of both halves satisfy.
    case `where`
    /// `rrf` or `weighted`.
    case fusion
    /// The constant of `rrf`.
    case k
    /// The weight of the words.
    case textWeight
    /// The weight of the vector.
    case vectorWeight
    /// The maximum number of rows.
    case limit
    /// The number of documents that each half contributes.
    case candidates

    /// The name in a query; case counts.
    package var name: String { rawValue }

    /// The arguments of the fusion, in the order in which they are passed.
    static let fusionSettings: [SearchArgument] = [.fusion, .k, .textWeight, .vectorWeight, .limit]

    /// The arguments that are computed when the query runs, besides the halves.
    static let settings = fusionSettings + [.candidates]

    /// Returns an error of the argument.
    ///
    /// - Parameter reason: What is wrong, in words that follow the name of the argument.
    package func error(_ reason: String) -> QueryError { .invalidQuery("the argument '\(name)' of search() \(reason)") }

    /// Returns the error for a value that the argument cannot have.
    ///
    /// - Parameter found: The value in words. Default: `nil`, it is not named.
    package func wrongValue(found: String? = nil) -> QueryError {
        error("must be \(requirement)" + (found.map { ", but is \($0)" } ?? ""))
    }

    /// The error for the constant of `rrf` in another fusion.
    package static var misplacedK: QueryError { SearchArgument.k.error("belongs to the fusion 'rrf'") }

    /// What the value must be, in words.
    private var requirement: String {
        switch self {
        case .of: "a text in quotation marks: the name of a collection"
        case .in: "a text in quotation marks: the name of a full-text index"
        case .by: "a text in quotation marks: the expression of a vector index"
        case .fusion: "'rrf' or 'weighted'"
        case .k, .textWeight, .vectorWeight: "a number from 0"
        case .limit, .candidates: "an integer from 0 to \(SearchSource.maximumCount)"
        case .text, .vector, .where: "an expression"
        }
    }

    /// Whether the value is computed once, so that it cannot depend on documents.
    var isIndependent: Bool { self == .text || self == .vector || Self.settings.contains(self) }
}
