import Foundation
import SQLiteEngine
import TestSupport
import Testing

@Suite("Columns and tables that cblite import reads")
struct ImportedColumnTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private func makeSQLite(_ statements: String...) throws {
        let connection = try Connection(path: tool.directory.path("in.sqlite3"), mode: .create)
        for statement in statements { try connection.execute(statement) }
        try connection.close()
    }

    @Test("a CSV file without the column that --id-property names is refused, instead of getting new IDs each time")
    func columnOfCSV() throws {
        try tool.write("in.csv", "Code,name\nAAA,Anaa\n")
        let message = "in.csv:1:1: the header has no column \"code\", which --id-property names"
        for policy in ["stop", "skip", "rollback"] {
            try tool.expectFailure(65, message, "import", "--create", "db", "in.csv", "--id-property", "code", "--on-error", policy)
            #expect(!tool.exists("db.cblite2"))
        }
        try tool.lines("import", "--create", "db", "in.csv", "--id-property", "Code")
        #expect(try tool.lines("ls", "db") == ["AAA"])
        // Without the option, the IDs are generated.
        try tool.lines("import", "--create", "db", "in.csv")
        #expect(try tool.lines("ls", "db").count == 2)
    }

    @Test("a table or view without the column that --id-property names is refused, but with --all-tables its primary key counts")
    func columnOfTable() throws {
        try makeSQLite(
            "CREATE TABLE t (number INTEGER PRIMARY KEY, n)",
            "INSERT INTO t VALUES (1, 2)",
            "CREATE VIEW v AS SELECT n AS x FROM t"
        )
        for (kind, name) in [("table", "t"), ("view", "v")] {
            let message = "the \(kind) \"\(name)\" has no column \"Number\", which --id-property names"
            try tool.expectFailure(65, message, "import", "--create", "db", "--table", name, "in.sqlite3", "--id-property", "Number")
            #expect(!tool.exists("db.cblite2"))
        }
        try tool.lines("import", "--create", "db", "--all-tables", "in.sqlite3", "--id-property", "x")
        #expect(try tool.lines("ls", "db", "-c", "t") == ["1"])
        #expect(try tool.lines("ls", "db", "-c", "v") == ["2"])
    }

    @Test("--all-tables leaves out the tables in which a full-text index keeps its data, which --table imports")
    func shadowTables() throws {
        try makeSQLite("CREATE VIRTUAL TABLE words USING fts5(a)", "INSERT INTO words VALUES ('hello')", "CREATE TABLE words_own (a)")
        try tool.lines("import", "--create", "db", "--all-tables", "in.sqlite3")
        let names = try tool.lines("collections", "--json", "db").map { try object($0)["name"] as? String }
        #expect(names == ["_default._default", "_default.words", "_default.words_own"])
        let unknown = try tool.run("import", "db", "--table", "none", "in.sqlite3")
        #expect(unknown.errorOutput.contains("Tables and views of the file: words, words_own\n"), "\(unknown.errorOutput)")
        try tool.lines("import", "--create", "data", "--table", "words_content", "in.sqlite3")
        #expect(try tool.lines("ls", "data") == ["1"])
    }

    @Test(
        "an import that a full disk ends says how many documents it has kept",
        .enabled(if: SmallDisk.canBeMade, "needs a disk of its own")
    )
    func fullDisk() throws {
        let disk = try #require(SmallDisk())
        let text = String(repeating: "as long as it takes, ", count: 60)
        try tool.write("in.jsonl", (0..<20_000).map { "{\"_id\":\"\($0)\",\"text\":\"\($0) \(text)\"}" }.joined(separator: "\n"))
        let database = disk.url.appendingPathComponent("db.cblite2").path
        let result = try tool.run("import", "--create", "--batch", "100", database, "in.jsonl")
        #expect(result.exitCode == 74)
        let kept = try tool.lines("ls", database).count
        #expect(kept > 0 && kept.isMultiple(of: 100))
        #expect(result.errorOutput.replacing(",", with: "").contains("\(kept) documents were imported and kept."), "\(result.errorOutput)")
    }
}
