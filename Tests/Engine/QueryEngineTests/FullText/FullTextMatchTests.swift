import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text matches")
struct FullTextMatchTests {
    private let database: QueryDatabase

    init() throws {
        database = try QueryDatabase()
        let texts = [
            ("a", "Where to buy a bridge", "The bridge is for sale. Buying it is easy."),
            ("b", "Chess problems", "To buy or not to buy: problems of the king"),
            ("c", "Linux applications", "An application of the kernel, and the applications of chess"),
        ]
        for (id, title, body) in texts { try database.save(id, #"{"title":"\#(title)","body":"\#(body)"}"#) }
        try database.createFullTextIndex("title, body", FullTextIndexOptions(language: "en"))
    }

    @Test(
        "match patterns have the meaning of FTS4 patterns",
        arguments: [
            ("buy", ["a", "b"]), ("BUYING", ["a", "b"]), ("buy chess", ["b"]), ("buy AND chess", ["b"]),
            ("buy OR linux", ["a", "b", "c"]), ("buy or linux", []), ("buy NOT bridge", ["b"]),
            ("(buy OR linux) chess", ["b", "c"]),
            ("buy OR linux chess", ["a", "b", "c"]), ("title:buy", ["a"]), ("body:buy title:chess", ["b"]),
            ("TITLE: buy", ["a"]), ("nope:buy", []), ("\"bridge is for sale\"", ["a"]), ("\"bridge sale\"", ["a"]),
            ("\"sale bridge\"", []), ("bridge NEAR/0 sale", ["a"]), ("sale NEAR/0 bridge", ["a"]),
            ("kernel NEAR chess", ["c"]),
            ("kernel NEAR/1 chess", ["c"]), ("kernel NEAR/0 chess", []), ("applic*", ["c"]), ("application*", ["c"]),
            ("probl*", ["b"]), ("\"king probl*\"", []), ("\"probl* king\"", ["b"]), ("^chess", ["b"]),
            ("^bridge", ["a"]), ("^problem", []),
            ("the", []), ("the of is", []), ("the bridge", ["a"]), ("", []), ("  ", []), ("'buy'", ["a", "b"]),
            ("buy-chess", ["b"]), ("buy -chess", ["b"]), ("the*", []), ("-- ' ; DROP", []),
        ]
    )
    func patterns(pattern: String, ids: [String]) throws {
        #expect(try database.ids(matching: pattern) == ids)
    }

    @Test(
        "a malformed pattern throws an error when the query runs, and later runs succeed",
        arguments: [
            "buy)", "(buy", "\"buy", "NOT buy", "buy AND", "OR", "buy OR OR chess", "(buy OR x) NEAR chess",
            "((((buy)))",
        ]
    )
    func malformed(pattern: String) throws {
        let query = try database.prepare("SELECT title FROM _ WHERE match(idx, $pattern)")
        #expect(throws: QueryError.invalidQuery("malformed MATCH expression: [\(pattern)]")) {
            try query.run(on: database.file, parameters: .pattern(pattern))
        }
        #expect(try query.run(on: database.file, parameters: .pattern("chess")).count == 2)
    }

    @Test("a pattern can have a thousand words, and one longer than 64 KiB throws an error")
    func longPatterns() throws {
        let words = String(repeating: "buy ", count: 1000)
        #expect(try database.ids(matching: words) == ["a", "b"])
        #expect(throws: QueryError.invalidQuery("the pattern of a full-text search is longer than 64 KiB")) {
            try database.ids(matching: String(repeating: words, count: 17))
        }
    }

    @Test("hostile patterns return rows or throw an error")
    func hostile() throws {
        let patterns = [
            String(repeating: "(", count: 5000) + "buy" + String(repeating: ")", count: 5000),
            String(repeating: "buy ", count: 3000), String(repeating: "buy OR ", count: 5000) + "buy",
            String(repeating: "\"", count: 999), String(repeating: "x", count: 500_000), "buy\u{0}chess", "\u{FFFF}*",
            String(repeating: "* ", count: 1000), "NEAR/99999999999999999999 buy", "buy NEAR/99999999999999999999 sale",
        ]
        for pattern in patterns {
            do {
                _ = try database.ids(matching: pattern)
            } catch let error as QueryError {
                #expect(error.kind == .invalidQuery)
            } catch let error as SQLiteError {
                #expect(error.message.contains("too large") || error.message.contains("too big"))
            }
        }
        #expect(try database.ids(matching: "chess") == ["b", "c"])
    }

    @Test("a null or missing pattern finds nothing, and other expressions are matched by their text")
    func otherTypes() throws {
        try database.save("n", #"{"title":"1972","body":["x"]}"#)
        #expect(try database.rows("SELECT meta().id FROM _ WHERE match(idx, 1972)") == [#""n""#])
        for pattern in ["$unset", "MISSING", "NULL", "nope"] {
            #expect(try database.rows("SELECT meta().id FROM _ WHERE match(idx, \(pattern))").isEmpty)
        }
        #expect(
            try database.rows("SELECT meta().id FROM _ WHERE match(idx, lower('CHE') || 'ss') ORDER BY title") == [
                #""b""#, #""c""#,
            ]
        )
    }

    @Test("two matches can be combined in one query with conditions, joins and aggregates")
    func combinations() throws {
        try database.createFullTextIndex("title", named: "titles")
        try database.save("d", #"{"title":"Chess","body":"chess","friend":"b"}"#)
        for (query, rows) in [
            ("SELECT meta().id FROM _ WHERE match(idx, 'buy') AND match(titles, 'chess')", [#""b""#]),
            ("SELECT meta().id FROM _ WHERE match(idx, 'chess') AND (length(title) < 6 AND match(titles, 'chess'))", [#""d""#]),
            ("SELECT count(*) FROM _ WHERE match(idx, 'chess')", ["3"]),
            ("SELECT DISTINCT 1 FROM _ WHERE match(idx, 'chess')", ["1"]),
            ("SELECT meta(f).id FROM _ d JOIN _ f ON d.friend = meta(f).id WHERE match(f.idx, 'king')", [#""b""#]),
            (
                "SELECT meta(f).id FROM _ d JOIN _ f ON d.friend = meta(f).id WHERE match(d.titles, 'chess') AND match(f.idx, 'king')",
                [#""b""#]
            ),
            ("SELECT meta().id FROM _ WHERE match(idx, 'chess') LIMIT 1 OFFSET 2", [#""d""#]),
        ] {
            #expect(try database.rows(query) == rows, "\(query)")
        }
    }

    @Test("a match does not find deleted documents, even if the query refers to the deleted flag")
    func deleted() throws {
        try database.delete("b")
        #expect(try database.ids(matching: "chess") == ["c"])
        #expect(
            try database.rows("SELECT meta().id FROM _ WHERE match(idx, 'chess') AND meta().deleted IS NOT MISSING")
                == [#""c""#]
        )
    }
}
