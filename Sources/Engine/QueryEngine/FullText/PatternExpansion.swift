import DocumentStore
import SQLiteEngine

/// Adds to the words of a pattern what they are also found by: the stems of the words that begin like a prefix, and terms that differ in one or
/// two letters (Query 6.12, 6.13).
///
/// A word becomes an OR of itself and of terms of the index, before which there is a mark that keeps the tokenizer from changing them.
struct PatternExpansion {
    /// A word of the pattern, and what was added to it.
    struct Addition: Hashable {
        let word: String
        var terms: [String]
    }

    /// The most terms that are added to a word, and to all words of a pattern.
    static let maximumTermCount = (ofWord: 64, ofPattern: 512)

    private let pattern: SearchPattern
    private let index: SearchIndex
    private var vocabulary: Vocabulary
    private(set) var additions: [Addition] = []
    private var remaining = maximumTermCount.ofPattern

    /// Returns the expanded pattern; `nil` if nothing is added.
    static func expanding(_ pattern: UnsafeBufferPointer<UInt8>, in table: String, on context: ConnectionContext) throws -> [UInt8]? {
        try expansion(of: pattern, in: table, on: context)?.pattern
    }

    /// Returns the expanded pattern, and what was added to which words; `nil` if nothing is added.
    static func expansion(
        of bytes: UnsafeBufferPointer<UInt8>,
        in table: String,
        on context: ConnectionContext
    ) throws -> (pattern: [UInt8], additions: [Addition])? {
        guard bytes.contains(where: { $0 == UInt8(ascii: "*") || FuzzyWord.distance(ofMark: $0) > 0 }),
            let index = try SearchIndex(table, on: context.connection), let pattern = SearchPattern(bytes, of: index)
        else { return nil }
        var expansion = PatternExpansion(pattern: pattern, index: index, vocabulary: Vocabulary(of: index, on: context))
        let result = try expansion.result()
        return expansion.additions.isEmpty ? nil : (result, expansion.additions)
    }

    private init(pattern: SearchPattern, index: SearchIndex, vocabulary: Vocabulary) {
        (self.pattern, self.index, self.vocabulary) = (pattern, index, vocabulary)
    }

    private mutating func result() throws -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for group in pattern.groups {
            guard let first = group.first, let last = group.last else { continue }
            // The operands of NEAR cannot be in parentheses, so each combination of them is an operand of OR.
            var combinations: [[UInt8]] = [[]]
            var position = first.place.lowerBound
            for operand in group {
                let between = pattern.bytes[position..<operand.place.lowerBound]
                let forms = try self.forms(of: operand, limit: max(1, remaining / max(1, combinations.count)))
                combinations = combinations.flatMap { left in forms.map { left + between + $0 } }
                remaining = max(0, remaining - (forms.count - 1) * max(1, combinations.count / forms.count))
                position = operand.place.upperBound
            }
            result += pattern.bytes[end..<first.place.lowerBound]
            if combinations.count == 1 {
                result += combinations[0]
            } else {
                result += Array("(".utf8) + Array(combinations.joined(separator: Array(" OR ".utf8))) + Array(")".utf8)
            }
            end = last.place.upperBound
        }
        return result + pattern.bytes[end...]
    }

    /// Returns the operand as it is, and with other terms instead of its word; of a phrase, instead of its last word.
    private mutating func forms(of operand: SearchPattern.Operand, limit: Int) throws -> [[UInt8]] {
        let own = Array(pattern.bytes[operand.place])
        guard let word = operand.words.last, word.isPrefix || word.distance > 0 else { return [own] }
        let terms = try self.terms(for: word).prefix(min(limit, Self.maximumTermCount.ofWord))
        guard !terms.isEmpty else { return [own] }
        note(word, Array(terms))
        let markCount = (word.isFirst ? 1 : 0) + (word.distance > 0 ? 1 : 0)
        let before = pattern.bytes[operand.place.lowerBound..<(word.place.lowerBound - markCount)]
        let after = pattern.bytes[(word.place.upperBound + (word.isPrefix ? 1 : 0))..<operand.place.upperBound]
        let mark = [FullTextAnalyzer.exactMark] + (word.isFirst ? [UInt8(ascii: "^")] : [])
        return [own] + terms.map { before + mark + $0 + after }
    }

    private mutating func terms(for word: SearchPattern.Word) throws -> [[UInt8]] {
        if word.distance > 0 {
            return try FuzzyWord(word.folded, stem: index.analyzer.stem(of: word.folded), distance: word.distance).terms(in: &vocabulary)
        }
        guard index.analyzer.hasStemmer else { return [] }
        return try StemSearch(prefix: word.folded, index.analyzer).terms(in: &vocabulary)
    }

    private mutating func note(_ word: SearchPattern.Word, _ terms: [[UInt8]]) {
        let text = String(decoding: pattern.bytes[word.place], as: UTF8.self) + (word.isPrefix ? "*" : "")
        additions.append(Addition(word: text, terms: terms.map { String(decoding: $0, as: UTF8.self) }))
    }
}
