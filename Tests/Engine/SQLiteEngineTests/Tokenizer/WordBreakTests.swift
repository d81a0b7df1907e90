import SQLiteEngine
import Testing

@Suite("Word breaking of scripts without spaces")
struct WordBreakTests {
    private let tokens: TokenizedText

    init() throws {
        tokens = try TokenizedText(["stopwordlist=\(FullTextLanguage.wordBreaksMark)", "remove_diacritics=0"])
    }

    @Test(
        "Chinese, Japanese and Thai sentences are split into words",
        arguments: [
            ("我来到北京清华大学。", ["北京"]), ("東京都に住んでいます。", ["東京", "都", "に"]),
            ("日本語の文章を検索する", ["日本語", "の", "文章", "を", "検索", "する"]),
            ("สวัสดีครับผมชื่อสมชาย", ["สวัสดี", "ครับ", "ผม", "ชื่อ"]),
        ]
    )
    func sentences(text: String, expected: [String]) throws {
        let words = try tokens.words(of: text)
        for word in expected { #expect(words.contains(word), "\(words)") }
        #expect(words.count > 2)
    }

    @Test("other scripts in the same text are tokenized as usual")
    func mixed() throws {
        #expect(try tokens.words(of: "iPhoneを東京で買う、Été 2024年") == ["iphone", "を", "東京", "で", "買う", "été", "2024", "年"])
        let places = try tokens.tokens(of: "a東京b")
        #expect(places.map(\.start) == [0, 1, 7] && places.map(\.end) == [1, 7, 8] && places.map(\.position) == [0, 1, 2])
    }

    @Test("a sign without letters is not a word")
    func signs() throws {
        #expect(try tokens.words(of: "ก\u{E3F}่") == ["ก"])
        #expect(try tokens.words(of: "・。、「」") == [])
    }

    @Test("the languages without spaces need word breaking, and other languages do not")
    func languages() {
        for language in ["zh", "ja", "th", "japanese"] {
            #expect(FullTextLanguage.needsWordBreaks(language) && FullTextLanguage.isKnown(language))
        }
        for language in ["en", "ko", ""] { #expect(!FullTextLanguage.needsWordBreaks(language)) }
    }

    @Test("a full-text query in Chinese, Japanese or Thai finds the sentence it is part of")
    func queries() throws {
        let connection = try Connection.inMemory()
        try connection.registerFullTextTokenizer()
        try connection.execute(
            #"CREATE VIRTUAL TABLE t USING fts4(s, tokenize=unicodesn "stopwordlist=unicode-words" "remove_diacritics=0")"#
        )
        let sentences = ["東京都に住んでいます", "日本語の文章を検索する", "我来到北京清华大学", "สวัสดีครับผมชื่อสมชายอยู่กรุงเทพ"]
        for sentence in sentences { try connection.execute("INSERT INTO t VALUES ('\(sentence)')") }
        for (index, sentence) in sentences.enumerated() {
            for pattern in [sentence, "\"\(sentence)\"", "(\(sentence))"] {
                #expect(try connection.column("SELECT docid FROM t WHERE t MATCH '\(pattern)'") == ["\(index + 1)"])
            }
        }
        for (pattern, found) in [("東京", "1"), ("検索 文章", "2"), ("北京", "3"), ("กรุงเทพ", "4"), ("東*", "1")] {
            #expect(try connection.column("SELECT docid FROM t WHERE t MATCH '\(pattern)'") == [found])
        }
        // All inserted terms are removed.
        for sentence in sentences { try connection.execute("DELETE FROM t WHERE s = '\(sentence)'") }
        #expect(try connection.column("SELECT count(*) FROM t WHERE t MATCH '東京 OR 北京 OR ครับ OR の'") == ["0"])
        try connection.execute("INSERT INTO t(t) VALUES ('integrity-check')")
    }
}
