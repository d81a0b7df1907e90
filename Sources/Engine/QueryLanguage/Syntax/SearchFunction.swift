/// A function of a full-text search besides `rank()`. Its first argument is the name of an index that the query searches (Query 6.11).
package enum SearchFunction: String, Sendable, Hashable, CaseIterable {
    /// How well a document matches, where long texts count less.
    case bm25
    /// The part of a text with the words that were found, which are marked.
    case snippet
    /// A whole text, in which the words that were found are marked.
    case highlight

    /// The name in the query language, in lower case.
    package var name: String { rawValue }

    /// Returns the function with the name, ignoring case; `nil` if there is none.
    package static func named(_ name: String) -> SearchFunction? { SearchFunction(rawValue: name.lowercased()) }

    /// The number of arguments after the index.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        // SQLite limits the number of arguments, in all supported releases to at least 100.
        case .bm25: 0...90
        case .snippet: 0...5
        case .highlight: 1...3
        }
    }

    /// The most properties of an index from which a snippet can be taken without naming one of them.
    static let maximumTextCount = 90
}
