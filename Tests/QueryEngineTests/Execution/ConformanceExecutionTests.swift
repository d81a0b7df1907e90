import DocumentStore
import Fleece
import Foundation
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

/// A row of the conformance file, to be run whole (Query 10).
struct ConformanceCase: Sendable, CustomStringConvertible {
    let name: String
    let row: FleeceData

    var description: String { name }

    /// The file with the rows; another one can be given in the environment.
    static let file: URL =
        ProcessInfo.processInfo.environment["QUERY_CONFORMANCE"].map { URL(fileURLWithPath: $0) }
        ?? Fixtures.shared.appendingPathComponent("spec/query-conformance.json")

    static let all: [ConformanceCase] = {
        guard let bytes = try? Data(contentsOf: file),
            let rows = try? bytes.withUnsafeBytes({ try JSON.fleece($0) })
        else { return [] }
        return rows.withRoot { root in
            guard let array = root.array else { return [] }
            return (0..<array.count).compactMap { index in
                guard let row = array[index], let name = row["name"]?.string else { return nil }
                var encoder = Encoder()
                encoder.write(row, keys: .same)
                return (try? encoder.finishedData()).map { ConformanceCase(name: name, row: $0) }
            }
        } ?? []
    }()

    /// Rows with a deliberate deviation: `NOT meta().deleted` means what it says (Query A12).
    private static let deviations: Set<String> = ["deleted-07"]

    static let toRun = all.filter { $0.reasonToWait == nil && !deviations.contains($0.name) }

    /// Why a row is not run yet; nil for those that are.
    var reasonToWait: String? {
        if name.hasPrefix("fts") { return "full-text indexes cannot be created yet" }
        let kinds = row.root?["index"]?.items.compactMap { $0["type"]?.string } ?? []
        if kinds.contains("fts") { return "full-text indexes cannot be created yet" }
        return kinds.contains("array") ? "array indexes cannot be created yet" : nil
    }
}

extension Value {
    subscript(key: String) -> Value? { dictionary?.value(for: key) }

    var items: [Value] { array.map { array in (0..<array.count).compactMap { array[$0] } } ?? [] }

    var entries: [(String, Value)] {
        dictionary.map { $0.pairs.map { ($0.key.text(.empty) ?? "", $0.value) } } ?? []
    }

    /// Whether this is the same JSON value, numbers compared by value with some tolerance.
    func matches(_ other: Value) -> Bool {
        guard type == other.type else { return false }
        switch type {
        case .number:
            guard let left = double, let right = other.double else { return false }
            return left == right || abs(left - right) <= 1e-12 * max(abs(left), abs(right))
        case .array:
            return items.count == other.items.count && zip(items, other.items).allSatisfy { $0.matches($1) }
        case .dictionary:
            return entries.count == other.entries.count
                && entries.allSatisfy { key, value in other[key].map { value.matches($0) } ?? false }
        default:
            return (try? JSON.string(self)) == (try? JSON.string(other))
        }
    }
}

@Suite("Conformance, in full", .enabled(if: Fixtures.areAvailable, "needs the shared folder"))
struct ConformanceExecutionTests {
    @Test("the file is read completely")
    func isRead() {
        #expect(ConformanceCase.all.count >= 476)
        #expect(ConformanceCase.all.count { $0.reasonToWait == nil } >= 420)
    }

    @Test("a query gives the rows of the original", arguments: ConformanceCase.toRun)
    func conforms(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            let database = try Self.database(for: row)
            if row["error"] != nil {
                // What the original refuses for reasons of its own, and we accept (Query 2.7, A8, A11, A17).
                guard !["syntax-13", "index-partial-2"].contains(test.name) else { return }
                let error = #expect(throws: QueryError.self) { try Self.run(row, on: database) }
                if row["stage"]?.string == "run", let message = row["message"]?.string {
                    #expect(error?.message == message)
                }
                return
            }
            try Self.createIndexes(row, on: database)
            let (query, rows) = try Self.run(row, on: database)
            #expect(query.compiled.columnTitles == row["columns"]?.items.compactMap(\.string))
            try Self.compare(rows, titles: query.compiled.columnTitles, with: row, sql: query.compiled.sql)
        }
    }

    private static func database(for row: Value) throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, body) in row["docs"]?.entries ?? [] { try database.save(id, try JSON.string(body)) }
        for id in row["deleted"]?.items.compactMap(\.string) ?? [] { try database.delete(id) }
        for (name, documents) in row["collections"]?.entries ?? [] {
            _ = try database.collection(name)
            for (id, body) in documents.entries { try database.save(id, try JSON.string(body), in: name) }
        }
        return database
    }

    private static func createIndexes(_ row: Value, on database: QueryDatabase) throws {
        for index in row["index"]?.items ?? [] {
            let definition = IndexDefinition(
                name: index["name"]?.string ?? "",
                text: index["n1ql"]?.string ?? "",
                condition: index["where"]?.string
            )
            try database.indexes.create(definition, on: try database.collection())
        }
    }

    @discardableResult
    private static func run(_ row: Value, on database: QueryDatabase) throws -> (PreparedQuery, RecordedRows) {
        if row["error"] != nil { try createIndexes(row, on: database) }
        let select: Select
        if row["language"]?.string == "json", let query = row["query"] {
            select = try QueryJSON.parse(try JSON.string(query))
        } else {
            select = try SQLPlusPlus.parse(row["query"]?.string ?? "")
        }
        let query = try PreparedQuery(select, on: database.file, databaseName: "db")
        let parameters = try row["params"].map { try QueryParameters(json: try JSON.string($0)) }
        return (query, try query.run(on: database.file, parameters: parameters ?? QueryParameters()))
    }

    private static func compare(_ rows: RecordedRows, titles: [String], with row: Value, sql: String) throws {
        let expected = row["expect"]?.items ?? []
        let found = try (0..<rows.count).map { try rows.json($0) }
        let comment = Comment(rawValue: "\(sql)\nexpected \(try expected.map { try JSON.string($0) })\nfound \(found)")
        guard rows.count == expected.count else {
            Issue.record("\(rows.count) rows in place of \(expected.count)\n\(comment)")
            return
        }
        func equals(_ index: Int, _ expectedRow: Value) -> Bool {
            titles.indices.allSatisfy { column in
                switch (rows.value(row: index, column: column), expectedRow[titles[column]]) {
                case (nil, nil): true
                case (let value?, let wanted?): value.matches(wanted)
                default: false
                }
            }
        }
        if row["ordered"]?.boolean ?? true {
            for (index, wanted) in expected.enumerated() { #expect(equals(index, wanted), comment) }
        } else {
            var left = Array(0..<rows.count)
            for wanted in expected {
                guard let match = left.firstIndex(where: { equals($0, wanted) }) else {
                    Issue.record(comment)
                    return
                }
                left.remove(at: match)
            }
        }
    }
}
