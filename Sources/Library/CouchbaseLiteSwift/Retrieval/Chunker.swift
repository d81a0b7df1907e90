/// Divides texts into overlapping chunks of whole sentences, for vectors of passages instead of whole documents.
///
/// ```swift
/// let chunker = Chunker(maximumLength: 800, overlap: 150)
/// for chunk in chunker.chunks(of: article.body) { print(chunk.index, chunk.text) }
/// ```
///
/// A chunk consists of as many whole sentences as fit. The next one begins with the last sentences of the one before, as many as fit into the
/// overlap, so that a thought at a border is whole in one of both. A sentence that is too long is divided between words, and a word that is too
/// long between characters; a character with its combining marks is never divided. Line breaks end sentences.
///
/// A value type without state: the same text always has the same chunks, on all systems.
public struct Chunker: Sendable {
    /// A chunk of a text.
    public struct Chunk: Hashable, Sendable {
        /// The position among the chunks of the text, from 0.
        public let index: Int
        /// The chunk, without white space at its ends. Never empty.
        public let text: String
        /// The place in the text.
        public let range: Range<String.Index>
        /// The place in the text, in bytes of its UTF-8 form: numbers that can be stored in documents, to cite the place later.
        public let bytes: Range<Int>
    }

    /// The maximum length of a chunk, in the unit of `measure`.
    public let maximumLength: Int
    /// The maximum length of the text that two chunks share, in the unit of `measure`. 0: none.
    public let overlap: Int
    let measure: @Sendable (Substring) -> Int

    /// Creates a chunker.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length of a chunk. Default: 1,000, about 200 words. Values below 1 count as 1.
    ///   - overlap: The maximum length of the text that two chunks share. Default: 150. At most half of the maximum length; negative values count
    ///     as 0.
    ///   - measure: The length of a part of a text; the default counts characters (extended grapheme clusters, UAX #29). A model that takes a
    ///     number of tokens is best served by a function that counts these. It is called for each sentence once, and for the words of long
    ///     sentences; the length of a chunk is the sum of theirs. Negative lengths count as 0.
    public init(maximumLength: Int = 1000, overlap: Int = 150, measure: @escaping @Sendable (Substring) -> Int = { $0.count }) {
        self.maximumLength = max(1, maximumLength)
        self.overlap = min(max(0, overlap), self.maximumLength / 2)
        self.measure = measure
    }

    /// Returns the chunks of a text, in order. A text of white space only has none.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func chunks(of text: String) -> [Chunk] {
        let pieces = self.pieces(of: text)
        var chunks: [Chunk] = []
        var positions = BytePositions(text)
        var start = 0
        while start < pieces.count {
            let end = self.end(of: pieces, from: start)
            let range = text.trimmed(pieces[start].range.lowerBound..<pieces[end - 1].range.upperBound)
            // Only white space may have been added to what the chunk before has.
            if let range, range.upperBound > chunks.last?.range.upperBound ?? text.startIndex {
                chunks.append(Chunk(index: chunks.count, text: String(text[range]), range: range, bytes: positions.bytes(of: range)))
            }
            if end == pieces.count { break }
            start = self.start(after: start, end, of: pieces)
        }
        return chunks
    }

    /// Returns the end of the chunk that begins at a piece: at least one piece, and as many as fit.
    private func end(of pieces: [Piece], from start: Int) -> Int {
        var (length, end) = (pieces[start].length, start + 1)
        while end < pieces.count, pieces[end].length <= maximumLength - length {
            length += pieces[end].length
            end += 1
        }
        return end
    }

    /// Returns the first piece of the chunk after that of the pieces `start..<end`. The chunk will contain the piece `end`.
    private func start(after start: Int, _ end: Int, of pieces: [Piece]) -> Int {
        let free = min(overlap, maximumLength - min(maximumLength, pieces[end].length))
        var (length, next) = (0, end)
        while next - 1 > start, pieces[next - 1].length <= free - length {
            next -= 1
            length += pieces[next].length
        }
        return next
    }

    // MARK: Pieces

    /// A part of a text that is not divided.
    private struct Piece {
        let range: Range<String.Index>
        /// From 0; only that of a single character can be above the maximum.
        let length: Int
    }

    private func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        for sentence in Sentences(text) { append(sentence, of: text, to: &pieces, dividing: [.words, .characters]) }
        return pieces
    }

    private enum Division {
        case words, characters
    }

    /// Appends a range as a piece, or divided by the first of the divisions if it is too long.
    private func append(_ range: Range<String.Index>, of text: String, to pieces: inout [Piece], dividing: ArraySlice<Division>) {
        let length = max(0, measure(text[range]))
        guard length > maximumLength, let division = dividing.first else { return pieces.append(Piece(range: range, length: length)) }
        var start = range.lowerBound
        while start < range.upperBound {
            let end = division == .words ? text.endOfWord(from: start, in: range) : text.index(after: start)
            append(start..<end, of: text, to: &pieces, dividing: dividing.dropFirst())
            start = end
        }
    }
}

/// Converts ranges of a text with ascending beginnings into UTF-8 bytes, without counting from the beginning of the text each time.
private struct BytePositions {
    let utf8: String.UTF8View
    var known: (index: String.Index, offset: Int)

    init(_ text: String) {
        utf8 = text.utf8
        known = (text.startIndex, 0)
    }

    mutating func bytes(of range: Range<String.Index>) -> Range<Int> {
        known = (range.lowerBound, known.offset + utf8.distance(from: known.index, to: range.lowerBound))
        return known.offset..<(known.offset + utf8.distance(from: range.lowerBound, to: range.upperBound))
    }
}

extension String {
    /// Returns the range without white space at its ends; `nil` if nothing else is there.
    fileprivate func trimmed(_ range: Range<Index>) -> Range<Index>? {
        let text = self[range]
        guard let first = text.firstIndex(where: { !$0.isWhitespace }), let last = text.lastIndex(where: { !$0.isWhitespace }) else {
            return nil
        }
        return first..<index(after: last)
    }

    /// Returns the end of the word and of the white space behind it.
    fileprivate func endOfWord(from start: Index, in range: Range<Index>) -> Index {
        let text = self[start..<range.upperBound]
        guard let space = text.firstIndex(where: \.isWhitespace) else { return range.upperBound }
        return text[space...].firstIndex { !$0.isWhitespace } ?? range.upperBound
    }
}
