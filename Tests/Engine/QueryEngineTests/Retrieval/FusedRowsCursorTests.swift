import DocumentStore
import SQLiteEngine
import Testing

@testable import QueryEngine

@Suite("Fused rows in SQL")
struct FusedRowsCursorTests {
    private final class Cursors {
        var all: [FusedRowsCursor] = []
    }

    /// Returns the rows of a query as texts, and how often those of `counted_rows` have been computed.
    private func run(_ sql: String) throws -> (rows: [String], fusions: Int) {
        let database = try QueryDatabase()
        let cursors = Cursors()
        let function = FusedRowsCursor.tableFunction {
            let cursor = FusedRowsCursor()
            cursors.all.append(cursor)
            return cursor
        }
        let rows = try database.file.read { context in
            try context.connection.registerTableFunction(name: "counted_rows", function)
            return try context.connection.texts(sql)
        }
        return (rows, cursors.all.map(\.fusionCount).reduce(0, +))
    }

    private static let outer = "WITH numbers(n) AS (VALUES (1), (2), (2), (3)) SELECT n || ':' || docid FROM numbers CROSS JOIN"

    @Test("the rows are computed once for all rows of another source")
    func join() throws {
        // A hit has 16 bytes.
        let (rows, fusions) = try run("\(Self.outer) counted_rows(zeroblob(16), NULL, 'rrf', NULL, NULL, NULL, 10)")
        #expect(rows == ["1:0", "2:0", "2:0", "3:0"])
        #expect(fusions == 1)
    }

    @Test(
        "the rows are computed again when an argument has changed",
        arguments: [
            "zeroblob(16 * n), NULL, 'rrf', NULL, NULL, NULL, 10", "NULL, zeroblob(16 * n), 'rrf', NULL, NULL, NULL, 10",
            "zeroblob(16), NULL, 'rrf', n, NULL, NULL, 10", "zeroblob(16), NULL, 'rrf', NULL, n, NULL, 10",
            "zeroblob(16), NULL, 'rrf', NULL, NULL, n, 10", "zeroblob(16), NULL, 'rrf', NULL, NULL, NULL, n",
        ]
    )
    func changedArguments(arguments: String) throws {
        #expect(try run("\(Self.outer) counted_rows(\(arguments))").fusions == 3)
    }

    @Test("the rows of each call are those of its arguments")
    func rows() throws {
        let rows = try run("\(Self.outer) counted_rows(zeroblob(32), NULL, 'rrf', NULL, NULL, NULL, 3 - n)").rows
        #expect(rows == ["1:0", "1:0", "2:0", "2:0"])
    }

    @Test("a distance that is NULL or infinite is behind all others")
    func distances() throws {
        let hits = "(SELECT fl_ranked(column1, column2) FROM (VALUES (1, NULL), (2, 5.0), (3, 9e999), (4, 1.0)))"
        for (fusion, rows) in [("weighted", ["4 1.0", "2 0.0", "1 0.0", "3 0.0"]), ("rrf", ["4 0.5", "2 0.33", "1 0.25", "3 0.2"])] {
            let k = fusion == "rrf" ? "1" : "NULL"
            let call = "counted_rows(NULL, \(hits), '\(fusion)', \(k), NULL, 1, 10)"
            #expect(try run("SELECT docid || ' ' || round(score, 2) FROM \(call)").rows == rows)
        }
    }
}
