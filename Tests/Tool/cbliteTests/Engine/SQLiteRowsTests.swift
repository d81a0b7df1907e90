import SQLiteEngine
import TestSupport
import Testing

@testable import cblite

@Suite("Rows of SQLite files")
struct SQLiteRowsTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("in.sqlite3") }

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute(sql)
        try connection.close()
    }

    private func rows(_ name: String, _ limits: SQLiteRows.Limits = .init()) throws -> Int {
        let connection = try Connection(path: path, mode: .readOnly)
        let rows = try SQLiteRows(connection, SQLiteTables(connection).entry(named: name, of: path), limits: limits)
        var count = 0
        while try rows.next() { count += 1 }
        return count
    }

    private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

    @Test("a view is read like a table, with its columns and without a key")
    func view() throws {
        try make("CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 2), (2, 3)")
        try make("CREATE VIEW v AS SELECT x, id AS y FROM t")
        #expect(try rows("V") == 2)
        let connection = try Connection(path: path, mode: .readOnly)
        let rows = try SQLiteRows(connection, SQLiteTables(connection).entry(named: "v", of: path))
        #expect(rows.columns == ["x", "y"] && rows.keyColumn == nil)
    }

    @Test("a view that never ends is stopped by the time for a row, or by the number of rows")
    func endless() throws {
        try make("CREATE VIEW silent AS \(Self.endless) SELECT i FROM n WHERE i < 0; CREATE VIEW many AS \(Self.endless) SELECT i FROM n")
        let late = try #require(throws: SQLiteRows.Stopped.self) { try rows("silent", .init(time: .zero)) }
        #expect(late.message == "the view takes longer than 0 seconds for a row")
        let long = try #require(throws: SQLiteRows.Stopped.self) { try rows("many", .init(rows: 1_000)) }
        #expect(long.message == "the view has more than 1,000 rows")
    }

    @Test("a view with large values is refused, and a table with them is read")
    func large() throws {
        try make("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000)); CREATE VIEW v AS SELECT x FROM t")
        #expect(try rows("t", .init(valueSize: 10_000)) == 1)
        #expect(throws: SQLiteError.self) { try rows("v", .init(valueSize: 10_000)) }
    }

    @Test(
        "a view that calls functions from outside, or reads what does not exist, is refused with its name",
        arguments: [
            ("SELECT load_extension('x') AS y", "unsafe use of load_extension"), ("SELECT evil(1) AS y", "no such function: evil"),
            ("SELECT x FROM missing", "no such table"),
        ]
    )
    func refused(query: String, message: String) throws {
        try make("CREATE VIEW \"a view\" AS \(query)")
        let failure = try #require(throws: Failure.self) { try rows("a view") }
        #expect(failure.status == .badData && failure.message.hasPrefix("the view \"a view\" cannot be read: "), "\(failure)")
        #expect(failure.message.contains(message), "\(failure)")
        #expect(failure.hint?.contains("--no-views") == true)
    }
}
