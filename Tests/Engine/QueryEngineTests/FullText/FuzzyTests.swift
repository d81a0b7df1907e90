import DocumentStore
import QueryEngine
import QueryLanguage
import TestSupport
import Testing

@Suite("Full-text searches for words with typing errors")
struct FuzzyTests {
    private func database(_ texts: [String], _ options: FullTextIndexOptions = FullTextIndexOptions()) throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.createFullTextIndex("t", options)
        try database.file.transaction { _ in
            for (number, text) in texts.enumerated() { try database.save("\(number + 1)", #"{"t":"\#(text)"}"#) }
        }
        return database
    }

    private func ids(_ pattern: String, in database: QueryDatabase) throws -> [String] {
        try database.rows("SELECT meta().id FROM _ WHERE match(idx, \(pattern)) ORDER BY meta().id").map { $0.replacing("\"", with: "") }
    }

    @Test(
        "a word is found with as many typing errors as allowed",
        arguments: [
            ("fuzzy('wor', 1)", ["1"]), ("fuzzy('wrod', 2)", ["1"]), ("fuzzy('wrod')", []), ("fuzzy('recieve', 2)", ["2"]),
            ("fuzzy('word', 0)", ["1"]),
            ("fuzzy('xrd', 1)", []), ("fuzzy('naeve', 1)", ["3"]), ("fuzzy('Wordd', 1) || ' NOT fuzz'", ["1"]),
            ("fuzzy('AND wordd', 1)", []),
            ("fuzzy('\"wordd)(', 1)", ["1"]), ("fuzzy('日木', 1)", ["4"]), ("fuzzy('')", []), ("fuzzy('w')", []),
        ]
    )
    func distances(pattern: String, found: [String]) throws {
        let database = try database(["a word", "receive", "naïve", "日本"])
        #expect(try ids(pattern, in: database) == found, "\(pattern)")
    }

    @Test("in an index with stems, the stem may have the errors")
    func stems() throws {
        let database = try database(["receiving", "libraries"], FullTextIndexOptions(language: "en"))
        #expect(try ids("fuzzy('recieving', 2)", in: database) == ["1"])
        #expect(try ids("fuzzy('libary libraris', 1)", in: database) == ["2"])
    }

    @Test("random words are found exactly if a naive distance allows it")
    func oracle() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        func word() -> String {
            String((0..<Int.random(in: 2..<7, using: &random)).map { _ in "abcé".randomElement(using: &random) ?? "a" })
        }
        func distance(_ left: Substring, _ right: Substring) -> Int {
            guard let first = left.first else { return right.count }
            guard let other = right.first else { return left.count }
            if first == other { return distance(left.dropFirst(), right.dropFirst()) }
            let rest = [(left.dropFirst(), right), (left, right.dropFirst()), (left.dropFirst(), right.dropFirst())]
            return 1 + (rest.map { distance($0.0, $0.1) }.min() ?? 0)
        }
        let words = (0..<30).map { _ in word() }
        let database = try database(words)
        for _ in 0..<25 {
            let sought = word()
            let allowed = Int.random(in: 1...2, using: &random)
            let limit = min(allowed, sought.count / 2)
            let wanted = words.indices.filter { distance(Substring(words[$0]), Substring(sought)) <= limit }.map { "\($0 + 1)" }
            #expect(try ids("fuzzy('\(sought)', \(allowed))", in: database) == wanted.sorted(), "\(sought) \(allowed), seed \(seed)")
        }
    }

    @Test("fuzzy() outside of a pattern, or with a wrong distance, throws an error")
    func errors() throws {
        let database = try database(["word"])
        #expect(throws: QueryError.invalidQuery("fuzzy() can only be used in the pattern of match()")) {
            try database.rows("SELECT fuzzy('word') FROM _")
        }
        for arguments in ["'word', 3", "'word', -1", "'word', 'x'", "5"] {
            #expect(throws: QueryError.self) { try ids("fuzzy(\(arguments))", in: database) }
        }
        #expect(throws: QueryError.self) { try database.createFullTextIndex("t", named: "part", where: "t = fuzzy('a')") }
    }
}
