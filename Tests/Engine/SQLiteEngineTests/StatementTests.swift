import SQLiteEngine
import Testing

/// The code of SQLite for a change that a constraint rejects (`SQLITE_CONSTRAINT`).
private let constraintViolation: Int32 = 19

@Suite("Statements")
struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute("CREATE TABLE t (x)")
    }

    /// Stores the values that `bind` binds, and passes `check` a statement that is positioned on the stored row.
    private func roundTrip(_ bind: (Statement) throws -> Void, _ check: (Statement) throws -> Void) throws {
        try connection.execute("DELETE FROM t")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        try bind(insert)
        try insert.run()
        let select = try connection.prepare("SELECT x, length(x), hex(x) FROM t")
        #expect(try select.step())
        try check(select)
        #expect(try !select.step())
    }

    @Test("bound integers are read back unchanged", arguments: [0, -1, 1, .max, .min] as [Int64])
    func integers(value: Int64) throws {
        try roundTrip {
            try $0.bind(value, at: 1)
        } _: {
            #expect($0.columnType(0) == .integer)
            #expect($0.int64(at: 0) == value)
        }
    }

    @Test(
        "bound doubles are read back unchanged",
        arguments: [0.5, -0.0, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity]
    )
    func doubles(value: Double) throws {
        try roundTrip {
            try $0.bind(value, at: 1)
        } _: {
            #expect($0.columnType(0) == .real)
            #expect($0.double(at: 0) == value)
        }
    }

    @Test("NaN is stored as NULL")
    func notANumber() throws {
        try roundTrip {
            try $0.bind(.nan, at: 1)
        } _: {
            #expect($0.isNull(at: 0))
        }
    }

    @Test(
        "bound texts are read back unchanged, however they are bound",
        arguments: ["", "a", "häßlich 🙂", "with\0NUL", "\0", String(repeating: "long ", count: 100_000)]
    )
    func texts(value: String) throws {
        let bytes = Array(value.utf8)
        let ways: [(Statement) throws -> Void] = [
            { try $0.bindText(value, at: 1) },
            { statement in try bytes.withUnsafeBytes { try statement.bindText($0, at: 1) } },
        ]
        for bind in ways {
            try roundTrip(bind) {
                #expect($0.columnType(0) == .text)
                #expect($0.text(at: 0) == value)
                #expect($0.optionalText(at: 0) == value)
                #expect(Array($0.textBytes(at: 0)) == bytes)
            }
        }
        let echo = try connection.prepare("SELECT ?1, typeof(?1)")
        try bytes.withUnsafeBytes {
            try echo.bindText(borrowing: $0, at: 1)
            #expect(try echo.step())
            #expect(echo.text(at: 0) == value)
            #expect(echo.text(at: 1) == "text")
            echo.reset()
            echo.clearBindings()
        }
        #expect(!echo.isBusy)
        #expect(try echo.step())
        #expect(echo.isNull(at: 0))
    }

    @Test(
        "bound blobs are read back unchanged, and an empty blob is not NULL",
        arguments: [[], [0], [1, 0, 2, 255], Array(repeating: 7, count: 1 << 20)]
    )
    func blobs(value: [UInt8]) throws {
        let ways: [(Statement) throws -> Void] = [
            { try $0.bindBlob(value, at: 1) },
            { statement in try value.withUnsafeBytes { try statement.bindBlob($0, at: 1) } },
            { statement in
                try statement.bindBlob(UnsafeRawBufferPointer(start: nil, count: 0), at: 1)
                if !value.isEmpty { try statement.bindBlob(value, at: 1) }
            },
        ]
        for bind in ways {
            try roundTrip(bind) {
                #expect($0.columnType(0) == .blob)
                #expect(!$0.isNull(at: 0))
                #expect(Array($0.blob(at: 0)) == value)
                #expect($0.int64(at: 1) == value.count)
            }
        }
        let echo = try connection.prepare("SELECT typeof(?1), ?1")
        try value.withUnsafeBytes {
            try echo.bindBlob(borrowing: $0, at: 1)
            #expect(try echo.step())
            #expect(echo.text(at: 0) == "blob")
            #expect(Array(echo.blob(at: 1)) == value)
            echo.reset()
            echo.clearBindings()
        }
    }

    @Test("NULL reads as zero, empty or nil")
    func null() throws {
        try roundTrip {
            try $0.bind(5, at: 1)
            try $0.bindNull(at: 1)
        } _: {
            #expect($0.columnType(0) == .null)
            #expect($0.isNull(at: 0))
            #expect($0.int64(at: 0) == 0)
            #expect($0.double(at: 0) == 0)
            #expect($0.text(at: 0) == "")
            #expect($0.optionalText(at: 0) == nil)
            #expect($0.blob(at: 0).isEmpty)
        }
    }

    @Test("columns are counted, and parameters are found by their names")
    func names() throws {
        let statement = try connection.prepare("SELECT :a AS first, @b AS second, ?3, $d")
        #expect(statement.columnCount == 4)
        #expect(statement.parameterIndex(named: "$d") == 4)
        #expect(statement.parameterIndex(named: "d") == nil)
    }

    @Test("a statement can be bound and run again after its last row and after an error")
    func reuse() throws {
        try connection.execute("CREATE TABLE u (x UNIQUE)")
        let insert = try connection.prepare("INSERT INTO u VALUES (?1)")
        for value in [1, 2, 1, 3] as [Int64] {
            try insert.bind(value, at: 1)
            do { try insert.run() } catch { #expect(error.code == constraintViolation) }
        }
        #expect(try connection.column("SELECT x FROM u") == ["1", "2", "3"])
        let select = try connection.prepare("SELECT count(*) FROM u WHERE x >= ?1")
        for bound in 1...3 as ClosedRange<Int64> {
            try select.bind(bound, at: 1)
            var counts: [Int64] = []
            while try select.step() { counts.append(select.int64(at: 0)) }
            #expect(counts == [4 - bound])
        }
    }

    @Test("binding at an invalid index or during a query throws an error")
    func wrongBinding() throws {
        let statement = try connection.prepare("SELECT ?1")
        for index in [0, 2, -1, Int(Int32.max)] {
            #expect(try sqliteError { try statement.bind(1, at: index) }.code == 25)
        }
        try statement.bind(5, at: 1)
        #expect(try statement.step())
        let error = try sqliteError { try statement.bind(6, at: 1) }
        #expect(error.isMisuse)
        #expect(error.message.contains("reset"))
        #expect(statement.int64(at: 0) == 5)
    }

    @Test("missing columns, and columns without a row, read as NULL")
    func wrongColumns() throws {
        let statement = try connection.prepare("SELECT 5")
        #expect(statement.int64(at: 0) == 0)
        #expect(try statement.step())
        for index in [-1, 1, Int(Int32.max)] {
            #expect(statement.isNull(at: index))
            #expect(statement.text(at: index) == "")
        }
    }

    @Test("run ignores the rows of a statement")
    func returning() throws {
        try connection.prepare("INSERT INTO t VALUES (1), (2) RETURNING x").run()
        #expect(try connection.scalar("SELECT count(*) FROM t") == 2)
    }

    @Test("a syntax error has the byte offset of the token", arguments: ["SELECT 1; ", ""])
    func syntaxError(before: String) throws {
        let sql = before + "SELECT 'ä', FROM t"
        let error = try sqliteError { try connection.execute(sql) }
        #expect(error.code == 1)
        #expect(error.sql == sql)
        #expect(error.offset == before.utf8.count + 13)
        #expect(
            error.description
                == #"SQLite error 1: near "FROM": syntax error at byte \#(before.utf8.count + 13) of the statement"#
        )
    }

    @Test("a constraint error has the extended code and the SQL text, but its description has no values")
    func constraintError() throws {
        try connection.execute("CREATE TABLE u (x UNIQUE); INSERT INTO u VALUES ('secret')")
        let error = try sqliteError { try connection.execute("INSERT INTO u VALUES ('secret')") }
        #expect(error.code == constraintViolation)
        #expect(error.extendedCode == 2067)
        #expect(error.message == "UNIQUE constraint failed: u.x")
        #expect(error.sql == "INSERT INTO u VALUES ('secret')")
        #expect(!"\(error)".contains("secret"))
    }

    @Test(
        "preparing anything but exactly one statement throws an error",
        arguments: ["", " \n-- nothing\n;", "SELECT 1; SELECT 2", "SELECT 1; nonsense"]
    )
    func oneStatement(sql: String) throws {
        #expect(throws: SQLiteError.self) { _ = try connection.prepare(sql) }
    }

    @Test(
        "a statement may be followed by spaces, semicolons and comments",
        arguments: ["SELECT 1;", "SELECT 1 ; -- end\n /* really */ ; "]
    )
    func blankTail(sql: String) throws {
        #expect(try connection.prepare(sql).step())
    }

    @Test("a NUL in the SQL text is an error, not the end of the text")
    func nulInSQL() throws {
        for sql in ["SELECT 1\0", "SELECT 1; \0 DELETE FROM t", "\0"] {
            let error = try sqliteError { _ = try connection.prepare(sql) }
            #expect(error.message.contains("NUL"))
            #expect(
                try sqliteError { try connection.execute(sql) }.offset
                    == sql.utf8.firstIndex(of: 0)?.utf16Offset(in: sql)
            )
        }
    }

    @Test("the statement cache returns the same statement again, unless it is in use")
    func cache() throws {
        let first = try connection.cachedStatement("SELECT 1")
        #expect(try connection.cachedStatement("SELECT 1") === first)
        #expect(try first.step())
        let second = try connection.cachedStatement("SELECT 1")
        #expect(second !== first)
        #expect(try second.step())
        first.reset()
        #expect(try connection.cachedStatement("SELECT 1") === first)
    }

    @Test("a full statement cache evicts only statements that are not in use")
    func cacheCapacity() throws {
        connection.statementCacheCapacity = 3
        let kept = try connection.cachedStatement("SELECT 0")
        #expect(try kept.step())
        for number in 1...10 { #expect(try connection.scalar("SELECT \(number)") == Int64(number)) }
        kept.reset()
        #expect(try connection.cachedStatement("SELECT 0") === kept)
    }

    @Test("scalars are nil without a row and for NULL")
    func scalars() throws {
        #expect(try connection.scalar("SELECT NULL") == nil)
        #expect(try connection.scalar("SELECT x FROM t") == nil)
        #expect(try connection.scalarText("SELECT NULL") == nil)
        #expect(try connection.scalarText("SELECT 'a' UNION ALL SELECT 'b'") == "a")
        #expect(try connection.scalarText("PRAGMA encoding") == "UTF-8")
    }
}
