/// A tokenizer as a full-text table asks for it: takes texts apart into the terms that are indexed and searched for (Query 6.2).
///
/// For one thread at a time, like the connection it belongs to.
final class FullTextTokenizer {
    let removesDiacritics: Bool
    let stopWords: StopWords?
    let stemmer: Stemmer?
    /// Whether words of scripts without spaces are told apart.
    let breaksWords: Bool

    /// A run of characters without spaces, of which a cursor has not taken all words.
    struct Run {
        /// Where the rest of the run begins in memory, and its bytes.
        var address: UnsafePointer<UInt8>
        var bytes: ArraySlice<UInt8>
        /// Where the words of the rest end, as indices into `bytes`.
        var wordEnds: ArraySlice<Int>
    }

    /// A query is cut up term by term, each with a cursor on what is left of it. The words of a run are found once, with all of it
    /// in sight as in a document.
    @exclusivity(unchecked) var unfinished: Run?

    /// Makes a tokenizer from its arguments (Storage format 5.4). Ones that are not known do nothing.
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
