import Testing

@testable import QueryLanguage

/// The clauses of the SQL of a query from FROM on.
private func tail(_ text: String, _ database: FakeDatabase = FakeDatabase()) throws -> String {
    let sql = try database.compile(text).sql
    return sql.firstRange(of: " FROM ").map { String(sql[sql.index(after: $0.lowerBound)...]) } ?? sql
}

@Suite("Compilation of queries")
struct SelectCompilationTests {
    private static let both = """
        (SELECT rowid, key, sequence, flags, version, body, expiration FROM kv_default UNION ALL \
        SELECT rowid, key, sequence, flags, version, body, expiration FROM kv_del_default)
        """

    @Test(
        "sources are compiled to tables with their aliases",
        arguments: [
            ("SELECT x FROM db", "FROM kv_default AS db WHERE (db.flags & 1 = 0)"),
            ("SELECT x FROM people", "FROM \"kv_.people\" AS people"),
            ("SELECT x FROM _default._default d", "FROM kv_default AS d WHERE (d.flags & 1 = 0)"),
            ("SELECT x FROM people AS `order`", "FROM \"kv_.people\" AS \"order\""),
            (
                "SELECT a.x FROM people a JOIN _ b ON a.k = b.k CROSS JOIN _ c",
                "FROM \"kv_.people\" AS a INNER JOIN kv_default AS b ON (fl_value(a.body, 'k') = fl_value(b.body, 'k')) "
                    + "AND (b.flags & 1 = 0) CROSS JOIN kv_default AS c ON (c.flags & 1 = 0)"
            ),
            (
                "SELECT a.x FROM _ a UNNEST a.c AS u UNNEST u.d",
                "FROM kv_default AS a JOIN fl_each(a.body, 'c') AS u JOIN fl_each(u.value, 'd') AS d WHERE (a.flags & 1 = 0)"
            ),
            (
                "SELECT u FROM people a UNNEST a.c AS u GROUP BY u.k",
                "FROM \"kv_.people\" AS a JOIN fl_each(a.body, 'c') AS u GROUP BY fl_nested_value(u.data, 'k')"
            ),
        ]
    )
    func sources(query: String, sql: String) throws {
        #expect(try tail(query) == sql)
    }

    @Test(
        "the alias of a variable differs from those of sources and of other variables, without regard to case",
        arguments: [
            ("people AS _v WHERE EVERY v IN c SATISFIES v > 1 END", ["_v_2.value > 1"]),
            ("people AS _V WHERE EVERY v IN c SATISFIES v > _V.k END", ["_v_2.value > fl_value(_V.body, 'k')"]),
            ("people p WHERE EVERY v IN c SATISFIES (EVERY V IN v SATISFIES V > v END) END", ["AS _v ", "_V_2.value > _v.value"]),
            ("people p WHERE EVERY v IN c SATISFIES EXISTS (SELECT 1 FROM _ AS _v WHERE _v.k = v) END", ["= _v_2.value"]),
        ]
    )
    func aliasesOfVariables(query: String, parts: [String]) throws {
        let sql = try tail("SELECT x FROM " + query)
        for part in parts { #expect(sql.contains(part), "\(sql)") }
    }

    @Test("a pattern is repeated for indexes on patterns unless SQLite would search for it slowly")
    func repeatedPatterns() throws {
        var database = FakeDatabase(hasPatternIndexes: true)
        let text = "fl_value(people.body, 's')"
        let short = try tail("SELECT x FROM people WHERE s LIKE '%ab'", database)
        #expect(short.hasSuffix(#"WHERE \#(text) LIKE '%ab' ESCAPE '\' AND \#(text) GLOB '*ab'"#))
        let long = String(repeating: "a", count: 60_000)
        let slow = "SELECT x FROM people WHERE s LIKE '%\(long)'"
        #expect(try tail(slow, database).hasSuffix("WHERE fl_like_text(\(text), '%\(long)')"))
        database.indexedExpressions = ["fl_value(body, 's') GLOB '*\(long)'"]
        #expect(try tail(slow, database).hasSuffix(" AND \(text) GLOB '*\(long)'"))
    }

    @Test("UNNEST uses the tables of array indexes level by level, for live documents only")
    func arrayTables() throws {
        let query = "SELECT u.k FROM _ a UNNEST a.c AS u UNNEST u.d AS v WHERE v.x = 1 AND u = 2"
        #expect(
            try tail(query, FakeDatabase(arrayPaths: ["c", "c[].d"]))
                == "FROM kv_default AS a JOIN \"kv_default:unnest:c\" AS u ON u.docid = a.rowid "
                + "JOIN \"kv_default:unnest:c[].d\" AS v ON v.docid = u.rowid "
                + "WHERE (fl_unnested_value(v.body, 'x') = 1 AND fl_unnested_value(u.body) = 2) AND (a.flags & 1 = 0)"
        )
        #expect(
            try tail(query, FakeDatabase(arrayPaths: ["c[].d"]))
                == "FROM kv_default AS a JOIN fl_each(a.body, 'c') AS u JOIN fl_each(u.value, 'd') AS v "
                + "WHERE (fl_nested_value(v.body, 'x') = 1 AND u.value = 2) AND (a.flags & 1 = 0)"
        )
        #expect(
            try tail("SELECT meta(a).deleted FROM _ a UNNEST a.c AS u", FakeDatabase(arrayPaths: ["c"]))
                == "FROM \(Self.both) AS a JOIN fl_each(a.body, 'c') AS u"
        )
    }

    @Test(
        "an invalid FROM clause throws an error",
        arguments: [
            ("SELECT x FROM nope", "no such collection \"nope\""),
            ("SELECT x FROM shop.nope", "no such collection \"shop.nope\""),
            ("SELECT x FROM DB", "no such collection \"DB\""), ("SELECT x FROM x._", "no such collection \"x._\""),
            ("SELECT a.x FROM _ a JOIN _ a ON 1", "duplicate collection alias 'a'"),
            ("SELECT a.x FROM _ a JOIN _ b", "FROM item needs an ON clause to be a join"),
            ("SELECT a.x FROM _ a CROSS JOIN _ b ON 1", "CROSS JOIN cannot accept an ON clause"),
            ("SELECT a.x FROM _ a UNNEST lower(a.b) AS c", "UNNEST requires a property path"),
            ("SELECT a.x FROM _ a JOIN _ b ON 1 UNNEST z.b AS c", "property 'z.b' does not begin with a declared 'AS' alias"),
            ("SELECT a.x FROM _ AS `a'b`", "invalid 'AS' alias 'a'b'"),
            ("SELECT z FROM _ a JOIN _ b ON 1", "property 'z' does not begin with a declared 'AS' alias"),
        ]
    )
    func refusedSources(query: String, message: String) {
        #expect(throws: QueryError.invalidQuery(message)) { try FakeDatabase().compile(query) }
    }

    @Test("a collection with the name of the database takes precedence over the default collection")
    func databaseName() throws {
        let database = FakeDatabase(databaseName: "people")
        #expect(try database.compile("SELECT x FROM people").sources.map(\.storeName) == [".people"])
        #expect(
            try FakeDatabase(databaseName: "x", collections: []).compile("SELECT x FROM x").sources.map(\.storeName)
                == ["default"]
        )
    }

    @Test(
        "deleted documents are included when the query refers to the deleted flag",
        arguments: [
            ("SELECT x FROM people WHERE meta().id = 1", "FROM \"kv_.people\" AS people WHERE people.key = 1"),
            ("SELECT meta() FROM _", "FROM \(both) AS _"),
            ("SELECT x FROM _ ORDER BY meta().deleted", "FROM \(both) AS _ ORDER BY (_.flags & 1 != 0)"),
            ("SELECT x FROM people WHERE meta().deleted", "FROM \"kv_del_.people\" AS people WHERE (people.flags & 1 != 0)"),
            (
                "SELECT x FROM people WHERE a AND TRUE = _deleted",
                "FROM \"kv_del_.people\" AS people WHERE fl_value(people.body, 'a') AND fl_bool(1) = (people.flags & 1 != 0)"
            ),
            ("SELECT x FROM _ WHERE _._deleted", "FROM \(both) AS _ WHERE (_.flags & 1 != 0)"),
            ("SELECT x FROM _ WHERE NOT meta().deleted", "FROM \(both) AS _ WHERE NOT ((_.flags & 1 != 0))"),
            ("SELECT x FROM _ WHERE deleted", "FROM kv_default AS _ WHERE (fl_value(_.body, 'deleted')) AND (_.flags & 1 = 0)"),
            (
                "SELECT a.x FROM people a JOIN _ b ON a.k = meta(b).id AND meta(b).deleted",
                "FROM \"kv_.people\" AS a INNER JOIN \(both) AS b ON (fl_value(a.body, 'k') = b.key AND (b.flags & 1 != 0))"
            ),
        ]
    )
    func deletedDocuments(query: String, sql: String) throws {
        #expect(try tail(query) == sql)
    }

    @Test("in a file without tables for deleted documents, rows are filtered by their flag")
    func olderFiles() throws {
        let database = FakeDatabase(hasDeletedTables: false)
        #expect(try tail("SELECT x FROM people", database) == "FROM \"kv_.people\" AS people WHERE (people.flags & 1 = 0)")
        #expect(
            try tail("SELECT x FROM people WHERE meta().deleted", database)
                == "FROM \"kv_.people\" AS people WHERE (people.flags & 1 != 0)"
        )
    }

    @Test(
        "a column title can be used in place of its expression",
        arguments: [
            (
                "SELECT x AS key FROM people WHERE key = 1",
                "FROM \"kv_.people\" AS people WHERE coalesce(fl_value(people.body, 'key'), fl_value(people.body, 'x')) = 1"
            ),
            (
                "SELECT a + b AS m FROM people WHERE m * 2 > 1",
                "FROM \"kv_.people\" AS people WHERE "
                    + "coalesce(fl_value(people.body, 'm'), fl_value(people.body, 'a') + fl_value(people.body, 'b')) * 2 > 1"
            ),
            (
                "SELECT {'k': 1} AS d FROM people WHERE d.k[0] = 1",
                "FROM \"kv_.people\" AS people WHERE "
                    + "iif(fl_exists(people.body, 'd'), fl_value(people.body, 'd.k[0]'), fl_nested_value(dict_of('k', 1), 'k[0]')) = 1"
            ),
            ("SELECT upper(x) AS m FROM people ORDER BY m DESC", "FROM \"kv_.people\" AS people ORDER BY m DESC"),
            ("SELECT upper(x) AS m FROM people ORDER BY m COLLATE NOCASE", "FROM \"kv_.people\" AS people ORDER BY m COLLATE NOCASE"),
            (
                "SELECT upper(x) AS m FROM people ORDER BY m + 1",
                "FROM \"kv_.people\" AS people ORDER BY "
                    + "fl_upper(fl_value(people.body, 'x')) + 1"
            ),
            ("SELECT x AS m FROM people ORDER BY m", "FROM \"kv_.people\" AS people ORDER BY fl_value(people.body, 'x')"),
            (
                "SELECT upper(x) AS m, 1 AS M FROM people ORDER BY m",
                "FROM \"kv_.people\" AS people ORDER BY "
                    + "fl_upper(fl_value(people.body, 'x'))"
            ),
            ("SELECT x AS m FROM people WHERE people.m", "FROM \"kv_.people\" AS people WHERE fl_value(people.body, 'm')"),
            (
                "SELECT upper(x) AS m FROM people GROUP BY m HAVING m > 'a'",
                "FROM \"kv_.people\" AS people GROUP BY fl_result("
                    + "fl_upper(fl_tagged_value(people.body, 'x'))) HAVING fl_upper(fl_value(people.body, 'x')) > 'a'"
            ),
            (
                "SELECT m + 1 AS m FROM people WHERE m = 2",
                "FROM \"kv_.people\" AS people WHERE "
                    + "fl_value(people.body, 'm') = 2"
            ),
        ]
    )
    func resultTitles(query: String, sql: String) throws {
        #expect(try tail(query) == sql)
    }

    @Test(
        "an aggregate function outside of results, HAVING and ORDER BY throws an error",
        arguments: [
            "SELECT x FROM _ WHERE max(x) = 1", "SELECT x FROM _ GROUP BY max(x)", "SELECT x FROM _ LIMIT max(1)",
            "SELECT a.x FROM _ a JOIN _ b ON max(a.x) = b.y", "SELECT max(max(x)) FROM _",
            "SELECT max(x) AS m FROM _ WHERE m = 1",
        ]
    )
    func aggregates(query: String) {
        #expect(throws: QueryError.invalidQuery("Cannot use aggregate function max() in this context")) {
            try FakeDatabase().compile(query)
        }
    }

    @Test("column titles follow the naming rules and are unique")
    func titles() throws {
        let query = try FakeDatabase().compile(
            """
            SELECT x.*, a.b, a[0], meta().id, _id, x._id, _sequence, 1 + 1, count(*), b AS t, y.b, lower(a), a.`c d`, *
            FROM _ AS x
            """
        )
        let titles = ["x", "b", "$1", "id", "id #2", "_id", "sequence", "$2", "$3", "t", "b #2", "$4", "c d", "x #2"]
        #expect(query.columnTitles == titles)
        #expect(try FakeDatabase().compile("SELECT *, _.x FROM _").columnTitles == ["_", "$1"])
        #expect(try FakeDatabase().compile("SELECT * FROM shop.hotels").columnTitles == ["hotels"])
        #expect(try FakeDatabase().compile("SELECT * FROM shop.hotels JOIN people ON 1").columnTitles == ["hotels"])
        #expect(try FakeDatabase().compile(json: "{}").columnTitles == ["_id", "_sequence"])
        let metadata = #"["_.",["meta()"],".id"],["_.",["META()"],".id"],["_.",["Meta()"],".id"],["AS",["_.",["META()"],".id"],"x"]"#
        let written = try QueryJSON.parse("{\"WHAT\":[\(metadata)]}")
        #expect(try FakeDatabase().compile(json: "{\"WHAT\":[\(metadata)]}").columnTitles == ["id", "$1", "$2", "x"])
        #expect(try FakeDatabase().compile(json: QueryJSON.text(of: written)).columnTitles == ["id", "$1", "$2", "x"])
        let homonyms = FakeDatabase(collections: ["shop.hotels", "inv.hotels"])
        #expect(try homonyms.compile("SELECT * FROM shop.hotels JOIN inv.hotels ON 1").columnTitles == ["shop.hotels"])
    }

    @Test("parameters and collections are listed once, including those of nested queries")
    func metadata() throws {
        let query = try FakeDatabase().compile(
            """
            SELECT a.x FROM _ a JOIN people p ON a.k = $k AND p.j = $j
            WHERE EXISTS (SELECT x FROM shop.hotels WHERE y = $k AND z = $z) LIMIT $l
            """
        )
        #expect(query.parameterNames == ["k", "j", "z", "l"])
        #expect(query.sources.map(\.storeName) == ["default", ".people", ".shop.hotels"])
        #expect(query.hiddenColumnCount == 0)
        #expect(throws: QueryError.invalidQuery("Invalid query parameter name 'a b'")) {
            try QueryCompiler.compile(SelectStatement(condition: .parameter("a b")), resolver: FakeDatabase())
        }
    }

    @Test("many parameters are listed once, in the order in which they are used first")
    func manyParameters() throws {
        let names = (0..<20_000).map { "p\($0)" }
        let used = (names + names.reversed()).map { "$" + $0 }
        let arrays = stride(from: 0, to: used.count, by: 100).map { "[" + used[$0..<$0 + 100].joined(separator: ",") + "]" }
        #expect(try FakeDatabase().compile("SELECT \(arrays.joined(separator: ",")) FROM _").parameterNames == names)
    }

    @Test("HAVING without GROUP BY throws an error")
    func having() {
        #expect(throws: QueryError.invalidQuery("HAVING requires GROUP_BY")) {
            var select = SelectStatement()
            select.groupCondition = .boolean(true)
            _ = try QueryCompiler.compile(select, resolver: FakeDatabase())
        }
    }

    /// A query in which the title of each nested query is used twice, so that each level makes the SQL three times as large.
    private static let tripling = (0..<40).reduce("SELECT a AS t FROM _ WHERE t") { nested, _ in
        "SELECT EXISTS (\(nested)) AS t FROM _ WHERE t AND t"
    }

    @Test(
        "a short query whose titles and names stand for very large SQL is an error, and not compiled to the end",
        arguments: [
            tripling,
            "SELECT [\(Array(repeating: "a", count: 100).joined(separator: ","))] AS t FROM _ WHERE t"
                + String(repeating: " OR t", count: 2000),
            "SELECT a\(String(repeating: ",a", count: 2000)) FROM _ AS \(String(repeating: "x", count: 2000))",
            "SELECT a\(String(repeating: ",a", count: 20_000)) FROM _",
            "SELECT a FROM _ AS \(String(repeating: "x", count: 2000)) ORDER BY a\(String(repeating: ",a", count: 2000))",
            "SELECT a AS t FROM _ AS \(String(repeating: "x", count: 2000)) GROUP BY t\(String(repeating: ",t", count: 2000))",
        ]
    )
    func size(text: String) throws {
        let select = try SQLPlusPlus.parse(text)
        let error = #expect(throws: QueryError.self) {
            let record = CompilationRecord(resolver: FakeDatabase(), maximumCost: 1 << 20)
            var compiler = try SelectCompiler(select, record: record)
            _ = try compiler.statement(hiddenColumns: [])
        }
        #expect(error?.message.hasPrefix("the query is too large") == true)
    }

    @Test("FROM has at most 64 sources")
    func sourceCount() throws {
        func text(_ count: Int) -> String { "SELECT 1 FROM _ AS a0" + (1..<count).map { " UNNEST a\($0 - 1).x AS a\($0)" }.joined() }
        _ = try FakeDatabase().compile(text(64))
        #expect(throws: QueryError.invalidQuery("a query can have at most 64 sources in FROM")) { try FakeDatabase().compile(text(65)) }
    }
}
