import DocumentStore
import SQLiteEngine

/// Adds to the words of a pattern what they are also found by: the stems of the words that begin like a prefix, terms that differ in one or
/// two letters, and synonyms (Query 6.12–6.14).
///
/// A word becomes an OR of itself and of terms of the index, before which there is a mark that keeps the tokenizer from changing them, or of
/// synonyms.
struct PatternExpansion {
    /// A word of the pattern, and what was added to it.
    struct Addition: Hashable {
        let word: String
        var terms: [String]
    }

    /// The most terms that are added to a word, and to all words of a pattern.
    static let maximumTermCount = (ofWord: 64, ofPattern: 512)

    /// The most words of a pattern whose additions are looked up in the index. The others stay as they are.
    static let maximumLookupCount = 16

    private let pattern: SearchPattern
    private let index: SearchIndex
    private let synonyms: SynonymList.Terms?
    private var vocabulary: Vocabulary
    private(set) var additions: [Addition] = []
    private var remaining = maximumTermCount.ofPattern
    /// How many more words are looked up in the index, which may take milliseconds for each.
    private var remainingLookups = maximumLookupCount

    /// Returns whether a pattern has a prefix, or a word with typing errors.
    static func isMarked(_ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        pattern.contains { $0 == UInt8(ascii: "*") || FuzzyWord.distance(ofMark: $0) > 0 }
    }

    /// Returns the expanded pattern, and what was added to which words; `nil` if nothing is added.
    static func expansion(
        of bytes: UnsafeBufferPointer<UInt8>,
        in table: String,
        on context: ConnectionContext
    ) throws -> (pattern: [UInt8], additions: [Addition])? {
        guard
            let index = try SearchIndex(table, on: context.connection), let pattern = SearchPattern(bytes, of: index)
        else { return nil }
        let synonyms = try SynonymList.terms(of: index, on: context.connection)
        var expansion = PatternExpansion(pattern, index, Vocabulary(of: index, on: context), synonyms)
        let result = try expansion.result()
        return expansion.additions.isEmpty ? nil : (result, expansion.additions)
    }

    private init(_ pattern: SearchPattern, _ index: SearchIndex, _ vocabulary: Vocabulary, _ synonyms: SynonymList.Terms?) {
        (self.pattern, self.index, self.vocabulary, self.synonyms) = (pattern, index, vocabulary, synonyms)
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
        guard let word = operand.words.last, word.isPrefix || word.distance > 0 else {
            return [own] + synonymForms(of: operand, limit: limit)
        }
        guard remainingLookups > 0 else { return [own] }
        remainingLookups -= 1
        let terms = try self.terms(for: word).prefix(min(limit, Self.maximumTermCount.ofWord))
        guard !terms.isEmpty else { return [own] }
        note(word, Array(terms))
        let markCount = (word.isFirst ? 1 : 0) + (word.distance > 0 ? 1 : 0)
        let before = pattern.bytes[operand.place.lowerBound..<(word.place.lowerBound - markCount)]
        let after = pattern.bytes[(word.place.upperBound + (word.isPrefix ? 1 : 0))..<operand.place.upperBound]
        let mark = [FullTextAnalyzer.exactMark] + (word.isFirst ? [UInt8(ascii: "^")] : [])
        return [own] + terms.map { before + mark + $0 + after }
    }

    /// Returns the synonyms of a word or a whole phrase, as words or phrases. A column or `^` before a phrase is not supported by FTS4.
    private mutating func synonymForms(of operand: SearchPattern.Operand, limit: Int) -> [[UInt8]] {
        guard let synonyms, operand.words.allSatisfy({ !$0.isPrefix && !$0.isFirst }), let first = operand.words.first else { return [] }
        let before = operand.isPhrase ? [] : Array(pattern.bytes[operand.place.lowerBound..<first.place.lowerBound])
        let others = synonyms.others(than: operand.words.map(\.folded), index.analyzer)
            .filter { $0.count == 1 || !operand.hasColumn }.prefix(min(limit, Self.maximumTermCount.ofWord))
        guard !others.isEmpty else { return [] }
        let texts = others.map { Array($0.joined(separator: [UInt8(ascii: " ")])) }
        let place = operand.isPhrase ? operand.place : first.place
        additions.append(
            Addition(
                word: String(decoding: pattern.bytes[place], as: UTF8.self),
                terms: texts.map { String(decoding: $0, as: UTF8.self) }
            )
        )
        let quote = UInt8(ascii: "\"")
        return zip(others, texts).map { words, text in words.count == 1 ? before + text : [quote] + text + [quote] }
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
