import DocumentStore
import QueryEngine

/// A part of an indexed text around words that a full-text search has found. It begins and ends at words, or in scripts without spaces between
/// characters.
public struct SearchSnippet: Hashable, Sendable {
    /// The property that contains the text, as the index names it.
    public let property: String
    /// The part of the text, as it is indexed. A text from nested arrays or objects consists of their values, separated by spaces.
    public let text: String
    /// The words that were found, as ranges in ``text``, in ascending order and disjoint.
    public let matches: [Range<String.Index>]
    /// Whether the text continues before the snippet.
    public let isCutAtStart: Bool
    /// Whether the text continues after the snippet.
    public let isCutAtEnd: Bool

    /// A piece of a snippet.
    public struct Part: Hashable, Sendable {
        /// The text of the piece, which is not empty.
        public let text: Substring
        /// Whether the piece is a word that was found.
        public let isMatch: Bool
    }

    /// The whole text in pieces, for example to escape each of them for HTML or to give them different attributes.
    public var parts: [Part] {
        var parts: [Part] = []
        var end = text.startIndex
        for match in matches {
            if end < match.lowerBound { parts.append(Part(text: text[end..<match.lowerBound], isMatch: false)) }
            parts.append(Part(text: text[match], isMatch: true))
            end = match.upperBound
        }
        if end < text.endIndex { parts.append(Part(text: text[end...], isMatch: false)) }
        return parts
    }

    /// Returns the text with marks around the words that were found.
    ///
    /// - Parameters:
    ///   - opening: The mark before a word. Default: `**`.
    ///   - closing: The mark after a word. Default: `**`.
    ///   - ellipsis: What stands for the text before and after the snippet. Default: `…`.
    public func marked(_ opening: String = "**", _ closing: String = "**", ellipsis: String = "…") -> String {
        let body = parts.map { $0.isMatch ? opening + $0.text + closing : String($0.text) }.joined()
        return (isCutAtStart ? ellipsis : "") + body + (isCutAtEnd ? ellipsis : "")
    }

    /// Reads the text in which the words of a row were found; `nil` if the index does not contain it any more.
    ///
    /// - Parameters:
    ///   - name: The property; `nil` for the one with the most different words.
    ///   - length: The maximum number of code points.
    init?(_ found: RowMatches, _ name: String?, length: Int, on file: DatabaseFile) throws {
        guard let column = name.map({ found.column(of: $0) }) ?? found.bestColumn, let property = found.property(ofColumn: column),
            let source = try found.indexedText(column: column, on: file)
        else { return nil }
        let excerpt = MatchExcerpt(of: source, found.hits.filter { $0.column == column }, length: length)
        self.property = property
        (text, isCutAtStart, isCutAtEnd) = (excerpt.text, excerpt.isCutAtStart, excerpt.isCutAtEnd)
        matches = excerpt.ranges
    }
}
