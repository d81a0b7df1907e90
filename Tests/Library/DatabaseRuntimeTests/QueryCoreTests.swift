import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
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

    @Test(
        "listeners get the positions of matched words if the query reports them, whether it was run before or not",
        arguments: [false, true]
    )
    func matches(isRunBefore: Bool) async throws {
        let collection = try database.defaultCollection
        try database.withFile { file in
            try IndexRegistry(file).create(
                IndexDefinition(name: "words", kind: .fullText(FullTextIndexOptions()), text: "t"),
                on: collection
            )
            try file.transaction { writer in
                _ = try collection.save(DocumentSave("a", base: .latest), in: writer) { encoder in
                    try Array(#"{"t":"one two"}"#.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
                    return false
                }
            }
        }
        let text = "SELECT META().id FROM _ WHERE MATCH(words, 'two')"
        let query = QueryCore(.success(try SQLPlusPlus.parse(text)), reportsMatches: true)
        if isRunBefore { _ = try query.run(on: database, QueryCancellation()) }
        let (outcomes, continuation) = AsyncStream.makeStream(of: QueryObserver.Outcome.self)
        let observer = try query.observer(on: database)
        let listener = observer.addListener { continuation.yield($0) }
        defer { observer.removeListener(listener) }
        var iterator = outcomes.makeAsyncIterator()
        let rows = try #require(await iterator.next()).get()
        #expect(rows.json(row: 0) == #"["a"]"#)
        #expect(rows.matches(row: 0)?.hits.map(\.bytes) == [4..<7])
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
