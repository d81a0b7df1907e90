import DocumentStore
import SQLiteEngine
import Testing

@testable import QueryEngine
@testable import QueryLanguage

@Suite("Recording of rows")
struct RowRecorderTests {
    /// The number of rows that are recorded with a limit of 4096 bytes.
    private func record(_ sql: String, columns: Int, hidden: Int = 0) throws -> Int {
        let query = CompiledQuery(
            sql: sql,
            columnTitles: (0..<columns).map { "c\($0)" },
            hiddenColumnCount: hidden,
            parameterNames: [],
            sources: [],
            fullTextTables: []
        )
        let database = try QueryDatabase()
        return try database.file.read { context in
            let statement = try context.connection.prepare(sql)
            defer { statement.finalize() }
            let table = RowMatches.Table(name: "table", columns: ["column"])
            var recorder = RowRecorder(query, searching: hidden > 0 ? table : nil, limit: 4096)
            while try statement.step() { try recorder.record(statement) }
            return recorder.finish().count
        }
    }

    @Test("the limit of a result counts cells without a value, the matches of its rows, and each value before it is copied")
    func limit() throws {
        func rows(_ count: Int, of columns: String) -> String {
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT \(columns) FROM n"
        }
        let hits = "printf('%.*c', 800, '1 ')"
        #expect(try record(rows(1000, of: "NULL"), columns: 1) == 1000)
        #expect(try record(rows(10, of: "1, '0 0 0 1', 'x'"), columns: 1, hidden: 2) == 10)
        #expect(try record(rows(1, of: "printf('%.*c', 4000, 'x')"), columns: 1) == 1)
        let refused: [(String, Int, Int)] = [
            (rows(1100, of: "NULL"), 1, 0), (rows(10, of: "1, \(hits), 'x'"), 1, 2), (rows(1, of: "printf('%.*c', 5000, 'x')"), 1, 0),
        ]
        for (sql, columns, hidden) in refused {
            let error = #expect(throws: QueryError.self) { try record(sql, columns: columns, hidden: hidden) }
            #expect(error?.message == "the result of the query is larger than 2 GiB")
        }
    }
}
