import Base
import DocumentStore
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Index definitions")
struct IndexFormsTests {
    @Test(
        "a definition as text, JSON or expressions creates the same index, and queries use it",
        arguments: [
            "n", "s, n", "lower(s)", "address.city", "tags[0]", "n + 1", "s || 'x'", "tostring(n || s)", "abs(n) * 2",
            "`we.ird`",
            "meta().id", "toobject(address).city",
            "CASE WHEN n > 1 THEN s ELSE 'none' END", "array_length(tags)", "s COLLATE (UNICODE NOCASE)", "n IN (1, 2)",
        ]
    )
    func forms(text: String) throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        let expressions = try SQLPlusPlus.parseIndexExpressions(text)
        let json = QueryJSON.text(of: expressions)
        let definitions = [
            IndexDefinition(name: "i", text: text), IndexDefinition(name: "i", source: .json(json)),
            IndexDefinition(name: "i", source: .json(#"{"WHAT":\#(json)}"#)),
            IndexDefinition(name: "i", expressions: expressions),
        ]
        let statements = try definitions.map { definition in
            try database.indexes.delete("i", on: collection)
            try database.indexes.create(definition, on: collection)
            return try database.file.read {
                try $0.connection.scalarText("SELECT sql FROM sqlite_master WHERE name = 'i'")
            }
        }
        #expect(Set(statements).count == 1)
        guard text != "meta().id" else { return }
        let condition = QueryExpression.operation(.equal, [expressions[0], .integer(3)])
        var operand = condition
        if case .collate(let options, let inner) = expressions[0] {
            operand = .collate(options, operand: .operation(.equal, [inner, .integer(3)]))
        }
        let select = SelectStatement(items: [SelectItem(.property([.key("s")]))], condition: operand)
        for front in [select, try QueryJSON.parse(QueryJSON.text(of: select))] {
            let query = try PreparedQuery(front, on: database.file, databaseName: "db")
            #expect(try query.explain(on: database.file).contains("SEARCH _doc USING INDEX i (<expr>=?"))
        }
    }

    @Test(
        "the SQL of an index preserves whether a path applied to an expression begins with a dot, and the same query uses the index",
        arguments: [
            (#"["_.",["toobject()",[".a"]],"b"]"#, "'b'"), (#"["_.",["toobject()",[".a"]],".b"]"#, "'.b'"),
            (#"["_.",["toarray()",[".a"]],"[0]"]"#, "'[0]'"),
        ]
    )
    func pathsOfExpressions(json: String, path: String) throws {
        let database = try QueryDatabase()
        try database.save("object", #"{"a":{"b":1}}"#)
        try database.save("array", #"{"a":[1]}"#)
        try database.indexes.create(IndexDefinition(name: "i", source: .json("[\(json)]")), on: try database.collection())
        let sql = try database.file.read { try $0.connection.scalarText("SELECT sql FROM sqlite_master WHERE name = 'i'") }
        #expect(sql?.hasSuffix("(fl_value(body, 'a')), \(path)))") == true)
        let select = try QueryJSON.parse(#"["=",\#(json),1]"#)
        let query = try PreparedQuery(select, on: database.file, databaseName: "db")
        #expect(try query.explain(on: database.file).contains("USING INDEX i (<expr>=?"))
        #expect(try query.run(on: database.file).count == 1)
    }

    @Test("an index with a LIKE condition is used by queries with the same LIKE and returns the same rows")
    func patterns() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        let patterns = ["Word 1%", "%1_", #"W\_%"#, "*?[%", #"\%"#, "wORD%"]
        try database.file.transaction { _ in
            for (index, text) in [#"*?[x"#, "*", "%", "W_", "Word 1\u{E9}"].enumerated() {
                try database.save("odd\(index)", #"{"s":"\#(text)","n":1}"#)
            }
            try database.save("blob", #"{"s":["Word 1"],"n":1}"#)
            try database.save("number", #"{"s":11,"n":1}"#)
        }
        for pattern in patterns {
            let query = "SELECT meta().id FROM _ WHERE n = 1 AND s LIKE '\(pattern)' ORDER BY meta().id"
            let expected = try database.rows(query)
            try database.indexes.create(IndexDefinition(name: "i", text: "n", condition: "s LIKE '\(pattern)'"), on: collection)
            #expect(try database.plan(query).contains("USING INDEX i"), "\(pattern)")
            #expect(try database.rows(query) == expected, "\(pattern)")
            #expect(try !database.plan("SELECT n FROM _ WHERE n = 1 AND s LIKE 'other%'").contains("USING INDEX i"))
            #expect(try !database.plan("SELECT n FROM _ WHERE n = 1 AND NOT (s LIKE '\(pattern)')").contains("USING INDEX i"))
        }
    }

    @Test("an index condition can be given as text, JSON or an expression")
    func conditions() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        let condition = try SQLPlusPlus.parseExpression("type = 'even'")
        let sources: [IndexDefinition.Source] = [
            .tree([.property([.key("n")])], condition: condition),
            .json(#"["n"]"#, condition: #"["=",[".type"],"even"]"#),
            .json(#"{"WHAT":["n"],"WHERE":["=",[".type"],"even"]}"#),
            .text(expressions: "n", condition: "type = 'even'"),
        ]
        for source in sources {
            try database.indexes.delete("i", on: collection)
            try database.indexes.create(IndexDefinition(name: "i", source: source), on: collection)
            #expect(try database.plan("SELECT s FROM _ WHERE n = 1 AND type = 'even'").contains("USING INDEX i"))
            #expect(try database.plan("SELECT s FROM _ WHERE n = 1").contains("SCAN"))
        }
        let error = #expect(throws: QueryError.self) {
            try database.indexes.create(IndexDefinition(name: "bad", text: "n", condition: "n >"), on: collection)
        }
        #expect(error?.message == "Invalid SQL++ in index expression \"n >\" near character 4")
    }

    @Test("an index without a name gets one that is allowed, also if a path begins with a combining accent")
    func namesOfExpressions() {
        #expect(PredicateIndex([.property([.key("a")]), .property([.key("\u{301},")])]).name.isExactly("a,['.\u{301},']"))
        #expect(PredicateIndex([.string("\u{301}'\u{301}")]).name.isExactly("'\u{301}\\u0027\u{301}'"))
        #expect(PredicateIndex([.property([.key("text:\u{301}")])]).name.isExactly("['.text:\u{301}']"))
    }
}
