import QueryLanguage
import TestSupport
import Testing

@Suite("JSON queries")
struct QueryJSONTests {
    @Test(
        "a JSON query is parsed to the same tree as its canonical text",
        arguments: [
            (
                #"{"what":[".name",[".","geo","lat",[0]],["AS",1,"one"]],"Order_By":["x",["asc",["$",7]]]}"#,
                #"{"WHAT":[[".name"],[".geo.lat[0]"],["AS",1,"one"]],"ORDER_BY":[[".x"],["$7"]]}"#
            ),
            (#"["SELECT",{"DISTINCT":true,"nonsense":1}]"#, #"{"DISTINCT":true}"#),
            (#"["=",[".a"],true]"#, #"{"WHERE":["=",[".a"],true]}"#),
            (
                #"{"FROM":[{"COLLECTION":"s.c"},{"COLLECTION":"d","SCOPE":"s","JOIN":"left outer","ON":1}]}"#,
                #"{"FROM":[{"SCOPE":"s","COLLECTION":"c"},{"SCOPE":"s","COLLECTION":"d","JOIN":"LEFT OUTER","ON":1}]}"#
            ),
            (
                #"{"FROM":[{"COLLECTION":"a\\.b"},{"AS":"x","JOIN":"CROSS"}]}"#,
                #"{"FROM":[{"COLLECTION":"a\\.b"},{"AS":"x","JOIN":"CROSS"}]}"#
            ),
        ]
    )
    func queries(text: String, canonical: String) throws {
        let select = try QueryJSON.parse(text)
        #expect(QueryJSON.text(of: select) == canonical)
        #expect(try QueryJSON.parse(canonical) == select)
    }

    @Test(
        "a JSON expression is parsed to the expected tree",
        arguments: [
            ("null", .null), ("true", .boolean(true)), ("1", .integer(1)), ("0", .integer(0)), ("1.0", .double(1)),
            ("18446744073709551615", .double(18_446_744_073_709_551_616)), ("-5", .integer(-5)),
            (#""x""#, .string("x")),
            (#"["."]"#, .property([])), (#"[".$foo"]"#, .property([.key("$foo")])),
            (#"[".",".a"]"#, .property([.key(".a")])), (#"[".x."]"#, .property([.key("x")])),
            (#"["?X","age"]"#, .variable("X", [.key("age")])), (#"["?","X",[0]]"#, .variable("X", [.index(0)])),
            (#"["?X.a.b"]"#, .variable("X", [.key("a"), .key("b")])),
            (#"["_.lat",[".geo"]]"#, .nested(.property([.key("geo")]), [.key("lat")])),
            (#"["_.\u0301",[".geo"]]"#, .nested(.property([.key("geo")]), [.key("\u{301}")])),
            (#"["_.",["[]",5],"[0]"]"#, .nested(.array([.integer(5)]), [.index(0)])),
            (#"["blob",".p"]"#, .blob([.key("p")])), (#"["missing"]"#, .missing),
            (#"["LIKE","a","b","c"]"#, .like(value: .string("a"), pattern: .string("b"), isCaseSensitive: true)),
            (
                #"["LIKE","a","b",{"CASE":false}]"#,
                .like(value: .string("a"), pattern: .string("b"), isCaseSensitive: false)
            ),
            (#"["match","i","p"]"#, .match(index: "i", pattern: .string("p"))), (#"["rank()","i"]"#, .rank(index: "i")),
            (#"["bm25()","i",2]"#, .search(.bm25, index: "i", arguments: [.integer(2)])),
            (#"["SNIPPET()","a.i"]"#, .search(.snippet, index: "a.i", arguments: [])),
            (#"["HIGHLIGHT()","i","p"]"#, .search(.highlight, index: "i", arguments: [.string("p")])),
            (#"["META()","x"]"#, .meta(alias: "x")),
            (
                #"["COLLATE",{"unicode":true,"LOCALE":null,"case":false},"x"]"#,
                .collate(CollationOptions(isUnicode: true, isCaseSensitive: false, locale: ""), operand: .string("x"))
            ),
            (#"["-",1]"#, .negation(of: .integer(1))),
            (#"["not in",1,2]"#, .operation(.notIn, [.integer(1), .integer(2)])),
        ] as [(String, QueryExpression)]
    )
    func expressions(text: String, tree: QueryExpression) throws {
        #expect(try QueryJSON.parseExpression(text) == tree)
        #expect(try QueryJSON.parseExpression(QueryJSON.text(of: tree)) == tree)
    }

    @Test(
        "an invalid JSON query throws an error with a message",
        arguments: [
            ("5", "a JSON query must be an object or an array"), ("[]", "Empty JSON array"),
            ("[1]", "the first item of a JSON array must be the name of an operator"),
            (#"["poop",1]"#, "Unknown operator 'poop'"), (#"["==",1,2]"#, "Unknown operator '=='"),
            (#"["=",1]"#, "Wrong number of arguments to ="),
            (#"["BETWEEN",1,2]"#, "Wrong number of arguments to BETWEEN"),
            (#"["CASE",null]"#, "Wrong number of arguments to CASE"),
            (#"["DESC",1]"#, "Unknown operator 'DESC'"),
            (#"["ANY",1,2,3]"#, "ANY/EVERY first parameter must be an identifier; '1' is not"),
            (#"["COLLATE",1,2]"#, "the first operand of COLLATE must be an object"),
            (#"["SELECT",1]"#, "the operand of SELECT must be an object"),
            (#"["MATCH()",1,2]"#, "an operand of MATCH() must be a string"),
            (#"["$"]"#, "Wrong number of arguments to $"), (#"["?"]"#, "Wrong number of arguments to ?"),
            (#"["_."]"#, "Wrong number of arguments to _."),
            (#"[".",1]"#, "invalid component of a property path"),
            (#"[".a..b"]"#, "invalid property path '.a..b': empty name"),
            (#"{"WHAT":1}"#, "WHAT must be an array"), (#"{"WHAT":[["AS",1]]}"#, "Wrong number of arguments to AS"),
            (#"{"WHAT":[["AS",1,""]]}"#, "the second operand of AS must be a name"),
            (#"{"FROM":[1]}"#, "FROM item must be an object"),
            (#"{"FROM":[{"AS":1}]}"#, "AS in FROM item must be a string"),
            (#"{"FROM":[{"SCOPE":"s"}]}"#, "SCOPE in FROM item requires a COLLECTION too"),
            (#"{"FROM":[{"COLLECTION":"a.b.c"}]}"#, "\"a.b.c\" is not a valid collection name"),
            (#"{"FROM":[{"COLLECTION":"a.b","SCOPE":"s"}]}"#, "\"a.b\" is not a valid collection name"),
            (#"{"FROM":[{"COLLECTION":""}]}"#, "\"\" is not a valid collection name"),
            (#"{"FROM":[{"AS":"a"},{"AS":"b","JOIN":"OUTER","ON":1}]}"#, "Unknown JOIN type 'OUTER'"),
            (#"{"DISTINCT":1}"#, "DISTINCT must be a boolean"),
            (#"{"ORDER_BY":[["DESC"]]}"#, "Wrong number of arguments to DESC"),
        ]
    )
    func refuses(text: String, message: String) {
        #expect(throws: QueryError.invalidQuery(message)) { try QueryJSON.parse(text) }
    }

    @Test(
        "malformed JSON text throws an error with its position",
        arguments: [
            ("", "the text ends too early at line 1, column 1", 0),
            ("{", "the text ends too early at line 1, column 2", 1),
            ("[1,\n tru]", "unexpected character at line 2, column 5", 8),
            (#"["é",01]"#, "malformed number at line 1, column 6", 6),
            (#"{"WHAT":[],"WHAT":[]}"#, "duplicate key in the object at line 1, column 12", 11),
        ]
    )
    func malformed(text: String, what: String, offset: Int) {
        let error = #expect(throws: QueryError.self) { try QueryJSON.parse(text) }
        #expect(error == QueryError(.invalidQuery, "the query is not valid JSON: \(what)", offset: offset))
    }

    @Test("a JSON query can be nested 100 levels deep, and 200 levels throw an error")
    func nesting() throws {
        for (opening, closing) in [(#"["NOT","#, "]"), (#"{"k":"#, "}"), (#"["[]","#, "]")] {
            func text(_ depth: Int) -> String {
                String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
            }
            _ = try QueryJSON.parseExpression(text(100))
            #expect(throws: QueryError.self) { try QueryJSON.parseExpression(text(200)) }
            #expect(throws: QueryError.self) { try QueryJSON.parseExpression(text(100_000)) }
        }
    }

    @Test("a JSON index is an array of expressions or an object with a condition")
    func indexes() throws {
        let plain = try QueryJSON.parseIndex(#"["name",[".geo.lat"],["lower()",[".x"]]]"#)
        #expect(QueryJSON.text(of: plain.expressions) == #"[[".name"],[".geo.lat"],["lower()",[".x"]]]"#)
        #expect(plain.condition == nil)
        let partial = try QueryJSON.parseIndex(#"{"WHAT":[[".name"]],"WHERE":["=",[".type"],"x"]}"#)
        #expect(partial.expressions == [.property([.key("name")])])
        #expect(partial.condition == .operation(.equal, [.property([.key("type")]), .string("x")]))
        #expect(throws: QueryError.self) { try QueryJSON.parseIndex(#""name""#) }
    }

    @Test(
        "strings and numbers are written as in stored JSON",
        arguments: [
            (.string("a\"\\/\n\r\t\u{1}\u{7F}é😀"), #""a\"\\/\n\r\t\u0001\u007fé😀""#),
            (.double(5), "5.0"), (.double(0.001), "0.001"), (.double(1e20), "1e+20"), (.double(1.5e-5), "1.5e-05"),
            (.double(-0.0), "-0.0"), (.double(9007199254740992), "9007199254740992.0"), (.double(.nan), "null"),
            (.integer(.min), "-9223372036854775808"),
        ] as [(QueryExpression, String)]
    )
    func spelling(literal: QueryExpression, text: String) {
        #expect(QueryJSON.text(of: literal) == text)
    }

    @Test("every conformance query is unchanged after writing and parsing as JSON", arguments: ConformanceRow.all.filter { !$0.fails })
    func roundTrip(row: ConformanceRow) throws {
        let select = row.isJSON ? try QueryJSON.parse(row.query) : try SQLPlusPlus.parse(row.query)
        let text = QueryJSON.text(of: select)
        #expect(try QueryJSON.parse(text) == select, "\(text)")
    }
}
