import SQLiteEngine
import TestSupport
import Testing

@Suite("Untrusted schemas")
struct DistrustTests {
    private let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test("views in a database file are not executed")
    func views() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (x); CREATE VIEW v AS SELECT x FROM t")
        let error = try sqliteError { _ = try connection.scalar("SELECT count(*) FROM v") }
        #expect(error.message.contains("prohibited"))
    }

    @Test("a read-only connection reads views if that is allowed, but calls no functions for them that have effects, and no large values")
    func allowedViews() throws {
        let directory = try TemporaryDirectory()
        let writing = try Connection(path: directory.path("file"), mode: .create)
        try writing.execute(
            """
            CREATE TABLE t (x); INSERT INTO t VALUES (1), (2);
            CREATE VIEW good AS SELECT x * 2 AS y FROM t;
            CREATE VIEW loading AS SELECT load_extension('evil') AS y;
            CREATE VIEW foreign_function AS SELECT evil(x) AS y FROM t;
            CREATE VIEW large AS SELECT zeroblob(2000000) AS y
            """
        )
        #expect(try sqliteError { try writing.allowViews(valueSize: 1_000_000) }.isMisuse)
        try writing.close()
        let reading = try Connection(path: directory.path("file"), mode: .readOnly)
        try reading.allowViews(valueSize: 1_000_000)
        #expect(try reading.scalar("SELECT sum(y) FROM good") == 6)
        #expect(try sqliteError { _ = try reading.scalar("SELECT y FROM loading") }.message.contains("unsafe use of load_extension"))
        #expect(try sqliteError { _ = try reading.scalar("SELECT y FROM foreign_function") }.message.contains("no such function: evil"))
        #expect(try sqliteError { _ = try reading.scalar("SELECT length(y) FROM large") }.message.contains("too big"))
    }

    @Test("every connection checks cell sizes, and a read-only connection does not trust the schema")
    func settings() throws {
        let writing = try Connection(path: ":memory:", mode: .create)
        let reading = try Connection(path: ":memory:", mode: .readOnly)
        #expect(try writing.scalar("PRAGMA cell_size_check") == 1)
        #expect(try reading.scalar("PRAGMA cell_size_check") == 1)
        #expect(try reading.scalar("PRAGMA trusted_schema") == 0)
    }

    @Test("triggers can write to full-text tables")
    func triggers() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(
            """
            CREATE TABLE t (x); CREATE VIRTUAL TABLE f USING fts4(x);
            CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO f (docid, x) VALUES (new.rowid, new.x); END;
            INSERT INTO t VALUES ('some words')
            """
        )
        #expect(try connection.scalar("SELECT docid FROM f WHERE f MATCH 'words'") == 1)
    }

    @Test("an endless statement is interrupted at the step limit, and later statements run without it")
    func stepLimit() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let error = try sqliteError {
            try connection.withStepLimit(1_000_000) { _ = try connection.scalar(endless) }
        }
        #expect(error.isInterrupted)
        let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500000) SELECT max(i) FROM n"
        #expect(try connection.scalar(count) == 500_000)
    }

    @Test("the step limit applies to all statements of a connection together")
    func sum() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let some = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) SELECT max(i) FROM n"
        try connection.limitSteps(to: 1_000_000)
        let error = try sqliteError { for _ in 0..<1000 { _ = try connection.scalar(some) } }
        #expect(error.isInterrupted)
    }
}
