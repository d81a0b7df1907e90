import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@Suite("Query cancellation")
struct QueryCancellationTests {
    /// A database whose function `pi()` reports that a query has begun.
    private final class WatchedDatabase {
        private let directory: TemporaryDirectory
        let file: DatabaseFile
        private let begun = DispatchSemaphore(value: 0)

        private final class Signal {
            let semaphore: DispatchSemaphore

            init(_ semaphore: DispatchSemaphore) {
                self.semaphore = semaphore
            }
        }

        init() throws {
            directory = try TemporaryDirectory()
            var options = DatabaseFile.Options()
            options.prepare = { [begun] context in
                try QueryFunctions.register(on: context)
                try context.connection.registerFunction(
                    name: "pi",
                    argumentCount: 0,
                    flags: .deterministic,
                    userData: Signal(begun)
                ) { context, _, _ in
                    let context = FunctionContext(context)
                    context.userData(as: Signal.self)?.semaphore.signal()
                    context.resultDouble(.pi)
                }
            }
            file = try DatabaseRegistry.open(directory.path("db.cblite2"), options: options)
            let collection = try file.createCollection(.default)
            try file.transaction { writer in
                for number in 0..<1000 {
                    _ = try collection.save(DocumentSave("d\(number)", base: .latest), in: writer) { encoder in
                        encoder.beginDictionary()
                        encoder.endDictionary()
                        return false
                    }
                }
            }
        }

        deinit {
            try? DatabaseRegistry.close(file)
        }

        /// Runs a query on a separate thread, calls `act` when the query has begun, and returns the result.
        func outcome(
            of text: String,
            parameters: QueryParameters = QueryParameters(),
            _ cancellation: QueryCancellation,
            act: () -> Void
        ) throws -> Result<Int, any Error> {
            let query = try PreparedQuery(SQLPlusPlus.parse(text), on: file, databaseName: "db")
            let outcome = Mutex(Result<Int, any Error>?.none)
            let ended = DispatchSemaphore(value: 0)
            let file = file
            let thread = Thread {
                let found = Result { try query.run(on: file, parameters: parameters, cancellation: cancellation).count }
                outcome.withLock { $0 = found }
                ended.signal()
            }
            thread.start()
            begun.wait()
            act()
            ended.wait()
            return try #require(outcome.withLock { $0 })
        }
    }

    /// The query has 10^18 rows to process.
    private static let endless = """
        SELECT count(*) FROM _ AS a CROSS JOIN _ AS b CROSS JOIN _ AS c CROSS JOIN _ AS d CROSS JOIN _ AS e CROSS JOIN _ AS f \
        WHERE pi() > 3 AND a.x IS MISSING
        """

    @Test("a running query can be cancelled and throws a cancellation error")
    func underWay() throws {
        let database = try WatchedDatabase()
        let cancellation = QueryCancellation()
        let outcome = try database.outcome(of: Self.endless, cancellation) { cancellation.cancel() }
        #expect(throws: CancellationError.self) { try outcome.get() }
        // The connection can be used by other queries.
        let query = try PreparedQuery(SQLPlusPlus.parse("SELECT meta().id FROM _"), on: database.file, databaseName: "db")
        #expect(try query.run(on: database.file, cancellation: QueryCancellation()).count == 1000)
        #expect(try query.run(on: database.file).count == 1000)
    }

    @Test(
        "a query in a slow text function can be cancelled",
        arguments: [
            "regexp_like($text, '(a+)+\\1b')", "regexp_like($text, '(a+)+b')",
            "(($text LIKE $pattern) COLLATE (UNICODE NOCASE))",
        ]
    )
    func insideFunction(call: String) throws {
        let database = try WatchedDatabase()
        let cancellation = QueryCancellation()
        let text = String(repeating: "a", count: 300_000)
        let pattern = "%" + String(repeating: "a_", count: 50_000) + "b%"
        let names = call.contains("$pattern") ? #","pattern":"\#(pattern)""# : ""
        let parameters = try QueryParameters(json: #"{"text":"\#(text)"\#(names)}"#)
        // The function is called again for every row: the run does not continue if either the function or the run between two calls ends.
        let outcome = try database.outcome(
            of: "SELECT count(*) FROM _ AS a CROSS JOIN _ AS b WHERE pi() > 3 AND \(call) = a.x",
            parameters: parameters,
            cancellation
        ) { cancellation.cancel() }
        #expect(throws: CancellationError.self) { try outcome.get() }
    }

    @Test("a query that is cancelled before its start throws a cancellation error")
    func before() throws {
        let database = try QueryDatabase()
        let cancellation = QueryCancellation()
        cancellation.cancel()
        #expect(cancellation.isCancelled)
        let query = try database.prepare("SELECT meta().id FROM _")
        #expect(throws: CancellationError.self) { try query.run(on: database.file, cancellation: cancellation) }
    }

    /// What the function `degrees()` cancels when it is called.
    private final class Hook: Sendable {
        let cancellation = Mutex<QueryCancellation?>(nil)
    }

    @Test(
        "a statement that is cancelled between two documents changes nothing",
        arguments: [
            "DELETE FROM _", "UPDATE _ SET n = n + 1",
            "INSERT INTO _ (KEY k, VALUE v) SELECT meta().id || 'x' AS k, {'n': n} AS v FROM _",
        ]
    )
    func betweenDocuments(text: String) throws {
        let directory = try TemporaryDirectory()
        let hook = Hook()
        var options = DatabaseFile.Options()
        options.prepare = { context in
            try QueryFunctions.register(on: context)
            try context.connection.registerFunction(
                name: "degrees",
                argumentCount: 1,
                flags: [.deterministic, .innocuous],
                userData: hook
            ) { context, _, _ in
                let context = FunctionContext(context)
                context.userData(as: Hook.self)?.cancellation.withLock { $0 }?.cancel()
                context.resultDouble(1)
            }
        }
        let file = try DatabaseRegistry.open(directory.path("db.cblite2"), options: options)
        defer { try? DatabaseRegistry.close(file) }
        let collection = try file.createCollection(.default)
        let filling = try #require(try SQLPlusPlus.parseDataStatement("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'n': 1}), ('b', {'n': 2})"))
        #expect(try filling.run(on: file, databaseName: "db").count == 2)
        try IndexRegistry(file).create(IndexDefinition(name: "i", text: "degrees(n)"), on: collection)
        // The index calls the function while the first document is stored, where SQLite does not look for an interruption anymore.
        let cancellation = QueryCancellation()
        hook.cancellation.withLock { $0 = cancellation }
        let statement = try #require(try SQLPlusPlus.parseDataStatement(text))
        #expect(throws: CancellationError.self) { try statement.run(on: file, databaseName: "db", cancellation: cancellation) }
        hook.cancellation.withLock { $0 = nil }
        let query = try PreparedQuery(SQLPlusPlus.parse("SELECT n FROM _ ORDER BY n"), on: file, databaseName: "db")
        let rows = try query.run(on: file)
        #expect(try (0..<rows.count).map { try rows.json($0) } == ["1", "2"])
    }

    @Test("cancelling a finished query has no effect on later queries")
    func after() throws {
        let database = try QueryDatabase()
        try database.save("a", "{}")
        let query = try database.prepare("SELECT meta().id FROM _ WHERE regexp_like('x', 'x')")
        let cancellation = QueryCancellation()
        #expect(try query.run(on: database.file, cancellation: cancellation).count == 1)
        cancellation.cancel()
        #expect(try query.run(on: database.file).count == 1)
        try database.file.read { #expect(!$0.connection.handle.isInterrupted) }
    }
}

@Suite("Queries and schema changes")
struct RecompilationTests {
    private static let text = "SELECT p.name, c.city FROM _ AS p UNNEST p.contacts AS c WHERE c.city = 'SP'"

    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.save("a", #"{"name":"A","contacts":[{"city":"SP"},{"city":"SC"}]}"#)
        return database
    }

    private func createIndex(_ database: QueryDatabase) throws {
        let definition = IndexDefinition(name: "cities", kind: .array(path: "contacts"), text: "city", condition: nil)
        try database.indexes.create(definition, on: try database.collection())
    }

    private func rows(_ query: PreparedQuery, _ database: QueryDatabase) throws -> [String] {
        let rows = try query.run(on: database.file)
        return try (0..<rows.count).map { try rows.json($0) }
    }

    @Test("a compiled query uses an index created later, and still runs after the index is deleted")
    func arrayIndex() throws {
        let database = try database()
        let query = try database.prepare(Self.text)
        #expect(try rows(query, database) == [#""A" "SP""#])
        #expect(query.compiled.sql.contains("fl_each"))
        try createIndex(database)
        #expect(try rows(query, database) == [#""A" "SP""#])
        #expect(!query.compiled.sql.contains("fl_each"))
        #expect(try query.explain(on: database.file).contains("USING INDEX cities"))
        try database.indexes.delete("cities", on: try database.collection())
        #expect(try rows(query, database) == [#""A" "SP""#])
        #expect(try query.explain(on: database.file).contains("fl_each"))
    }

    @Test("a query notices an index deleted through another connection")
    func otherOpening() throws {
        let database = try database()
        try createIndex(database)
        let reader = try database.reopenedForReading()
        let query = try reader.prepare(Self.text)
        #expect(!query.compiled.sql.contains("fl_each"))
        try database.indexes.delete("cities", on: try database.collection())
        #expect(try rows(query, reader) == [#""A" "SP""#])
        #expect(query.compiled.sql.contains("fl_each"))
    }

    @Test("a query compiled in a transaction that is rolled back with its index runs afterwards")
    func rolledBack() throws {
        struct Undo: Error {}
        let database = try database()
        var query: PreparedQuery?
        #expect(throws: Undo.self) {
            try database.file.transaction { _ in
                try createIndex(database)
                query = try database.prepare(Self.text)
                throw Undo()
            }
        }
        let prepared = try #require(query)
        #expect(try rows(prepared, database) == [#""A" "SP""#])
        // The version that the schema had in the transaction is the version of another schema now.
        try database.indexes.create(
            IndexDefinition(name: "names", kind: .value, text: "name", condition: nil),
            on: try database.collection()
        )
        #expect(try rows(prepared, database) == [#""A" "SP""#])
    }

    @Test("a deleted full-text index throws a missing-index error, and a recreated index is found again")
    func fullText() throws {
        let database = try database()
        let definition = IndexDefinition(name: "names", kind: .fullText(FullTextIndexOptions()), text: "name", condition: nil)
        try database.indexes.create(definition, on: try database.collection())
        let query = try database.prepare("SELECT name FROM _ WHERE match(names, 'a')")
        #expect(try rows(query, database) == [#""A""#])
        try database.indexes.delete("names", on: try database.collection())
        let error = #expect(throws: QueryError.self) { try rows(query, database) }
        #expect(error?.kind == .missingIndex)
        try database.indexes.create(definition, on: try database.collection())
        #expect(try rows(query, database) == [#""A""#])
    }
}
