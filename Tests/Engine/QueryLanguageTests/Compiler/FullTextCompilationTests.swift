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
}
