import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Snippets and highlighted texts in query rows")
struct SnippetTests {
    private let database: QueryDatabase

    init() throws { database = try QueryDatabase() }

    private func result(_ function: String, _ text: String, matching pattern: String, language: String? = nil) throws -> String? {
        try database.createFullTextIndex("s, other", FullTextIndexOptions(language: language))
        try database.save("a", #"{"s":"\#(text)"}"#)
        let query = try database.prepare("SELECT \(function) FROM _ WHERE match(idx, $pattern)")
        let rows = try query.run(on: database.file, parameters: .pattern(pattern))
        #expect(rows.count == 1)
        return rows.value(row: 0, column: 0)?.string
    }

    private static let text =
        "Squeeze one lemon. Stir the cream slowly until it is warm, add the pasta and the zest of a lemon, and serve at once."

    @Test(
        "a snippet has at most so many words, around as many different words of the pattern as possible",
        arguments: [
            (
                "snippet(idx)",
                "Squeeze one **lemon**. Stir the **cream** slowly until it is warm, add the pasta and the zest of a **lemon**, and serve at once."
            ),
            ("snippet(idx, 's', '<b>', '</b>', '...', 5)", "...<b>lemon</b>. Stir the <b>cream</b> slowly..."),
            ("snippet(idx, NULL, '[', ']', '', 1)", "[lemon]."),
            ("snippet(idx, 'other')", nil),
        ] as [(String, String?)]
    )
    func snippets(function: String, snippet: String?) throws {
        #expect(try result(function, Self.text, matching: "lemon cream") == snippet)
    }

    @Test("a highlighted text is the whole text with marks around the words, also around their other forms")
    func highlight() throws {
        let text = try result("highlight(idx, 's', '<', '>')", "He was running; runs. Run!", matching: "run", language: "en")
        #expect(text == "He was <running>; <runs>. <Run>!")
    }

    @Test(
        "marks never divide a character, in any script",
        arguments: [
            ("a\u{338}b c", "a", "[a\u{338}]b c"), ("हिन्दी में", "ह", "[हि]न्दी में"), ("שָׁלוֹם עולם", "עולם", "שָׁלוֹם [עולם]"),
            ("مَرْحَبًا بالعالم", "بالعالم", "مَرْحَبًا [بالعالم]"), ("x 👩‍👩‍👧 y", "y", "x 👩‍👩‍👧 [y]"), ("cafe\u{301} noir", "noir", "cafe\u{301} [noir]"),
        ]
    )
    func scripts(text: String, pattern: String, highlighted: String) throws {
        let found = try result("highlight(idx, 's', '[', ']')", text, matching: pattern)
        #expect(found.map { Array($0.unicodeScalars) } == Array(highlighted.unicodeScalars), "\(found ?? "")")
    }

    @Test("in a script without spaces, each letter of a snippet counts as a word")
    func unspaced() throws {
        let found = try result("snippet(idx, 's', '[', ']', '…', 6)", "私は昨日東京都の近くに住んでいました。", matching: "東京", language: "ja")
        #expect(found == "…日[東京]都の近…")
    }

    // The words that are searched for are one term each: no stop words, and without vowel signs, which separate terms (Query 6.2).
    @Test(
        "a snippet in any script has whole words and characters, in the order in which they are written",
        arguments: [
            ("אחת שתיים שלוש ארבע חמש שש שבע שמונה תשע", "חמש", "he"), ("واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية", "خمسة", "ar"),
            ("एक दो तीन चार नमक छः सात आठ नौ दस", "नमक", "hi"), ("e\u{301}te\u{301} a\u{308}b k o\u{302}n d\u{323}e f\u{327}g hi jk", "k", "fr"),
            ("하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉", "다섯", "ko"), ("один два три четыре пять шесть семь восемь", "пять", "ru"),
        ]
    )
    func scriptsOfSnippets(text: String, word: String, language: String) throws {
        let found = try #require(try result("snippet(idx, 's', '[', ']', '…', 3)", text, matching: word, language: language))
        #expect(found.contains("[\(word)]") && found.hasPrefix("…") && found.hasSuffix("…"), "\(found)")
        let words = found.replacing("…", with: "").replacing("[", with: "").replacing("]", with: "").split(separator: " ").map(String.init)
        let all = text.split(separator: " ").map(String.init)
        #expect(words.count <= 3 && all.indices.contains { all[$0...].starts(with: words) }, "\(found)")
    }

    @Test("random snippets are parts of their texts, and do not divide characters")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let pieces = ["word", "bc", " ", "  ", "é", "e\u{301}", "日", "本", "👩‍🚀", "🇫🇷", "שָׁלוֹם", "ก็", " ", "nächste", "。", "हिन्दी", "word "]
        try database.createFullTextIndex("s")
        let query = try database.prepare("SELECT snippet(idx, 's', '', '', '', $n) FROM _ WHERE match(idx, 'word OR e OR न OR nächste')")
        for _ in 0..<150 {
            let text =
                "word " + (0..<Int.random(in: 0..<40, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            try database.save("a", #"{"s":"\#(text)"}"#)
            let parameters = try QueryParameters(json: #"{"n":\#(Int.random(in: 1..<12, using: &random))}"#)
            let rows = try query.run(on: database.file, parameters: parameters)
            let snippet = rows.value(row: 0, column: 0)?.string ?? "none"
            let characters = Array(text)
            let isPart = characters.indices.contains { characters[$0...].starts(with: snippet) { Array($0.utf8) == Array($1.utf8) } }
            #expect(isPart && !snippet.isEmpty, "\(text) → \(snippet), seed \(seed)")
        }
    }

    @Test(
        "invalid arguments throw an error",
        arguments: [
            "snippet(idx, 's', 1)", "snippet(idx, 's', '', '', '', 0)", "snippet(idx, 's', '', '', '', 'x')",
            "snippet(idx, 's', '', '', '', 10001)", "highlight(idx, 's', '', 5)", "highlight(idx, 's', $pattern || $pattern)",
        ]
    )
    func invalid(function: String) throws {
        try database.createFullTextIndex("s")
        try database.save("a", #"{"s":"word"}"#)
        let query = try database.prepare("SELECT \(function) FROM _ WHERE match(idx, $pattern)")
        let pattern = "word" + String(repeating: " ", count: 1000)
        #expect(throws: QueryError.self) { try query.run(on: database.file, parameters: .pattern(pattern)) }
    }

    @Test("the searched source can be joined with others, and deleted documents are not found")
    func joined() throws {
        try database.createFullTextIndex("s")
        try database.save("a", #"{"s":"one word","to":"b"}"#)
        try database.save("b", #"{"n":1}"#)
        try database.save("c", #"{"s":"another word"}"#)
        try database.delete("c")
        let rows = try database.rows(
            "SELECT snippet(x.idx, 's'), y.n FROM _ AS x JOIN _ AS y ON meta(y).id = x.to WHERE match(x.idx, 'word')"
        )
        #expect(rows == [#""one **word**" 1"#])
    }
}
