import ConformanceSupport
import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Execution of the conformance queries")
struct ConformanceExecutionTests {
    @Test(
        "the conformance file has at least 498 cases, of which at least 490 are run",
        .enabled(if: ConformanceCase.isSpecification, "another table is run")
    )
    func isRead() {
        #expect(ConformanceCase.all.count >= 498)
        #expect(ConformanceCase.toRun.count >= 490)
    }

    @Test("a conformance query returns the expected columns and rows or the expected error", arguments: ConformanceCase.toRun)
    func conforms(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            let database = try Self.database(for: row)
            if row["error"] != nil {
                let error = #expect(throws: QueryError.self) { try Self.run(row, on: database) }
                if row["stage"]?.string == "run", let message = row["message"]?.string {
                    #expect(error?.message == message)
                }
                return
            }
            try Self.createIndexes(row, on: database)
            let (query, rows) = try Self.run(row, on: database)
            #expect(query.compiled.columnTitles == row["columns"]?.items.compactMap(\.string))
            let difference = ExpectedRows(row).difference(count: rows.count, titles: query.compiled.columnTitles) {
                rows.value(row: $0, column: $1)
            }
            let found = try (0..<rows.count).map { try rows.json($0) }
            #expect(difference == nil, "\(query.compiled.sql)\nfound \(found)")
        }
    }

    @Test("a query that only Couchbase Lite rejects runs without an error", arguments: ConformanceCase.accepted)
    func accepts(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            let database = try Self.database(for: row)
            _ = try Self.run(row, on: database)
        }
    }

    static func database(for row: Value) throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, body) in row["docs"]?.entries ?? [] { try database.save(id, try JSON.string(body)) }
        for id in row["deleted"]?.items.compactMap(\.string) ?? [] { try database.delete(id) }
        for (name, documents) in row["collections"]?.entries ?? [] {
            _ = try database.collection(name)
            for (id, body) in documents.entries { try database.save(id, try JSON.string(body), in: name) }
        }
        return database
    }

    static func createIndexes(_ row: Value, on database: QueryDatabase) throws {
        for index in row["index"]?.items ?? [] {
            let definition = IndexDefinition(
                name: index["name"]?.string ?? "",
                kind: try kind(of: index),
                text: index["n1ql"]?.string ?? "",
                condition: index["where"]?.string
            )
            try database.indexes.create(definition, on: try database.collection())
        }
    }

    private static func kind(of index: Value) throws -> IndexDefinition.Kind {
        switch index["type"]?.string {
        case "fts":
            return .fullText(
                FullTextIndexOptions(language: index["language"]?.string, ignoresAccents: index["ignoreAccents"]?.boolean ?? false)
            )
        case "array": return .array(path: index["path"]?.string ?? "")
        default: return .value
        }
    }

    @discardableResult
    private static func run(_ row: Value, on database: QueryDatabase) throws -> (PreparedQuery, RecordedRows) {
        if row["error"] != nil { try createIndexes(row, on: database) }
        let select: SelectStatement
        if row["language"]?.string == "json", let query = row["query"] {
            select = try QueryJSON.parse(try JSON.string(query))
        } else {
            select = try SQLPlusPlus.parse(row["query"]?.string ?? "")
        }
        let query = try PreparedQuery(select, on: database.file, databaseName: "db")
        let parameters = try row["params"].map { try QueryParameters(json: try JSON.string($0)) }
        return (query, try query.run(on: database.file, parameters: parameters ?? QueryParameters()))
    }
}
