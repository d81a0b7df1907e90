import Base
import SQLiteEngine

/// A pattern of a full-text search, divided as FTS4 does (Query 6.4), as far as its expansion has to know it: words, phrases, and the places
/// where they are connected by NEAR.
struct SearchPattern {
    /// A word of the pattern.
    struct Word {
        /// The word as it is compared with the words of texts, before it is replaced by its stem.
        let folded: [UInt8]
        /// Its place in the pattern, without a star.
        let place: Range<Int>
        /// Whether a star follows.
        let isPrefix: Bool
        /// Whether `^` precedes.
        let isFirst: Bool
        /// The number of changed letters with which it is also found.
        let distance: Int
    }

    /// A word with the column before it, or a phrase with its quotation marks.
    struct Operand {
        let place: Range<Int>
        let words: [Word]
        let isPhrase: Bool
        /// Whether the name of a column precedes a word.
        let hasColumn: Bool
    }

    let bytes: UnsafeBufferPointer<UInt8>
    /// The operands, in groups that are connected by NEAR.
    private(set) var groups: [[Operand]] = []

    /// Returns `nil` if the quotation marks are not in pairs.
    init?(_ whole: UnsafeBufferPointer<UInt8>, of index: SearchIndex) {
        // A pattern ends at its first NUL.
        bytes = UnsafeBufferPointer(rebasing: whole.prefix { $0 != 0 })
        let columns = index.columns.map { Array($0.asciiLowercased.utf8) }
        var position = 0
        var isNear = false
        while position < bytes.count {
            let byte = bytes[position]
            if Self.isSpace(byte) {
                position += 1
            } else if byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") {
                position += 1
                isNear = false
            } else if let (end, isNearOperator) = keyword(at: position) {
                position = end
                isNear = isNearOperator
            } else {
                guard let (operand, end) = operand(at: position, columns, index.analyzer) else { return nil }
                if let operand {
                    if isNear, let last = groups.indices.last { groups[last].append(operand) } else { groups.append([operand]) }
                    isNear = false
                }
                position = end
            }
        }
    }

    /// Returns the word or the phrase at a place, if there is one, and its end; `nil` if a quotation mark is missing.
    private func operand(at position: Int, _ columns: [[UInt8]], _ analyzer: FullTextAnalyzer) -> (Operand?, end: Int)? {
        if bytes[position] == UInt8(ascii: "\"") {
            guard let end = bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            let words = self.words(in: (position + 1)..<end, analyzer, limit: .max)
            return (words.isEmpty ? nil : Operand(place: position..<(end + 1), words: words, isPhrase: true, hasColumn: false), end + 1)
        }
        let column = columns.first { column in
            let end = position + column.count
            return end < bytes.count && bytes[end] == UInt8(ascii: ":")
                && bytes[position..<end].elementsEqual(column) { ($0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0) == $1 }
        }
        let start = column.map { position + $0.count + 1 } ?? position
        let end = bytes[start...].firstIndex { Self.endsWords($0) } ?? bytes.count
        guard let word = words(in: start..<end, analyzer, limit: 1).first else { return (nil, end) }
        let first = column == nil ? word.place.lowerBound - (word.isFirst ? 1 : 0) - (word.distance > 0 ? 1 : 0) : position
        let last = word.place.upperBound + (word.isPrefix ? 1 : 0)
        return (Operand(place: max(first, position)..<last, words: [word], isPhrase: false, hasColumn: column != nil), last)
    }

    private func words(in range: Range<Int>, _ analyzer: FullTextAnalyzer, limit: Int) -> [Word] {
        var words: [Word] = []
        analyzer.forEachWord(of: UnsafeBufferPointer(rebasing: bytes[range])) { folded, place in
            let (start, end) = (place.lowerBound + range.lowerBound, place.upperBound + range.lowerBound)
            let isFirst = start > range.lowerBound && bytes[start - 1] == UInt8(ascii: "^")
            let mark = start - (isFirst ? 2 : 1)
            words.append(
                Word(
                    folded: Array(folded),
                    place: start..<end,
                    isPrefix: end < range.upperBound && bytes[end] == UInt8(ascii: "*"),
                    isFirst: isFirst,
                    distance: mark >= range.lowerBound ? FuzzyWord.distance(ofMark: bytes[mark]) : 0
                )
            )
            return words.count < limit
        }
        return words
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Whether a byte ends the part of a pattern from which FTS4 takes a word.
    private static func endsWords(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "\"")
    }

    /// Returns the end of the operator at a place, and whether it is NEAR; `nil` if there is none.
    private func keyword(at position: Int) -> (end: Int, isNear: Bool)? {
        for (name, isNear) in [("AND", false), ("OR", false), ("NOT", false), ("NEAR", true)]
        where bytes[position...].starts(with: name.utf8) {
            var end = position + name.utf8.count
            if isNear, end + 1 < bytes.count, bytes[end] == UInt8(ascii: "/"), Self.isDigit(bytes[end + 1]) {
                end += 1
                while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
            }
            if end == bytes.count || Self.isSpace(bytes[end]) || Self.endsWords(bytes[end]) { return (end, isNear) }
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
