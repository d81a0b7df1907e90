import DocumentStore
import Fleece
import Foundation
import QueryEngine
import TestSupport
import Testing

@testable import DatabaseRuntime

@Suite("Shared state of a query")
struct QueryCoreTests {
    private let directory: TemporaryDirectory
    private let database: DatabaseCore

    init() throws {
        directory = try TemporaryDirectory()
        var options = DatabaseFile.Options()
        options.supportQueries()
        database = try DatabaseCore("db", at: directory.url.appendingPathComponent("db.cblite2").path, options)
    }

    private func query(_ text: String) throws -> QueryCore {
        QueryCore(.success(try SQLPlusPlus.parse(text)), reportsMatches: false)
    }

    @Test("a query is compiled once, and each observer of it is the same")
    func compiling() throws {
        let query = try query("SELECT COUNT(*), MISSING, COUNT(*) + 1 FROM _")
        let (first, second) = (try query.prepared(on: database), try query.prepared(on: database))
        #expect(first === second)
        let (observer, same) = (try query.observer(on: database), try query.observer(on: database))
        #expect(observer === same)
        let rows = try query.run(on: database, QueryCancellation())
        #expect(rows.count == 1)
        #expect(rows.json(row: 0) == "[0,null,1]")
    }

    @Test("an invalid query throws its error at each run")
    func invalid() {
        let query = QueryCore(.failure(.invalidQuery("no columns")), reportsMatches: false)
        #expect(throws: QueryError.self) { try query.prepared(on: database) }
        #expect(throws: QueryError.self) { try query.run(on: database, QueryCancellation()) }
    }

    @Test("a run with values of its own needs one for each parameter, and ignores those that were set")
    func parameters() throws {
        let query = try query("SELECT COUNT(*) + $a FROM _")
        #expect(throws: QueryError.self) { try query.run(on: database, QueryCancellation(), parameters: QueryParameters()) }
        query.setParameters(.failure(QueryError.invalidQuery("cannot be encoded")))
        #expect(throws: QueryError.self) { try query.run(on: database, QueryCancellation()) }
        var values = QueryParameters()
        var encoder = Encoder()
        encoder.write(Int64(7))
        values["a"] = try encoder.finishedData()
        #expect(try query.run(on: database, QueryCancellation(), parameters: values).json(row: 0) == "[7]")
    }

    @Test("a query of a closed database cannot be run or observed")
    func closed() throws {
        let query = try query("SELECT COUNT(*) FROM _")
        _ = try query.run(on: database, QueryCancellation())
        try database.close()
        #expect(throws: StoreError.self) { try query.run(on: database, QueryCancellation()) }
        #expect(throws: StoreError.self) { try query.observer(on: database) }
    }
}
