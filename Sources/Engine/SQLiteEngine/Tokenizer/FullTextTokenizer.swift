/// A tokenizer configured for a full-text table. It splits texts into the terms that are indexed and searched for (Query 6.2).
///
/// Used by one thread at a time, like the connection it belongs to.
final class FullTextTokenizer {
    let removesDiacritics: Bool
    let stopWords: StopWords?
    let stemmer: Stemmer?
    /// Whether texts in scripts without spaces are split into words.
    let breaksWords: Bool

    /// A sequence of characters without spaces, whose words have not all been returned by a cursor.
    struct Run {
        /// The address of the rest of the run in memory, and its bytes.
        var address: UnsafePointer<UInt8>
        var bytes: ArraySlice<UInt8>
        /// The ends of the remaining words, as indices into `bytes`.
        var wordEnds: ArraySlice<Int>
    }

    /// The rest of a run of the previous cursor. SQLite tokenizes a query term by term, each with a new cursor on the rest of the query.
    /// The words of a run are determined once for the whole run, as in a document.
    @exclusivity(unchecked) var unfinished: Run?

    /// Creates a tokenizer from its arguments (Storage format 5.4). Unknown arguments are ignored.
    init(arguments: [String]) {
        var removesDiacritics = true
        var stopWordText: String?
        var customStopWords: String?
        var stemmer: Stemmer?
        for argument in arguments {
            guard let equals = argument.firstIndex(of: "=") else { continue }
            let value = String(argument[argument.index(after: equals)...])
            switch argument[..<equals] {
            case "remove_diacritics": removesDiacritics = value != "0"
            case "stopwords": stopWordText = FullTextLanguage.stopWords(of: value)
            case "stopwordlist": customStopWords = value
            case "stemmer": stemmer = Stemmer(language: value)
            default: break
            }
        }
        self.removesDiacritics = removesDiacritics
        self.stemmer = stemmer
        let words = (customStopWords ?? stopWordText).map { StopWords($0) }
        stopWords = words.flatMap { $0.isEmpty ? nil : $0 }
        breaksWords = customStopWords?.split(separator: " ").contains { $0 == FullTextLanguage.wordBreaksMark } ?? false
    }
}

/// Splits texts into terms like a full-text table created by a given statement (Query 6.2). Used to compare the terms in a table's index
/// with the expected ones.
package struct FullTextAnalyzer {
    private let tokenizer: FullTextTokenizer

    /// - Parameter statement: The statement that created the table. The tokenizer's arguments are at its end.
    package init(statement: String) {
        let mark = "tokenize=\(Connection.fullTextTokenizerName)"
        let start = statement.firstRange(of: mark)?.upperBound ?? statement.endIndex
        let arguments = statement[start...].split(separator: "\"", omittingEmptySubsequences: false)
        // Every second part was in quotation marks. The arguments themselves contain none.
        tokenizer = FullTextTokenizer(arguments: arguments.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    /// The byte before a term in a pattern that the tokenizer must not change: a control character, which separates words. Only queries
    /// recognize it (Query 6.12).
    package static let exactMark: UInt8 = 1

    /// Returns whether a character belongs to a script that is written without spaces between words.
    package static func hasNoSpaces(_ character: Unicode.Scalar) -> Bool { TokenCharacters.isUnspaced(character.value) }

    /// Whether words are replaced by their stems.
    package var hasStemmer: Bool { tokenizer.stemmer != nil }

    /// Returns the stem of a folded word; the word itself if the index has no stems.
    package func stem(of word: [UInt8]) -> [UInt8] {
        guard let stemmer = tokenizer.stemmer else { return word }
        let hash = word.reduce(StopWords.emptyHash) { StopWords.hash($0, adding: $1) }
        return word.withUnsafeBufferPointer { Array(stemmer.stem($0, hash: hash)) }
    }

    /// Calls `body` with each folded word of a text in UTF-8 that is no stop word, in order, and its place in the text, until it returns
    /// `false`. The bytes are only valid during the call.
    package func forEachWord(of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Bool) {
        guard let start = text.baseAddress, !text.isEmpty else { return }
        var scanner = TokenScanner(tokenizer, text: start, count: text.count)
        while scanner.advanceToWord() != nil {
            guard body(UnsafeBufferPointer(start: scanner.token, count: scanner.tokenCount), scanner.start..<scanner.end) else { return }
        }
    }

    /// Calls `body` with each term of a text in UTF-8, in order. The bytes are only valid during the call.
    package func forEachTerm(of text: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let start = text.baseAddress, !text.isEmpty else { return }
        var scanner = TokenScanner(tokenizer, text: start.assumingMemoryBound(to: UInt8.self), count: text.count)
        while scanner.advance() { body(UnsafeBufferPointer(start: scanner.token, count: scanner.tokenCount)) }
    }
}
