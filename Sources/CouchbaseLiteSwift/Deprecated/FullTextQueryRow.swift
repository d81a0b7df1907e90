import Foundation
import QueryEngine

/// A row of a ``PredicateQuery`` that has searched for words.
@available(*, deprecated, message: "Use FullTextFunction and Result")
public final class FullTextQueryRow: QueryRow {
    private let matches: RowMatches
    private let query: Query

    init(_ result: Result, shape: PredicateRowShape, _ matches: RowMatches, of query: Query) {
        self.matches = matches
        self.query = query
        super.init(result, shape: shape)
    }

    /// The text in which the words were found first, as the index has it now; nil when the document has gone since. It is loaded every
    /// time it is asked for.
    public var fullTextMatched: String? {
        guard let first = matches.hits.first, let (database, _, prepared) = try? query.prepare() else { return nil }
        return try? database.withFile { try prepared.indexedText(of: matches, column: first.column, on: $0) }
    }

    /// How many times words of the pattern stand in ``fullTextMatched``.
    public var matchCount: Int { hits.count }

    /// Where a word of the pattern stands in ``fullTextMatched``, in UTF-16 code units. The number is from 0 to below ``matchCount``;
    /// another one, or one of a text that has changed so that it is not there any more, gives `NSNotFound`.
    public func textRangeOfMatch(_ number: Int) -> NSRange {
        let nowhere = NSRange(location: NSNotFound, length: 0)
        guard hits.indices.contains(number), let text = fullTextMatched else { return nowhere }
        let bytes = hits[number].bytes
        guard let start = text.utf8.index(text.startIndex, offsetBy: bytes.lowerBound, limitedBy: text.endIndex),
            let end = text.utf8.index(start, offsetBy: bytes.count, limitedBy: text.endIndex)
        else { return nowhere }
        return NSRange(start..<end, in: text)
    }

    private var hits: [RowMatches.Hit] { matches.hits.filter { $0.column == matches.hits.first?.column } }
}
