import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import Synchronization
import TestSupport
import Testing

@testable import DatabaseRuntime

@Suite("Items of the rows of a query that is observed")
struct RowObservationTests {
    private struct Refused: Error {}

    private let directory: TemporaryDirectory
    private let database: DatabaseCore

    init() throws {
        directory = try TemporaryDirectory()
        var options = DatabaseFile.Options()
        options.supportQueries()
        database = try DatabaseCore("db", at: directory.url.appendingPathComponent("db.cblite2").path, options)
    }

    private func subscription(_ text: String = "SELECT META().id FROM _ ORDER BY META().id") throws -> RowSubscription {
        let query = QueryCore(.success(try SQLPlusPlus.parse(text)), reportsMatches: false)
        return RowSubscription(database.observedQueries, try query.observer(on: database))
    }

    private func save(_ id: String, _ number: Int = 1) throws {
        let collection = try database.defaultCollection
        let outcome = try database.withFile { file in
            try file.transaction { writer in
                try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("number")
                    encoder.write(Int64(number))
                    encoder.endDictionary()
                    return false
                }
            }
        }
        guard case .saved = outcome else { throw Refused() }
    }

    @Test("the first result is a change even if it is empty, and later ones only if a row is different")
    func comparison() throws {
        let query = QueryCore(.success(try SQLPlusPlus.parse("SELECT META().id, number FROM _")), reportsMatches: false)
        func run() throws -> RecordedRows { try query.run(on: database, QueryCancellation()) }
        var comparison = RowComparison()
        let empty = try #require(comparison.change(to: try run(), by: .column(0)))
        #expect(empty.difference.isEmpty && empty.oldRows.count == 0)
        try save("a")
        #expect(comparison.change(to: try run(), by: .column(0))?.difference.inserted == [0])
        #expect(comparison.change(to: try run(), by: .column(0)) == nil)
        try save("a", 2)
        let update = try #require(comparison.change(to: try run(), by: .column(0)))
        #expect(update.difference.updated.count == 1 && update.oldRows.count == 1 && update.rows.count == 1)
        #expect(update.rows.jsonObject(row: 0) == #"{"id":"a","number":2}"#)
        #expect(throws: QueryError.self) { try RowIdentity.column("name", of: update.rows) }
    }

    @Test("the first result is returned even if it is empty, and afterwards only items of new rows are made")
    func changes() async throws {
        let made = Mutex<[String]>([])
        var observation = RowObservation(try subscription(), by: .column(0)) { rows in
            { row in
                let item = rows.json(row: row)
                made.withLock { $0.append(item) }
                return item
            }
        }
        #expect(try await observation.nextOrEnd(isolation: nil)?.items == [])
        try save("b")
        #expect(try await observation.nextOrEnd(isolation: nil)?.items == [#"["b"]"#])
        try save("a")
        let change = try #require(try await observation.nextOrEnd(isolation: nil))
        #expect(change.oldItems == [#"["b"]"#] && change.items == [#"["a"]"#, #"["b"]"#])
        #expect(change.difference.inserted == [0] && change.difference.removed.isEmpty)
        #expect(made.withLock { $0 } == [#"["b"]"#, #"["a"]"#])
    }

    @Test("after an error of an item, the next result is returned, or the end if the sequence must end")
    func errors() async throws {
        let refuses = Mutex(true)
        let itemMaker: RowObservation<Int>.ItemMaker = { _ in
            { row in
                if refuses.withLock({ $0 }) { throw Refused() }
                return row
            }
        }
        try save("a")
        var ending = RowObservation(try subscription(), by: .column(0), itemMaker)
        await #expect(throws: Refused.self) { try await ending.nextOrEnd(isolation: nil) }
        #expect(try await ending.nextOrEnd(isolation: nil) == nil)

        var continuing = RowObservation(try subscription(), by: .column(0), itemMaker)
        await #expect(throws: Refused.self) { try await continuing.next(isolation: nil) }
        refuses.withLock { $0 = false }
        try save("b")
        #expect(try await continuing.next(isolation: nil)?.items == [0, 1])
    }

    @Test("an observation ends when the database is closed or released, and after the error of a query that cannot be observed")
    func end() async throws {
        var released = RowObservation<Int>(try subscription(), by: .wholeRow) { _ in nil }
        #expect(try await released.next(isolation: nil) == nil)
        var failing = RowObservation<Int>(failingWith: Refused())
        await #expect(throws: Refused.self) { try await failing.next(isolation: nil) }
        #expect(try await failing.next(isolation: nil) == nil)
        var closed = RowObservation(try subscription(), by: .wholeRow) { _ in { $0 } }
        _ = try await closed.next(isolation: nil)
        try database.close()
        #expect(try await closed.next(isolation: nil) == nil)
    }
}
