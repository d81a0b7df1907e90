import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text prefixes in indexes with stems")
struct StemPrefixTests {
    private func database(_ texts: [String], language: String = "en") throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.file.transaction { _ in
            for (number, text) in texts.enumerated() { try database.save("\(number + 1)", #"{"t":"\#(text)","u":"other"}"#) }
        }
        try database.createFullTextIndex("t, u", FullTextIndexOptions(language: language))
        return database
    }

    @Test(
        "each beginning of a word finds it",
        arguments: [
            ("en", "alternative"), ("en", "organization"), ("en", "libraries"), ("en", "skies"), ("en", "universities"),
            ("en", "generously"),
            ("de", "aufeinanderfolgenden"), ("fr", "continuellement"), ("es", "torpemente"), ("ru", "организация"),
            ("fi", "laskennallisia"),
        ]
    )
    func everyBeginning(language: String, word: String) throws {
        let database = try database(["nothing", "one \(word) more"], language: language)
        for length in 1...word.count {
            #expect(try database.ids(matching: word.prefix(length) + "*") == ["2"], "\(word.prefix(length))*")
        }
        // There is no word that begins so.
        #expect(try database.ids(matching: word + "x*") == [])
    }

    @Test(
        "a prefix is expanded wherever FTS4 allows a word",
        arguments: [
            ("quick alternat*", ["1", "2"]), (#""quick alternat*""#, ["1"]), ("t:alternat*", ["1", "2"]), ("u:alternat*", []),
            ("^alternat*", ["2"]),
            ("music NOT alternat*", ["3"]), ("music NEAR/0 alternat*", ["1"]), ("(alternat* OR slow) music", ["1"]),
            ("nothing alternat*", []), ("'alternat*'", ["1", "2"]), ("ALTERNAT*", ["1", "2"]), (#""alternat* music""#, []),
            ("alternat* NEAR/9 organi*", ["2"]), ("-alternat*", ["1", "2"]), ("t: alternat*", ["1", "2"]),
        ]
    )
    func places(pattern: String, found: [String]) throws {
        let database = try database(["quick alternative music", "alternative organization of quick libraries", "music"])
        #expect(try database.ids(matching: pattern) == found, "\(pattern)")
    }

    @Test("what a prefix finds are the words that begin so, and all words with their stems")
    func oracle() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let roots = ["nation", "connect", "general", "hope", "sky", "organ", "relate", "act"]
        let endings = ["", "s", "al", "ality", "ing", "ed", "ization", "ful", "ive", "ion", "ies", "ly", "izing"]
        let words = roots.flatMap { root in endings.map { root + $0 } }
        let texts = (0..<120).map { _ in
            (0..<Int.random(in: 1..<4, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        }
        let database = try database(texts.map { $0.joined(separator: " ") })
        let analyzer = FullTextAnalyzer(statement: try database.statements(ofTable: "kv_default::idx").first ?? "")
        func stem(_ word: String) -> [UInt8] { analyzer.stem(of: Array(word.utf8)) }
        for _ in 0..<60 {
            let word = words.randomElement(using: &random) ?? ""
            let prefix = String(word.prefix(Int.random(in: 2...max(2, word.count), using: &random)))
            let stems = Set(texts.joined().filter { $0.hasPrefix(prefix) }.map(stem))
            let wanted = texts.indices.filter { number in
                texts[number].contains { stems.contains(stem($0)) || stem($0).starts(with: stem(prefix)) }
            }
            let found = try database.ids(matching: prefix + "*").compactMap(Int.init)
            #expect(found.sorted() == wanted.map { $0 + 1 }, "\(prefix)*, seed \(seed)")
        }
    }

    @Test("a search inside of a transaction finds what the transaction has saved")
    func transaction() throws {
        let database = try database([])
        try database.file.transaction { _ in
            try database.save("1", #"{"t":"alternative"}"#)
            #expect(try database.ids(matching: "alternat*") == ["1"])
        }
        #expect(try database.ids(matching: "alternat*") == ["1"])
        // The list of terms stays on the connection while the index is replaced.
        try database.file.transaction { _ in
            try database.createFullTextIndex("u, t", FullTextIndexOptions(language: "en"))
            #expect(try database.ids(matching: "alternat*") == ["1"])
            try database.indexes.delete("idx", on: database.collection())
        }
        try database.createFullTextIndex("t", FullTextIndexOptions(language: "en"))
        #expect(try database.ids(matching: "alternat*") == ["1"])
        try database.checkFullTextTable()
    }

    @Test("the words found by a prefix have ranks and marks as others")
    func marks() throws {
        let database = try database(["quick alternative music"])
        let rows = try database.rows("SELECT highlight(idx, 't', '[', ']'), rank(idx) FROM _ WHERE match(idx, 'alternat*')")
        #expect(rows == [#""quick [alternative] music" 1.0"#])
    }

    @Test("an index without stems, and a pattern without prefixes, are searched with the pattern as it is")
    func plain() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("t")
        #expect(try !database.prepare("SELECT t FROM _ WHERE match(idx, 'a*')").compiled.sql.contains("kv_default::idx')"))
        try database.createFullTextIndex("t", named: "en", FullTextIndexOptions(language: "en"))
        #expect(try database.prepare("SELECT t FROM _ WHERE match(en, 'a*')").compiled.sql.contains("fl_pattern('a*', 'kv_default::en')"))
        try database.save("1", #"{"t":"words"}"#)
        _ = try database.ids(matching: "words word", index: "en")
        let tables = try database.file.read { try $0.connection.scalar("SELECT count(*) FROM sqlite_temp_master") }
        #expect(tables == 0)
    }

    @Test("only the first sixteen prefixes of a pattern are looked up in the index")
    func limit() throws {
        let database = try database(["alternative"])
        func pattern(_ count: Int) -> String { (Array(repeating: "zz*", count: count) + ["alternat*"]).joined(separator: " OR ") }
        #expect(try database.ids(matching: pattern(15)) == ["1"])
        #expect(try database.ids(matching: pattern(16)) == [])
        #expect(try database.ids(matching: pattern(1000)) == [])
    }

    @Test("a malformed pattern throws an error", arguments: [#""alternat*"#, "(alternat*", "alternat* AND", "NOT alternat*"])
    func malformed(pattern: String) throws {
        let database = try database(["alternative"])
        #expect(throws: QueryError.self) { try database.ids(matching: pattern) }
    }
}
