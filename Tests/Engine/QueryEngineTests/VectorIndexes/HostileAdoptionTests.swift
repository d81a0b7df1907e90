import DocumentStore
import Fleece
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Strange tables in a file, which must not prevent that documents are saved (Vector search FL-12, FL-13, T-14).
@Suite("Hostile adoption")
struct HostileAdoptionTests {
    private func file() throws -> OriginalVectorFile { OriginalVectorFile(words: try VectorDatabase.withPoints(6, nil)) }

    /// Checks that documents can be saved and that indexes work.
    private func checkUsable(_ words: VectorDatabase) throws {
        try words.save("new", 3, 1)
        try words.createIndex("usable")
        try words.save("newer", 3, 2)
        #expect(try words.nearest(3, target: "[3,2]") == ["newer", "new", "w3"])
        #expect(try words.database.rows("SELECT count(*) FROM words") == ["8"])
    }

    private func objects(_ words: VectorDatabase, _ name: String) throws -> Int64? {
        try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM sqlite_master WHERE name = \(name.quotedLiteral)") }
    }

    @Test(
        "a virtual table of another module is left alone, whatever its arguments and its name are",
        arguments: [
            #"CREATE VIRTUAL TABLE "$" USING other("using vectorsearch(x)")"#,
            #"CREATE VIRTUAL TABLE "$" USING other(dimensions=2 USING vectorsearch(dimensions=2,clustering=flat2))"#,
            #"CREATE VIRTUAL TABLE "$" USING "vectorsearch"(dimensions=2,clustering=flat2)"#,
            #"CREATE VIRTUAL TABLE "$" USING vectorsearches(dimensions=2,clustering=flat2)"#,
        ],
        [false, true]
    )
    func otherModule(_ creation: String, isRegistered: Bool) throws {
        let file = try file()
        let table = "kv_.words:vector:strange"
        try file.addTable(table, creation: creation.replacing("$", with: table))
        if isRegistered {
            try file.words.execute(
                "\(IndexTables.createRegistry); "
                    + "INSERT INTO indexes (name, type, keyStore, expression, indexTableName) VALUES ('strange', 4, '.words', '=nvector', '\(table)')"
            )
        }
        try checkUsable(file.words)
        #expect(try objects(file.words, table) == 1)
    }

    @Test(
        "a table that is left of an index is removed, also if SQLite does not have its module; if that is not possible, it is left alone",
        arguments: ["rows", "dead", "cells", "model"],
        [("other(x)", Int64(0)), ("fts4(x, tokenize=unknown)", Int64(1))]
    )
    func leftovers(_ part: String, _ expected: (String, Int64)) throws {
        let file = try file()
        let table = "kv_.words:vector:gone:\(part)"
        try file.addTable(table, creation: "CREATE VIRTUAL TABLE \"\(table)\" USING \(expected.0)")
        try checkUsable(file.words)
        #expect(try objects(file.words, table) == expected.1)
    }

    @Test("an index of the original whose vectors cannot be computed is removed, with its triggers")
    func failingExpression() throws {
        let file = try file()
        let model = TestModel.echo()
        // The input of a model must be a dictionary.
        try file.addIndex("failing", expression: "=nprediction(\(model.name), n).v")
        try file.addIndex("sound")
        try file.words.save("new", 3, 1)
        #expect(try file.remains() == [])
        #expect(try file.words.database.indexes.indexes(of: file.words.words).map(\.name) == ["sound"])
        #expect(try file.words.state("sound").vectorCount == 7)
        #expect(try file.words.findings() == [])
    }

    @Test(
        "an index of the original is found in whatever way the statement that created its table is written",
        arguments: [
            "create virtual table if not exists [$] using VectorSearch ", "CREATE VIRTUAL TABLE `$` USING VECTORSEARCH",
            "CREATE  VIRTUAL\nTABLE '$'\tUSING vectorsearch\n",
        ]
    )
    func spellings(_ creation: String) throws {
        let file = try file()
        try file.addIndex(creation: creation)
        try file.words.save("new", 3, 1)
        #expect(try file.remains() == [])
        #expect(try file.words.state().vectorCount == 7)
    }

    @Test("a table that the extension has made is removed with the index to which it belongs by its name")
    func parts() throws {
        let file = try file()
        for name in ["a", "a_b"] { try file.addIndex(name) }
        try file.words.execute(
            """
            CREATE TABLE "kv_.words:vector:a_bc" (x); CREATE TABLE "kv_.words:vector:a_b_c_d" (x);
            CREATE TABLE "kv_.words:vector:ab_c" (x); CREATE TABLE "kv_.words:vector:c_d" (x);
            """
        )
        try file.words.save("new", 3, 1)
        #expect(try file.remains() == ["kv_.words:vector:ab_c", "kv_.words:vector:c_d"])
        #expect(try file.words.state("a").vectorCount == 7 && file.words.state("a_b").vectorCount == 7)
    }
}

/// The statements that create virtual tables (Vector search FO-2).
@Suite("Original table statement")
struct OriginalTableStatementTests {
    @Test(
        "the name and the arguments are read",
        arguments: [
            (#""kv_default:vector:a" USING vectorsearch(dimensions=2,x=(1))"#, "kv_default:vector:a", "dimensions=2,x=(1)"),
            (#""a""b"using vectorsearch()"#, #"a"b"#, ""), ("plain_1$é USING vectorsearch (x) \n", "plain_1$é", "x"),
            (#"IF NOT EXISTS [a"b] USING vectorsearch(using other(y))"#, #"a"b"#, "using other(y)"),
            ("if not  exists a USING VectorSearch(x)", "a", "x"), ("`a``b` USING VectorSearch(x)", "a`b", "x"),
            ("'a''b' USING vectorsearch(x)", "a'b", "x"), ("if_not USING vectorsearch(x)", "if_not", "x"),
        ]
    )
    func read(_ end: String, _ table: String, _ arguments: String) throws {
        for start in ["CREATE VIRTUAL TABLE ", "create\tvirtual\n table\r\n"] {
            let statement = try #require(OriginalTableStatement(start + end))
            #expect(statement.table == table && statement.arguments == arguments)
        }
    }

    @Test(
        "other statements are none",
        arguments: [
            "", "CREATE", "CREATE VIRTUAL TABLE", "CREATE TABLE a (x) -- USING vectorsearch(x)",
            "CREATEVIRTUAL TABLE a USING vectorsearch(x)", "EXPLAIN CREATE VIRTUAL TABLE a USING vectorsearch(x)",
            "CREATE VIRTUAL TABLE USING vectorsearch(x)", "CREATE VIRTUAL TABLE IF EXISTS a USING vectorsearch(x)",
            "CREATE VIRTUAL TABLE a USING", "CREATE VIRTUAL TABLE a USING vectorsearch", "CREATE VIRTUAL TABLE a USING vectorsearch(",
            "CREATE VIRTUAL TABLE a USING vectorsearch)", "CREATE VIRTUAL TABLE a USING vectorsearch(x) y",
            "CREATE VIRTUAL TABLE a USING vectorsearch2(x)", #"CREATE VIRTUAL TABLE a USING "vectorsearch"(x)"#,
            #"CREATE VIRTUAL TABLE a USING other("using vectorsearch(x)")"#, "CREATE VIRTUAL TABLE a, USING vectorsearch(x)",
            #"CREATE VIRTUAL TABLE "a USING vectorsearch(x)"#, #"CREATE VIRTUAL TABLE "a" "b" USING vectorsearch(x)"#,
            "CREATE VIRTUAL TABLE [a]] USING vectorsearch(x)", #"CREATE VIRTUAL TABLE "a USING vectorsearch(x)" USING other(x)"#,
        ]
    )
    func other(_ sql: String) { #expect(OriginalTableStatement(sql) == nil) }
}
