import DocumentStore
import Fleece
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

@Suite("Searches in FROM")
struct SearchSourceTests {
    private static let arguments = #""of": "notes", "text": $words, "in": "texts", "vector": $v, "by": "vector""#

    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.createFullTextIndex("text", named: "texts", in: "notes")
        try database.indexes.create(
            IndexDefinition(name: "vectors", kind: .vector(VectorIndexOptions(dimensions: 2, centroids: 1)), text: "vector"),
            on: try database.collection("notes")
        )
        for (id, json) in [
            ("a", #"{"text":"apple apple pie","year":2020,"vector":[0,0],"by":"x"}"#),
            ("b", #"{"text":"apple cake","year":2021,"vector":[5,0],"by":"y"}"#),
            ("c", #"{"text":"banana bread","year":2022,"vector":[1,0],"by":"x","tags":["p","q"]}"#),
            ("d", #"{"text":"bread","year":2023,"vector":[9,0],"by":"z"}"#),
        ] { try database.save(id, json, in: "notes") }
        try database.save("x", #"{"name":"Ann"}"#, in: "shop.authors")
        try database.save("y", #"{"name":"Bob"}"#, in: "shop.authors")
        return database
    }

    private func rows(_ query: String, words: String = "apple", more: String = "", on database: QueryDatabase? = nil) throws -> [String] {
        var parameters = try QueryParameters(json: #"{"words":"\#(words)","v":[0.5,0]\#(more)}"#)
        // A value for a parameter that a query does not have is an error.
        for name in parameters.names where !query.contains("$" + name) { parameters[name] = nil }
        return try (database ?? self.database()).rows(query, parameters)
    }

    private func plan(_ text: String, on database: QueryDatabase) throws -> [String] {
        try database.prepare(text).plan(on: database.file).steps.map { String(repeating: "  ", count: $0.depth) + $0.text }
    }

    @Test("the rows are the best documents of both halves, with their scores and an excerpt, best first")
    func both() throws {
        let query = "SELECT s.id, s.document.text, s.vectorDistance, s.snippet FROM search({\(Self.arguments)}) AS s"
        #expect(
            try rows(query) == [
                #""a" "apple apple pie" 0.25 "**apple** **apple** pie""#, #""b" "apple cake" 20.25 "**apple** cake""#,
                #""c" "banana bread" 0.25 -"#, #""d" "bread" 72.25 -"#,
            ]
        )
        let database = try database()
        let scores = try database.prepare("SELECT score, textScore FROM search({\(Self.arguments)})")
            .run(on: database.file, parameters: QueryParameters(json: #"{"words":"apple","v":[0.5,0]}"#))
        let found = (0..<scores.count).map { scores.value(row: $0, column: 0)?.double }
        #expect(found == [1 / 61.0 + 1 / 61.0, 1 / 62.0 + 1 / 63.0, 1 / 62.0, 1 / 64.0])
        let alone = try rows("SELECT bm25(texts) FROM notes WHERE match(texts, $words) ORDER BY bm25(texts) DESC", more: "", on: database)
        #expect(try rows("SELECT textScore FROM search({\(Self.arguments)}) WHERE textScore IS VALUED", on: database) == alone)
    }

    @Test(
        "each half can be searched alone, and conditions, limits and weights apply as described",
        arguments: [
            (#""of": "notes", "text": $words, "in": "texts""#, ["a", "b"]),
            (#""of": "notes", "text": "ban" || "ana", "in": "texts""#, ["c"]),
            (#""of": "notes", "text": fuzzy("banena", 1), "in": "texts""#, ["c"]),
            (#""of": "notes", "text": "none", "in": "texts""#, []),
            (#""of": "notes", "vector": $v, "by": "vector", "limit": 3"#, ["a", "c", "b"]),
            (#""of": "_default.notes", "vector": $v, "by": "vector", "limit": 0"#, []),
            (arguments + #", "limit": 2"#, ["a", "b"]), (arguments + #", "limit": $n"#, ["a", "b", "c"]),
            (arguments + #", "limit": $t"#, ["a"]),
            (arguments + #", "candidates": 1"#, ["a"]), (arguments + #", "candidates": $n - 1, "limit": $n"#, ["a", "b", "c"]),
            (arguments + #", "where": year > 2020"#, ["b", "c", "d"]),
            (arguments + #", "where": notes.year > 2020 AND `by` = "y""#, ["b"]),
            (arguments + #", "where": ANY t IN tags SATISFIES t = "q" END"#, ["c"]),
            (arguments + #", "textWeight": 0"#, ["a", "c", "b", "d"]), (arguments + #", "vectorWeight": 0, "limit": 2"#, ["a", "b"]),
            (arguments + #", "k": 0, "textWeight": 3, "limit": 3"#, ["a", "b", "c"]),
            (arguments + #", "fusion": "weighted", "textWeight": 0, "vectorWeight": 1"#, ["a", "c", "b", "d"]),
            (arguments + #", "fusion": $f, "k": $missing"#, ["a", "b", "c", "d"]),
        ]
    )
    func variants(arguments: String, ids: [String]) throws {
        let found = try rows("SELECT s.id FROM search({\(arguments)}) AS s ORDER BY s.score DESC", more: #","n":3,"f":"rrf","t":true"#)
        #expect(found.map { $0.replacing("\"", with: "") } == ids, "\(arguments)")
    }

    @Test("WHERE, ORDER BY, LIMIT, groups and joins apply to the rows of the search")
    func clauses() throws {
        let database = try database()
        let search = "search({\(Self.arguments)})"
        func found(_ query: String) throws -> [String] { try rows(query, on: database) }
        #expect(
            try found("SELECT id FROM \(search) WHERE document.year > 2020 ORDER BY vectorDistance DESC LIMIT 2") == [#""d""#, #""b""#]
        )
        // The limit of the search comes before WHERE.
        #expect(try found("SELECT id FROM search({\(Self.arguments), \"limit\": 1}) WHERE document.year > 2020") == [])
        let join = "SELECT a.name, s.id FROM \(search) AS s JOIN shop.authors AS a ON meta(a).id = s.document.`by` ORDER BY s.score DESC"
        #expect(try found(join) == [#""Ann" "a""#, #""Bob" "b""#, #""Ann" "c""#])
        let reverse = "SELECT meta(a).id, s.id FROM shop.authors AS a LEFT JOIN \(search) s ON meta(a).id = s.document.`by` ORDER BY 1, 2"
        #expect(try found(reverse) == [#""x" "a""#, #""x" "c""#, #""y" "b""#])
        #expect(
            try found("SELECT document.`by`, count(*) FROM \(search) GROUP BY document.`by` ORDER BY 1") == [
                #""x" 2"#, #""y" 1"#, #""z" 1"#,
            ]
        )
        #expect(try found("SELECT t FROM \(search) AS s UNNEST s.document.tags AS t") == [#""p""#, #""q""#])
        #expect(try found("SELECT count(*) FROM (SELECT id FROM \(search)) AS n WHERE n.id < 'c'") == ["2"])
        let exists = "SELECT name FROM shop.authors AS a WHERE EXISTS (SELECT id FROM \(search) AS s WHERE s.document.`by` = meta(a).id)"
        #expect(try found(exists).sorted() == [#""Ann""#, #""Bob""#])
        let union = "SELECT id FROM \(search) WHERE score > 0.03 UNION SELECT meta().id FROM shop.authors ORDER BY id"
        #expect(try found(union) == [#""a""#, #""b""#, #""x""#, #""y""#])
        let two =
            "SELECT s.id, t.id FROM \(search) AS s JOIN search({\"of\": \"notes\", \"text\": \"bread\", \"in\": \"texts\"}) AS t ON t.id = s.id"
        #expect(try Set(found(two)) == [#""c" "c""#, #""d" "d""#])
        let row = try #require(found("SELECT s FROM \(search) AS s LIMIT 1").first)
        #expect(row.contains(#""document":{"#) && row.contains(#""vectorDistance":0.25"#))
    }

    @Test("deleted and changed documents are found as they are now")
    func changes() throws {
        let database = try database()
        try database.delete("a", in: "notes")
        try database.save("d", #"{"text":"apple","vector":[0.5,0]}"#, in: "notes")
        #expect(try rows("SELECT id FROM search({\(Self.arguments)})", on: database).first == #""d""#)
        #expect(try rows("SELECT id FROM search({\(Self.arguments)})", on: database).count == 3)
    }

    @Test(
        "a value that an argument cannot have is an error that names it, also when it is a parameter's",
        arguments: [
            (#""limit": $p"#, #""x""#, "'limit'"), (#""limit": $p"#, "-1", "'limit'"), (#""limit": $p"#, "10001", "'limit'"),
            (#""limit": $p"#, "1.5", "'limit'"), (#""limit": $p"#, "null", "'limit'"), (#""candidates": $p"#, "20000", "'candidates'"),
            (#""candidates": $p"#, #""many""#, "'candidates'"), (#""k": $p"#, "-1", "'k'"), (#""k": $p"#, #""60""#, "'k'"),
            (#""textWeight": $p"#, "[1]", "'textWeight'"), (#""vectorWeight": $p"#, #""1""#, "'vectorWeight'"),
            (#""fusion": $p"#, #""sum""#, "'fusion'"), (#""fusion": $p"#, "7", "'fusion'"),
            (#""fusion": "weighted", "k": $p"#, "60", "'k'"),
        ]
    )
    func wrongParameters(argument: String, value: String, name: String) throws {
        let error = #expect(throws: QueryError.self) {
            try rows("SELECT id FROM search({\(Self.arguments), \(argument)})", more: #","p":\#(value)"#)
        }
        #expect(
            error?.kind == .invalidQuery && error?.message.contains("the argument \(name) of search()") ?? false,
            "\(error?.message ?? "")"
        )
    }

    @Test("an index or a collection that does not exist, and a vector of another length, are errors")
    func missing() throws {
        let database = try database()
        func error(_ arguments: String) -> QueryError? {
            #expect(throws: QueryError.self) { try rows("SELECT id FROM search({\(arguments)})", on: database) }
        }
        let text = error(#""of": "notes", "text": "a", "in": "other""#)
        #expect(text?.kind == .missingIndex && text?.message == "the argument 'in' of search(): notes has no full-text index 'other'")
        let vector = error(#""of": "notes", "vector": $v, "by": "year""#)
        #expect(vector?.kind == .missingIndex && vector?.message.hasPrefix("the argument 'by' of search()") ?? false)
        #expect(error(#""of": "nots", "text": "a", "in": "texts""#)?.hint.contains("did you mean notes?") ?? false)
        #expect(error(#""text": "a", "in": "texts""#)?.kind == .missingIndex)
        #expect(throws: SQLiteError.self) {
            try database.rows(#"SELECT id FROM search({"of": "notes", "vector": [1, 2, 3], "by": "vector"})"#)
        }
    }

    @Test("an index that the condition needs is reported for the condition, unless that of the search does not exist either")
    func missingInCondition() throws {
        let database = try database()
        func message(_ arguments: String) -> String? {
            let query = #"SELECT id FROM search({"of": "notes", \#(arguments), "where": match(other, "a")})"#
            let error = #expect(throws: QueryError.self) { try rows(query, on: database) }
            return error?.message
        }
        for arguments in [#""text": "a", "in": "texts""#, #""vector": $v, "by": "vector""#] {
            #expect(message(arguments) == "the argument 'where' of search(): 'match' test requires a full-text index")
        }
        #expect(message(#""text": "a", "in": "none""#) == "the argument 'in' of search(): notes has no full-text index 'none'")
        #expect(message(#""vector": $v, "by": "year""#)?.hasPrefix("the argument 'by' of search()") ?? false)
    }

    @Test(
        "an excerpt is computed only for a query that reads it",
        arguments: [
            ("SELECT s.id, s.score FROM # AS s WHERE s.document.year > 2020 ORDER BY s.textScore", false),
            ("SELECT count(*) FROM #", false), ("SELECT n.id FROM (SELECT id FROM #) AS n", false), ("SELECT snippet FROM #", true),
            ("SELECT * FROM #", true), ("SELECT s FROM # AS s", true), ("SELECT s.* FROM # AS s", true), ("SELECT search FROM #", true),
            ("SELECT a.b FROM # AS `a.b`", true), ("SELECT id FROM # WHERE snippet LIKE '%a%'", true),
            ("SELECT id FROM # AS s ORDER BY s.snippet", true), ("SELECT n.x FROM (SELECT snippet AS x FROM #) AS n", true),
            ("SELECT id FROM # AS s WHERE EXISTS (SELECT a.name FROM shop.authors AS a WHERE a.name = s.snippet)", true),
        ]
    )
    func excerpts(query: String, isRead: Bool) throws {
        let database = try database()
        let text = query.replacing("#", with: "search({\(Self.arguments)})")
        #expect(try database.prepare(text).explain(on: database.file).contains("fl_snippet") == isRead)
    }

    @Test("searches on several levels are compiled and found")
    func nested() throws {
        let inner = #"SELECT id FROM search({\#(Self.arguments), "where": year > 2021}) AS t WHERE t.id = meta(notes).id"#
        let middle = #"SELECT id FROM search({\#(Self.arguments), "where": EXISTS (\#(inner))}) AS s"#
        #expect(try rows(middle).map { $0.replacing("\"", with: "") } == ["c", "d"])
    }

    @Test("a plan says which indexes are searched, and what is done with the results")
    func plans() throws {
        let database = try database()
        let steps = try plan("SELECT s.document.text FROM search({\(Self.arguments)}) AS s", on: database).joined(separator: "\n")
        for words in [
            "fuses the hits of the words in texts and those of the vectors by vector", "finds the best documents for the words",
            "searches full-text index texts", "finds the nearest documents", "finds the nearest vectors in vector index vectors",
            "fetches the document from notes",
        ] { #expect(steps.contains(words), "\(words) in\n\(steps)") }
        for internalName in ["<", "fts1", "fl_"] { #expect(!steps.contains(internalName), "\(steps)") }
    }

    @Test("columns and collections named search are what they were")
    func names() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"search":7}"#)
        try database.save("b", #"{"n":1}"#, in: "search")
        #expect(try database.rows("SELECT search FROM _ WHERE search = 7") == ["7"])
        #expect(try database.rows("SELECT search.n FROM search") == ["1"])
        #expect(try database.rows("SELECT s.n FROM search AS s") == ["1"])
        #expect(try database.rows("SELECT n AS search FROM _default.search ORDER BY search") == ["1"])
        #expect(try database.rows("WITH search AS (SELECT n FROM search) SELECT search.n FROM search") == ["1"])
        try database.createFullTextIndex("n", in: "search")
        #expect(try database.rows(#"SELECT id FROM search({"of": "search", "text": "1", "in": "idx"})"#) == [#""b""#])
    }

    @Test("bytes that are not the hits of a half have no rows beyond them, and other arguments of the SQL function are errors")
    func hostile() throws {
        let database = try QueryDatabase()
        // A hit has 16 bytes.
        for (bytes, hits) in [("x'0102'", 0), ("'text'", 0), ("7", 0), ("NULL", 0), ("zeroblob(15)", 0), ("zeroblob(40)", 2)] {
            let sql = "SELECT count(*) FROM fl_search_rows(\(bytes), \(bytes), 'rrf', NULL, NULL, NULL, 10)"
            let count = try database.file.read { try $0.connection.scalar(sql) }
            #expect(count == Int64(hits), "\(bytes)")
        }
        #expect(throws: SQLiteError.self) {
            _ = try database.file.read { try $0.connection.scalar("SELECT count(*) FROM fl_search_rows(x'', x'')") }
        }
    }
}
