import SQLiteEngine
import Testing

@Suite("Schemas that are not believed")
struct DistrustTests {
    private let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test("views of a file are not run")
    func views() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (x); CREATE VIEW v AS SELECT x FROM t")
        let error = try sqliteError { _ = try connection.scalar("SELECT count(*) FROM v") }
        #expect(error.message.contains("prohibited"))
    }

    @Test("every connection checks the sizes of cells, and one that reads trusts no schema")
    func settings() throws {
        let writing = try Connection(path: ":memory:", mode: .create)
        let reading = try Connection(path: ":memory:", mode: .readOnly)
        #expect(try writing.scalar("PRAGMA cell_size_check") == 1)
        #expect(try reading.scalar("PRAGMA cell_size_check") == 1)
        #expect(try reading.scalar("PRAGMA trusted_schema") == 0)
    }

    @Test("triggers can write to full-text tables, and call no function that is for direct use only")
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

    @Test(
        "a statement that never ends is interrupted when the steps it may take are used up, and others run afterwards"
    )
    func stepLimit() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let error = try sqliteError {
            try connection.withStepLimit(1_000_000) { _ = try connection.scalar(endless) }
        }
        #expect(error.isInterrupted)
        let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500000) SELECT max(i) FROM n"
        #expect(try connection.scalar(count) == 500_000)
    }

    @Test("steps are counted over all statements of a connection")
    func sum() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let some = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) SELECT max(i) FROM n"
        try connection.limitSteps(to: 1_000_000)
        let error = try sqliteError { for _ in 0..<1000 { _ = try connection.scalar(some) } }
        #expect(error.isInterrupted)
    }
}
