import ConformanceSupport
import CouchbaseLiteSwift
import Fleece
import Foundation
import QueryLanguage
import TestSupport
import Testing

/// The rows of the conformance file about statements, as texts and, if possible, expressed with the builder.
@Suite("Conformance of statements as texts and with the builder")
struct StatementConformanceTests {
    private struct Outcome {
        let count: Int
        let rows: [Result]
    }

    @Test("a statement as text makes the expected changes", arguments: ConformanceCase.statements)
    func text(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            try Self.check(row) { database in
                let parameters = try Self.parameters(row)
                let result = try database.execute(QueryText(verbatim: row["statement"]?.string ?? ""), parameters: parameters)
                return Outcome(count: result.changedCount, rows: result.rows.allResults())
            }
        }
    }

    @Test("a statement expressed with the builder makes the expected changes", arguments: ConformanceCase.statements)
    func built(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            guard let statement = try? SQLPlusPlus.parseDataStatement(row["statement"]?.string ?? "") else { return }
            do {
                try Self.check(row) { database in
                    let result = try Self.execute(statement, on: database, try Self.parameters(row))
                    return Outcome(count: result.changedCount, rows: result.rows.allResults())
                }
            } catch let error as NotExpressible {
                #expect(Self.notExpressible.contains(error.what), "\(error.what)")
            }
        }
    }

    @Test("the builder can express most UPDATE and DELETE statements of the file")
    func coverage() throws {
        let folder = try DatabaseFolder()
        defer { withExtendedLifetime(folder) {} }
        let expressed = try ConformanceCase.statements.count { test in
            try test.row.withRoot { row -> Bool in
                guard let statement = try? SQLPlusPlus.parseDataStatement(row["statement"]?.string ?? "") else { return false }
                let database = try folder.open()
                _ = try database.createCollection(name: "items", scope: "shop")
                do {
                    _ = try Self.execute(statement, on: database, try Self.parameters(row))
                } catch {
                    return !(error is NotExpressible)
                }
                return true
            } ?? false
        }
        #expect(expressed >= 40)
    }

    /// What statements of the builder cannot express.
    private static let notExpressible: Set<String> = [
        "INSERT", "MISSING", "||", "CASE", "EXISTS", "IN an expression", "an unknown collection", "a nested SELECT",
    ]

    private static func parameters(_ row: Value) throws -> Parameters {
        let parameters = Parameters()
        for (name, value) in row["params"]?.entries ?? [] {
            parameters.setValue(try BuilderConformanceTests.plain(value), forName: name)
        }
        return parameters
    }

    private static func execute(_ statement: DataStatement, on database: Database, _ parameters: Parameters) throws -> StatementResult {
        let translation = BuilderTranslation(to: database)
        let expressions = BuilderExpressions(sources: [statement.target])
        let source = try translation.dataSource(statement.target)
        let condition = try statement.condition.map { try expressions.expression($0) }
        let limit = try statement.limit.map { try expressions.expression($0) }
        let results = try statement.returning.map { try translation.item($0, expressions) }
        switch statement.change {
        case .insert: throw NotExpressible("INSERT")
        case .delete:
            var built = QueryBuilder.delete(from: source)
            if let condition { built = built.where(condition) }
            if let limit { built = built.limit(limit) }
            for result in results { built = built.returning(result) }
            return try built.execute(parameters: parameters)
        case .update(let assignments):
            var built = QueryBuilder.update(source)
            for assignment in assignments {
                let path = assignment.path.encoded
                built = try assignment.value.map { built.set(path, to: try expressions.expression($0)) } ?? built.unset(path)
            }
            if let condition { built = built.where(condition) }
            if let limit { built = built.limit(limit) }
            for result in results { built = built.returning(result) }
            return try built.execute(parameters: parameters)
        }
    }

    /// Runs a statement on the documents of the row, and compares the outcome with the row.
    private static func check(_ row: Value, _ execute: (Database) throws -> Outcome) throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        try BuilderConformanceTests.fill(database, with: row)
        do {
            let outcome = try execute(database)
            #expect(row["error"] == nil)
            #expect(Int64(outcome.count) == row["count"]?.int64)
            try checkRows(outcome.rows, row)
        } catch let error as NotExpressible {
            throw error
        } catch let error as NSError where row["error"] != nil {
            #expect(error.domain == CBLError.domain)
            #expect(codes[row["error"]?.string ?? ""] == error.code, "\(error)")
            #expect(error.localizedDescription.contains(row["message"]?.string ?? ""), "\(error)")
        }
        for name in [nil] + (row["collections"]?.entries.map { $0.0 } ?? []) {
            guard let expected = ExpectedDocuments(row, in: name) else { continue }
            let query = try database.createQuery("SELECT meta(d).id AS id, d FROM \(name ?? "_") AS d")
            let found = try query.execute().map { result in
                (id: result.string(at: 0) ?? "", body: try JSON.fleece(result.dictionary(at: 1)?.toJSON() ?? "{}"))
            }
            let difference = expected.difference(found.compactMap { document in document.body.root.map { (document.id, $0) } })
            #expect(difference == nil)
        }
        guard let then = row["then"] else { return }
        try checkRows(try database.createQuery(then["query"]?.string ?? "").execute().allResults(), then)
    }

    private static func checkRows(_ results: [Result], _ row: Value) throws {
        let rows = try results.map { try JSON.fleece($0.toJSON()) }
        let titles = row["columns"]?.items.compactMap(\.string) ?? results.first?.keys ?? []
        let difference = ExpectedRows(row).difference(count: rows.count, titles: titles) { rows[$0].root?[titles[$1]] }
        #expect(difference == nil, "found \(results.map { $0.toJSON() })")
    }

    private static let codes = [
        "invalidParameter": CBLError.invalidParameter, "invalidQuery": CBLError.invalidQuery,
        "invalidQueryParam": CBLError.invalidQueryParam, "badDocID": CBLError.badDocID,
    ]
}
