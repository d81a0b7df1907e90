import QueryLanguage
import Testing

@Suite("Compilation of full-text matches")
struct FullTextCompilationTests {
    @Test("a match adds hidden columns for match offsets only where rows are single documents")
    func hiddenColumns() throws {
        let database = FakeDatabase(fullTextIndexes: ["idx", "two"])
        let query = try database.compile("SELECT x FROM _ WHERE match(idx, 'a') AND (match(two, 'b') AND y)")
        #expect(query.sql.hasPrefix("SELECT _.rowid, offsets(fts1.\"kv_default::idx\"), offsets(fts2.\"kv_default::two\"), "))
        #expect(query.hiddenColumnCount == 3)
        #expect(query.fullTextTables == ["kv_default::idx", "kv_default::two"])
        #expect(query.columnTitles == ["x"])
        for text in [
            "SELECT DISTINCT x FROM _ WHERE match(idx, 'a')", "SELECT count(*) FROM _ WHERE match(idx, 'a')",
            "SELECT x FROM _ WHERE match(idx, 'a') GROUP BY x", "SELECT x FROM _ WHERE y",
        ] {
            #expect(try database.compile(text).hiddenColumnCount == 0)
        }
        let select = try SQLPlusPlus.parse("SELECT x FROM _ WHERE match(idx, 'a')")
        let plain = try QueryCompiler.compile(select, resolver: database, includesMatchInformation: false)
        #expect(plain.hiddenColumnCount == 0)
        #expect(plain.sql.hasPrefix("SELECT fl_result("))
    }

    @Test("a full-text index is found by its alias or else in the first source that has it")
    func aliases() throws {
        let sql = try FakeDatabase().compile("SELECT a.x FROM _ a JOIN people b ON 1 WHERE match(b.idx, 'x')").sql
        #expect(sql.contains("JOIN \"kv_.people::idx\" AS fts1 ON fts1.docid = b.rowid"))
        #expect(
            try FakeDatabase().compile("SELECT a.x FROM _ a JOIN people b ON 1 WHERE match(idx, 'x')").sql
                .contains("JOIN \"kv_default::idx\" AS fts1 ON fts1.docid = a.rowid")
        )
    }

    @Test("a full-text match excludes deleted documents")
    func deletedDocuments() throws {
        let sql = try FakeDatabase().compile("SELECT meta() FROM _ WHERE match(idx, 'x')").sql
        #expect(sql.contains(" FROM kv_default AS _ "))
        #expect(sql.hasSuffix("AND (_.flags & 1 = 0)"))
    }

    @Test(
        "a match below the top level of WHERE throws an error",
        arguments: [
            "SELECT match(idx, 'a') FROM _", "SELECT x FROM _ WHERE match(idx, 'a') = TRUE",
            "SELECT x FROM _ WHERE y AND (match(idx, 'a') OR z)", "SELECT x FROM _ ORDER BY match(idx, 'a')",
            "SELECT x FROM _ WHERE match(idx, 'a') COLLATE NOCASE",
            "SELECT a.x FROM _ a JOIN _ b ON match(a.idx, 'x')",
            "SELECT x FROM _ WHERE match(idx, 'a') AND NOT match(idx, 'b')",
        ]
    )
    func positions(query: String) {
        #expect(throws: QueryError.invalidQuery("MATCH can only appear at top-level, or in a top-level AND")) {
            try FakeDatabase().compile(query)
        }
    }

    @Test("a match without its index throws a missing-index error, and rank() without a match an error")
    func missing() {
        #expect(throws: QueryError(.missingIndex, "'match' test requires a full-text index")) {
            try FakeDatabase().compile("SELECT x FROM _ WHERE match(nope, 'a')")
        }
        for query in ["SELECT rank(idx) FROM _", "SELECT rank(nope) FROM _ WHERE match(idx, 'a')"] {
            #expect(throws: QueryError.invalidQuery("rank() can only be called on FTS indexes")) {
                try FakeDatabase().compile(query)
            }
        }
    }

    @Test(
        "the functions of a search are computed from what FTS4 reports about a row",
        arguments: [
            ("bm25(idx)", #"fl_bm25(matchinfo(fts1."kv_default::idx", 'pcnalx'))"#),
            ("bm25(_.idx, 2, 0.5, 3)", #"fl_bm25(matchinfo(fts1."kv_default::idx", 'pcnalx'), 2, 0.5, 3)"#),
            (
                "snippet(idx)",
                #"fl_snippet(offsets(fts1."kv_default::idx"), NULL, NULL, NULL, NULL, -1, fts1.title, fts1."content.text")"#
            ),
            (
                "SNIPPET(idx, 'content.text', '<', '>')",
                #"fl_snippet(offsets(fts1."kv_default::idx"), '<', '>', NULL, NULL, 1, fts1."content.text")"#
            ),
            (
                "highlight(idx, 'content.text', $a)",
                #"fl_highlight(offsets(fts1."kv_default::idx"), $_a, NULL, 1, fts1."content.text")"#
            ),
        ]
    )
    func searchFunctions(function: String, sql: String) throws {
        let compiled = try FakeDatabase().compile("SELECT x FROM _ WHERE match(idx, 'a') ORDER BY \(function)").sql
        #expect(compiled.hasSuffix(" ORDER BY " + sql), "\(compiled)")
    }

    @Test(
        "a function of a search with wrong arguments throws an error that names the mistake",
        arguments: [
            ("bm25(idx, 1, 1, 1, 1, 1)", "bm25() has 3 weights, but the index 'idx' has 2 properties", ""),
            ("bm25(idx, x)", "the arguments of bm25() cannot depend on documents", ""),
            ("bm25(two)", "bm25() can only be called on FTS indexes", "; WHERE must search the index with match()"),
            ("highlight(idx)", "Wrong number of arguments to highlight()", ""),
            ("highlight(idx, NULL)", "highlight() needs a property of the index 'idx'", ""),
            ("snippet(idx, 1, 2, 3, 4, 5, 6)", "Wrong number of arguments to snippet()", ""),
            ("snippet(idx, 'titel')", "the full-text index 'idx' has no property 'titel'", "; did you mean 'title'?"),
            ("snippet(idx, 'x')", "the full-text index 'idx' has no property 'x'", "; it has 'title', 'content.text'"),
            ("snippet(idx, 5)", "the property of snippet() must be a text in quotation marks", ""),
        ]
    )
    func searchErrors(function: String, message: String, hint: String) {
        let error = #expect(throws: QueryError.self) {
            try FakeDatabase(fullTextIndexes: ["idx", "two"]).compile("SELECT \(function) FROM _ WHERE match(idx, 'a')")
        }
        #expect(error?.message == message && error?.hint == hint, "\(error?.description ?? "")")
    }

    @Test("a query for the first matches by bm25() can sort them before their documents are looked up")
    func bm25Order() throws {
        #expect(try FakeDatabase().compile("SELECT x FROM _ WHERE match(idx, 'a') ORDER BY bm25(idx) DESC LIMIT 5").sql.contains("fl_bm25"))
        let select = try SQLPlusPlus.parse("SELECT x FROM _ WHERE match(idx, 'a') ORDER BY bm25(idx) DESC LIMIT 5")
        let compiled = try QueryCompiler.compile(select, resolver: FakeDatabase(), includesMatchInformation: false)
        #expect(compiled.sortsMatchesByRank)
    }
}
