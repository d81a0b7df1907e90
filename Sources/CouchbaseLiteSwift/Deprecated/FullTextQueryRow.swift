import Foundation
import QueryEngine

/// A row of a ``PredicateQuery`` that contains a full-text search.
@available(*, deprecated, message: "Use FullTextFunction and Result")
public final class FullTextQueryRow: QueryRow {
    private let matches: RowMatches
    private let query: Query

    init(_ result: Result, shape: PredicateRowShape, _ matches: RowMatches, of query: Query) {
        self.matches = matches
        self.query = query
        super.init(result, shape: shape)
    }

    /// The indexed text of the property that has the first match, as it is now; `nil` if the document was deleted or reading fails.
    ///
    /// Each access reads the text from disk.
    public var fullTextMatched: String? {
        let text = try? query.withFile { try matches.firstIndexedText(on: $1) }
        knownText = .some(text)
        return text
    }

    /// The number of matches in ``fullTextMatched``.
    public var matchCount: Int { hits.count }

    /// Returns the range of a match in the text that ``fullTextMatched`` has returned last, in UTF-16 code units. The location is
    /// `NSNotFound` if `number` is not in `0..<matchCount`, or if the text has changed and has no such range any more.
    ///
    /// The first call reads the text from disk, unless ``fullTextMatched`` has done so.
    public func textRangeOfMatch(_ number: Int) -> NSRange {
        let nowhere = NSRange(location: NSNotFound, length: 0)
        guard hits.indices.contains(number), let text: String = knownText ?? fullTextMatched else { return nowhere }
        return hits[number].range(in: text).map { NSRange($0, in: text) } ?? nowhere
    }

    /// The text that ``fullTextMatched`` has returned last; `.some(nil)` if that was `nil`.
    private var knownText: String??
    private lazy var hits = matches.hitsInFirstProperty
}
