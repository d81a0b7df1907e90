import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Synonyms of full-text indexes")
struct SynonymTests {
    private static let groups = [["car", "automobile", "motor vehicle"], ["usa", "United States"], ["the", "a"]]

    private func options(_ synonyms: [[String]] = groups, language: String? = "en") -> FullTextIndexOptions {
        var options = FullTextIndexOptions(language: language)
        options.synonyms = synonyms
        return options
    }

    private func database(_ synonyms: [[String]] = groups, language: String? = "en") throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, text) in [
            ("1", "red cars"), ("2", "an automobile of the usa"), ("3", "motor vehicles"), ("4", "vehicle motors"), ("5", "united states"),
        ] {
            try database.save(id, #"{"t":"\#(text)","u":"other"}"#)
        }
        try database.createFullTextIndex("t, u", options(synonyms, language: language))
        return database
    }

    @Test(
        "a word or a phrase is also found by its synonyms",
        arguments: [
            ("car", ["1", "2", "3"]), ("Automobiles", ["1", "2", "3"]), (#""motor vehicle""#, ["1", "2", "3"]),
            ("motor vehicle", ["3", "4"]),
            ("usa", ["2", "5"]), ("t:car", ["1", "2"]), ("u:car", []), ("red automobile", ["1"]), ("red NEAR/2 automobile", ["1"]),
            ("car NOT red", ["2", "3"]), ("ca*", ["1"]), (#""united states" car"#, ["2"]), ("the", []), ("^car", []), ("bus", []),
        ]
    )
    func search(pattern: String, found: [String]) throws {
        #expect(try database().ids(matching: pattern) == found, "\(pattern)")
    }

    @Test("an index without a language has synonyms too, and none after it is created without them")
    func changes() throws {
        let database = try database(language: nil)
        #expect(try database.ids(matching: "automobile") == ["2"] + [])
        try database.createFullTextIndex("t, u", options([["cars", "automobile"]], language: nil))
        #expect(try database.ids(matching: "automobile") == ["1", "2"])
        try database.createFullTextIndex("t, u", options([], language: nil))
        #expect(try database.ids(matching: "automobile") == ["2"])
        #expect(try database.file.read { try $0.connection.scalar("SELECT count(*) FROM kv_info WHERE key GLOB '*synonyms*'") } == 0)
    }

    @Test("synonyms do not change the layout of the index, and survive rebuilding and copying")
    func storage() throws {
        let database = try database()
        let plain = try QueryDatabase()
        try plain.createFullTextIndex("t, u", FullTextIndexOptions(language: "en"))
        #expect(try database.statements(ofTable: "kv_default::idx") == plain.statements(ofTable: "kv_default::idx"))
        try database.indexes.rebuildAll()
        #expect(try database.ids(matching: "car") == ["1", "2", "3"])
        let definitions = try database.indexes.definitions(of: database.collection()).definitions
        for definition in definitions { try plain.indexes.create(definition, on: plain.collection()) }
        try plain.save("x", #"{"t":"automobile"}"#)
        #expect(try plain.ids(matching: "car") == ["x"])
        try database.indexes.delete("idx", on: database.collection())
        #expect(try database.file.read { try $0.connection.scalar("SELECT count(*) FROM kv_info WHERE key GLOB '*synonyms*'") } == 0)
    }

    @Test(
        "an invalid list of synonyms throws an error and creates no index",
        arguments: [[["one"]], [[]], [["a", "!"]], [["a", String(repeating: "b", count: 257)]], [Array(repeating: "a", count: 65)]]
    )
    func invalid(groups: [[String]]) throws {
        let database = try QueryDatabase()
        let error = #expect(throws: QueryError.self) { try database.createFullTextIndex("t", options(groups)) }
        #expect(error?.kind == .invalidParameter)
        #expect(try database.indexes.indexes(of: database.collection()).isEmpty)
    }

    @Test("a damaged list of synonyms is ignored")
    func damaged() throws {
        let database = try database()
        try database.file.transaction { try $0.connection.execute("UPDATE kv_info SET body = x'5B5B22' WHERE key GLOB '*synonyms*'") }
        #expect(try database.ids(matching: "car") == ["1"])
    }

    @Test("the plan of a query says what its pattern is expanded to")
    func plan() throws {
        let database = try database()
        try database.save("6", #"{"t":"alternative"}"#)
        func text(_ pattern: String) throws -> String {
            try database.prepare("SELECT t FROM _ WHERE match(idx, \(pattern))").plan(on: database.file).steps.map(\.text).joined(
                separator: "\n"
            )
        }
        #expect(try text("'car alternat*'").contains("index idx; expands car to automobile, motor vehicle; expands alternat* to altern"))
        #expect(try text("fuzzy('vehycle')").contains("; expands vehycle to vehicl"))
        #expect(try !text("'red'").contains("expands"))
        #expect(try !text("$pattern").contains("expands"))
    }
}
