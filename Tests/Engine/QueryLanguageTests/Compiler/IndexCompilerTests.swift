import QueryLanguage
import Testing

@Suite("Compilation of indexes")
struct IndexCompilerTests {
    private let standard = SourceTable(storeName: "default", liveTable: "kv_default", deletedTable: "kv_del_default", isDefault: true)
    private let words = SourceTable(storeName: ".extwords", liveTable: "kv_.extwords", deletedTable: "kv_del_.extwords", isDefault: false)

    @Test("a value index is compiled to the SQL that Couchbase Lite writes")
    func valueIndex() throws {
        let word = try SQLPlusPlus.parseIndexExpressions("word")
        #expect(
            try IndexCompiler.createValueIndex(name: "word_value_index", on: words, expressions: word)
                == "CREATE INDEX word_value_index ON \"kv_.extwords\" (fl_value(body, 'word'))"
        )
        let names = try SQLPlusPlus.parseIndexExpressions("name, lower(s)")
        #expect(
            try IndexCompiler.createValueIndex(name: "my index", on: standard, expressions: names)
                == "CREATE INDEX \"my index\" ON kv_default (fl_value(body, 'name'), N1QL_lower(fl_value(body, 's')))"
        )
    }

    @Test("a partial index has the same filter as queries")
    func partialIndex() throws {
        let condition = try SQLPlusPlus.parseExpression("type = 'person'")
        let name = try SQLPlusPlus.parseIndexExpressions("name")
        #expect(
            try IndexCompiler.createValueIndex(name: "partName", on: standard, expressions: name, condition: condition)
                == "CREATE INDEX partName ON kv_default (fl_value(body, 'name')) "
                + "WHERE (fl_value(body, 'type') = 'person') AND (flags & 1 = 0)"
        )
        #expect(try IndexCompiler.condition(condition, on: words) == "fl_value(body, 'type') = 'person'")
        #expect(
            try IndexCompiler.condition(condition, on: standard, row: "new")
                == "(fl_value(new.body, 'type') = 'person') AND (new.flags & 1 = 0)"
        )
        let query = try FakeDatabase().compile("SELECT x FROM _ WHERE type = 'person'")
        #expect(query.sql.hasSuffix("WHERE (fl_value(_.body, 'type') = 'person') AND (_.flags & 1 = 0)"))
    }

    @Test("NOT before IN with COLLATE negates the test, in a column and in a condition")
    func negatedCollatedTest() throws {
        let test = try SQLPlusPlus.parseExpression("NOT a IN ['x'] COLLATE NOCASE")
        #expect(
            try IndexCompiler.createValueIndex(name: "i", on: words, expressions: [test], condition: test)
                == "CREATE INDEX i ON \"kv_.extwords\" (NOT (fl_value(body, 'a') IN ('x')) COLLATE NOCASE) "
                + "WHERE NOT (fl_value(body, 'a') IN ('x')) COLLATE NOCASE"
        )
        #expect(try IndexCompiler.condition(test, on: words, row: "new") == "(NOT (fl_value(new.body, 'a') IN ('x')) COLLATE NOCASE)")
    }

    @Test("an array index covers the element or its properties")
    func arrayIndex() throws {
        #expect(
            try IndexCompiler.createArrayIndex(name: "i", onArrayTable: "kv_default:unnest:likes", expressions: [])
                == "CREATE INDEX i ON \"kv_default:unnest:likes\" (fl_unnested_value(body))"
        )
        let city = try SQLPlusPlus.parseIndexExpressions("city, a.b")
        #expect(
            try IndexCompiler.createArrayIndex(name: "i", onArrayTable: "t", expressions: city)
                == "CREATE INDEX i ON t (fl_unnested_value(body, 'city'), fl_unnested_value(body, 'a.b'))"
        )
        #expect(throws: QueryError.self) {
            try IndexCompiler.createArrayIndex(name: "i", onArrayTable: "t", expressions: [.meta("id")])
        }
    }

    @Test("a full-text index covers properties only")
    func fullText() throws {
        let columns = try IndexCompiler.fullTextColumns(of: SQLPlusPlus.parseIndexExpressions("name, a.b"))
        #expect(columns.map(\.encoded) == ["name", "a.b"])
        #expect(throws: QueryError.invalidQuery("FTS index expression must be a property")) {
            try IndexCompiler.fullTextColumns(of: SQLPlusPlus.parseIndexExpressions("upper(s)"))
        }
    }

    @Test(
        "an expression that cannot be indexed throws an error",
        arguments: [
            "$p", "count(a)", "match(i, 'x')", "rank(i)", "EXISTS (SELECT x FROM _)", "meta(x).id", "meta().foo",
            "lower()", "ANY v IN a SATISFIES $p END",
        ]
    )
    func refused(expression: String) throws {
        let expressions = try SQLPlusPlus.parseIndexExpressions(expression)
        #expect(throws: QueryError.self) {
            try IndexCompiler.createValueIndex(name: "i", on: words, expressions: expressions)
        }
    }

    @Test("an index without expressions throws an error")
    func empty() {
        #expect(throws: QueryError.invalidQuery("empty index expression")) {
            try IndexCompiler.createValueIndex(name: "i", on: words, expressions: [])
        }
        #expect(throws: QueryError.invalidQuery("empty index expression")) {
            try IndexCompiler.fullTextColumns(of: [])
        }
    }
}
