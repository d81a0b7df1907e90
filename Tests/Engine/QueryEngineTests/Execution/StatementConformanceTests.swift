import ConformanceSupport
import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import TestSupport
import Testing

@Suite("Conformance of statements that change documents")
struct StatementConformanceTests {
    @Test("the file has at least 100 statements")
    func isRead() {
        #expect(ConformanceCase.statements.count >= 100)
    }

    @Test("a statement makes the expected changes and returns the expected rows", arguments: ConformanceCase.statements, [false, true])
    func conforms(test: ConformanceCase, inBatch: Bool) throws {
        try test.row.withRoot { row in
            let database = try ConformanceExecutionTests.database(for: row)
            try ConformanceExecutionTests.createIndexes(row, on: database)
            let result = Result { try Self.run(row, on: database, inBatch: inBatch) }
            if row["error"] != nil {
                #expect(throws: (any Error).self) { try result.get() }
                if case .failure(let error) = result {
                    #expect(Self.code(of: error) == row["error"]?.string)
                    #expect("\(error)".contains(row["message"]?.string ?? ""), "\(error)")
                }
            } else {
                let outcome = try result.get()
                #expect(Int64(outcome.count) == row["count"]?.int64)
                #expect(outcome.rows.columnTitles == row["columns"]?.items.compactMap(\.string) ?? [])
                let difference = ExpectedRows(row).difference(count: outcome.rows.count, titles: outcome.rows.columnTitles) {
                    outcome.rows.value(row: $0, column: $1)
                }
                #expect(difference == nil)
            }
            try Self.checkDocuments(row, on: database)
        }
    }

    @Test("a path of 200,000 steps is an error", arguments: ["SET %@ = 1", "UNSET %@", "SET x = 1, %@ = MISSING"])
    func longPaths(change: String) throws {
        let database = try QueryDatabase()
        try database.save("d", "{}")
        let path = "a" + String(repeating: ".a", count: 199_999)
        let statement = try #require(try SQLPlusPlus.parseDataStatement("UPDATE _ " + change.replacing("%@", with: path)))
        let error = #expect(throws: QueryError.self) { try statement.run(on: database.file, databaseName: "db") }
        #expect(error?.message.hasPrefix("the path of a property has more than ") == true)
    }

    private static func run(_ row: Value, on database: QueryDatabase, inBatch: Bool) throws -> DataStatementOutcome {
        let parameters = try row["params"].map { try QueryParameters(json: try JSON.string($0)) } ?? QueryParameters()
        let statement = try #require(try SQLPlusPlus.parseDataStatement(row["statement"]?.string ?? ""))
        func run() throws -> DataStatementOutcome {
            try statement.run(on: database.file, databaseName: "db", parameters: parameters)
        }
        guard inBatch else { return try run() }
        let result = try database.file.transaction { _ in Result { try run() } }
        return try result.get()
    }

    private static func checkDocuments(_ row: Value, on database: QueryDatabase) throws {
        for name in [nil] + (row["collections"]?.entries.map { $0.0 } ?? []) {
            guard let expected = ExpectedDocuments(row, in: name) else { continue }
            let query = try database.prepare("SELECT meta(d).id AS id, d FROM \(name ?? "_") AS d")
            let rows = try query.run(on: database.file)
            let found = (0..<rows.count).compactMap { index -> (String, Value)? in
                guard let id = rows.value(row: index, column: 0)?.string, let body = rows.value(row: index, column: 1) else { return nil }
                return (id, body)
            }
            #expect(expected.difference(found) == nil)
        }
        guard let then = row["then"] else { return }
        let rows = try database.prepare(then["query"]?.string ?? "").run(on: database.file)
        let difference = ExpectedRows(then).difference(count: rows.count, titles: rows.columnTitles) { rows.value(row: $0, column: $1) }
        #expect(difference == nil)
    }

    /// Returns the name of the error code in the file.
    private static func code(of error: any Error) -> String? {
        let code = (error as? QueryError)?.kind.rawValue ?? (error as? StoreError)?.code
        return code.flatMap { [9: "invalidParameter", 23: "invalidQuery", 25: "invalidQueryParam", 29: "badDocID"][$0] }
    }
}
