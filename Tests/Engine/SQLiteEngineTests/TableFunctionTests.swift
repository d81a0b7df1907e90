import SQLiteEngine
import Testing

/// Counts from its first argument to its second.
private final class CountingCursor: TableFunctionCursor {
    private var current: Int64 = 0
    private var last: Int64 = -1

    func begin(_ arguments: FunctionArguments) -> String? {
        guard arguments.count > 0 else {
            last = -1
            return nil
        }
        current = arguments[0].int64
        last = arguments.count > 1 ? arguments[1].int64 : current
        return last - current > 1000 ? "too many rows" : nil
    }

    var isAtEnd: Bool { current > last }
    func advance() { current += 1 }
    var rowID: Int64 { current }

    func column(_ index: Int, _ result: FunctionContext) {
        index == 0 ? result.resultInt64(current) : result.resultText("\(current * current)")
    }
}

@Suite("Table-valued functions")
struct TableFunctionTests {
    private func connection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.registerTableFunction(
            name: "counting",
            TableFunction(columns: ["number", "square \"text\""], parameters: ["first", "last"]) { CountingCursor() }
        )
        return connection
    }

    private func rows(_ sql: String, _ connection: Connection) throws -> [String] {
        let statement = try connection.prepare(sql)
        defer { statement.finalize() }
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.text(at: $0) }.joined(separator: " "))
        }
        return rows
    }

    @Test("a table-valued function returns rows with columns and row IDs")
    func rows() throws {
        let connection = try connection()
        #expect(try rows("SELECT rowid, * FROM counting(2, 4)", connection) == ["2 2 4", "3 3 9", "4 4 16"])
        #expect(try rows("SELECT number FROM counting(5)", connection) == ["5"])
        #expect(try rows("SELECT number FROM counting", connection) == [])
        #expect(try rows("SELECT sum(number) FROM counting(1, 100) WHERE number % 2 = 0", connection) == ["2550"])
    }

    @Test("a table-valued function takes arguments from other tables, in any order of the join")
    func joins() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (7, 6), (9, 9)")
        let expected = ["1 1", "1 2", "9 9"]
        #expect(try rows("SELECT a, number FROM t JOIN counting(a, b) ORDER BY 1, 2", connection) == expected)
        #expect(try rows("SELECT a, number FROM counting(a, b), t ORDER BY 1, 2", connection) == expected)
        #expect(
            try rows("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM counting(a, b) WHERE number = 2)", connection) == [
                "1"
            ]
        )
        #expect(
            try rows("SELECT x.number, y.number FROM counting(1, 2) x, counting(x.number, 2) y", connection)
                == ["1 1", "1 2", "2 2"]
        )
    }

    @Test("an error of a table-valued function is thrown by the statement")
    func errors() throws {
        let connection = try connection()
        let error = #expect(throws: SQLiteError.self) { try rows("SELECT * FROM counting(0, 5000)", connection) }
        #expect(error?.message == "too many rows")
        #expect(throws: SQLiteError.self) { try rows("SELECT * FROM counting(1, 2, 3)", connection) }
        #expect(throws: SQLiteError.self) { try connection.execute("CREATE VIRTUAL TABLE v USING counting") }
        #expect(try rows("SELECT number FROM counting(1)", connection) == ["1"])
    }

    @Test("the definition of a table-valued function is released when the connection is closed")
    func lifetime() throws {
        final class Witness: Sendable {}
        weak var seen: Witness?
        do {
            let witness = Witness()
            seen = witness
            let connection = try Connection(path: ":memory:", mode: .create)
            try connection.registerTableFunction(
                name: "counting",
                TableFunction(columns: ["number"], parameters: ["first"]) {
                    _ = witness
                    return CountingCursor()
                }
            )
            let statement = try connection.prepare("SELECT number FROM counting(1)")
            #expect(try statement.step())
            try connection.close()
        }
        #expect(seen == nil)
    }
}
