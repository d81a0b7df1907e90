/// A part of a text around words that were found in it, with their positions.
///
/// The part contains as many different terms as possible, whole if they are not longer than the limit. It begins and ends beside a space, or
/// else between two characters, and never divides a code point.
package struct MatchExcerpt: Hashable, Sendable {
    /// The part of the text.
    package let text: String
    /// The words in ``text``, in UTF-8 bytes, in ascending order and disjoint.
    package let matches: [Range<Int>]
    /// Whether the text continues before the part.
    package let isCutAtStart: Bool
    /// Whether the text continues after the part.
    package let isCutAtEnd: Bool

    /// Chooses the part of a text.
    ///
    /// - Parameters:
    ///   - source: The text.
    ///   - hits: The words that were found in it. Ranges that do not fit the text are shortened, or ignored if nothing is left.
    ///   - length: The maximum number of code points, at least 1.
    /// - Complexity: O(*n*) in the size of the text, in a loop over its bytes.
    package init(of source: String, _ hits: [RowMatches.Hit], length: Int) {
        var source = source
        self = source.withUTF8 { bytes in
            let text = MatchedText(bytes: bytes)
            let words = text.words(hits)
            return MatchExcerpt(text, words, text.part(around: words, length: length))
        }
    }

    /// Chooses the part of a text, of whole words. In scripts without spaces, each letter counts as a word.
    ///
    /// - Parameters:
    ///   - source: The text.
    ///   - hits: As in ``init(of:_:length:)``.
    ///   - count: The maximum number of words, at least 1.
    init(of source: String, _ hits: [RowMatches.Hit], words count: Int) {
        var source = source
        self = source.withUTF8 { bytes in
            let text = MatchedText(bytes: bytes)
            let words = text.words(hits)
            return MatchExcerpt(text, words, text.part(around: words, count: count))
        }
    }

    /// The number of words of a snippet, if none is given.
    static let usualWordCount = 24
    /// The maximum number of words of a snippet.
    static let maximumWordCount = 10_000

    private init(_ source: MatchedText, _ words: [MatchedText.Word], _ part: Range<Int>) {
        text = String(decoding: source.bytes[part], as: UTF8.self)
        matches = words.map { $0.bytes.clamped(to: part) }.filter { !$0.isEmpty }.map { source.moved($0, by: -part.lowerBound) }
        (isCutAtStart, isCutAtEnd) = (part.lowerBound > 0, part.upperBound < source.bytes.count)
    }

    /// Returns the part with marks around the words that were found.
    ///
    /// - Parameter ellipsis: What stands for the text before and after the part.
    func marked(_ before: String, _ after: String, ellipsis: String) -> String {
        var marked = isCutAtStart ? ellipsis : ""
        var end = text.startIndex
        for word in ranges {
            marked += text[end..<word.lowerBound] + before + text[word] + after
            end = word.upperBound
        }
        return marked + text[end...] + (isCutAtEnd ? ellipsis : "")
    }

    /// Returns the size of the part in bytes, with marks of this size around each word.
    func size(withMarks size: Int) -> Int {
        let (added, isOverflow) = matches.count.multipliedReportingOverflow(by: size)
        return isOverflow ? .max : text.utf8.count + added
    }

    /// The words as ranges of the text.
    package var ranges: [Range<String.Index>] {
        var (index, offset) = (text.startIndex, 0)
        return matches.map { match in
            let start = text.utf8.index(index, offsetBy: match.lowerBound - offset)
            (index, offset) = (text.utf8.index(start, offsetBy: match.count), match.upperBound)
            return start..<index
        }
    }
}
