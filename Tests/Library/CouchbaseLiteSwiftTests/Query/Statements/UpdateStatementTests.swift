import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("UPDATE and DELETE statements")
struct UpdateStatementTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    private func save(_ id: String, _ json: String) throws {
        try collection.save(document: try MutableDocument(id: id, json: json))
    }

    private func json(_ id: String) throws -> String {
        let document = try #require(try collection.document(id: id))
        return try sortedJSON(document.toJSON())
    }

    private func sortedJSON(_ text: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return String(decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
    }

    @discardableResult
    private func execute(_ text: String, _ parameters: [String: Any] = [:]) throws -> StatementResult {
        try database.execute(QueryText(verbatim: text), parameters: Parameters(parameters))
    }

    private func code(_ body: () throws -> Void) -> ErrorCode? {
        do {
            try body()
            return nil
        } catch let error as NSError {
            return ErrorCode(domain: error.domain, code: error.code)
        }
    }

    private let invalidQuery = ErrorCode(domain: CBLError.domain, code: CBLError.invalidQuery)

    @Test("UPDATE changes the properties of the selected documents, and keeps all others")
    func set() throws {
        try save("a", #"{"type":"x","n":1,"flag":true,"list":[1,{"k":null}],"inner":{"z":1.5}}"#)
        try save("b", #"{"type":"y","n":1}"#)
        let result = try execute("UPDATE _ SET n = n + 1, label = 'new' WHERE type = 'x'")
        #expect(result.changedCount == 1)
        #expect(result.rows.next() == nil)
        #expect(try json("a") == #"{"flag":true,"inner":{"z":1.5},"label":"new","list":[1,{"k":null}],"n":2,"type":"x"}"#)
        #expect(try json("b") == #"{"n":1,"type":"y"}"#)
    }

    @Test("UPDATE computes all values from the document before the change")
    func simultaneous() throws {
        try save("a", #"{"x":1,"y":2}"#)
        try execute("UPDATE _ SET x = y, y = x")
        #expect(try json("a") == #"{"x":2,"y":1}"#)
    }

    @Test("UPDATE changes each document once, also if it still satisfies the condition")
    func once() throws {
        for index in 0..<50 { try save("d\(index)", #"{"n":\#(index)}"#) }
        try collection.createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
        #expect(try execute("UPDATE _ SET n = n + 1 WHERE n >= 0").changedCount == 50)
        #expect(try collection.document(id: "d49")?.int(forKey: "n") == 50)
        #expect(try execute("SELECT meta().id FROM _ WHERE n = 1").rows.allResults().map { $0.string(at: 0) } == ["d0"])
    }

    @Test(
        "paths reach into dictionaries and arrays",
        arguments: [
            (#"{"a":{"b":1,"c":2}}"#, "SET a.b = 7", #"{"a":{"b":7,"c":2}}"#),
            (#"{}"#, "SET a.b.c = 7", #"{"a":{"b":{"c":7}}}"#),
            (#"{"a":null}"#, "SET a.b = 7", #"{"a":{"b":7}}"#),
            (#"{"a":"text"}"#, "SET a.b = 7", #"{"a":"text"}"#),
            (#"{"a":[1,2,3]}"#, "SET a[0] = 7, a[-1] = 9", #"{"a":[7,2,9]}"#),
            (#"{"a":[1,2,3]}"#, "SET a[3] = 7", #"{"a":[1,2,3]}"#),
            (#"{"a":[1,2,3]}"#, "UNSET a[1]", #"{"a":[1,3]}"#),
            (#"{"a":[{"x":1},{"x":2}]}"#, "SET a[1].x = 7, a[0].y = 8", #"{"a":[{"x":1,"y":8},{"x":7}]}"#),
            (#"{"a":1}"#, "SET a[0] = 7", #"{"a":1}"#),
            (#"{}"#, "SET a[0] = 7", #"{}"#),
            (#"{"a":{"b":1},"c":2}"#, "UNSET a.b, c", #"{"a":{}}"#),
            (#"{"a":1}"#, "UNSET x.y.z", #"{"a":1}"#),
            (#"{"a":1,"b":2}"#, "SET a = missing", #"{"b":2}"#),
            (#"{"a":1}"#, "SET a = nothing.here", #"{}"#),
            (#"{"a":1}"#, "SET a = null", #"{"a":null}"#),
            (#"{"a":1}"#, "SET a = {'x': [true, missing, 1.5], 'y': missing, 'z': a}", #"{"a":{"x":[true,1.5],"z":1}}"#),
            (#"{"a":1}"#, "SET `b.c` = 2", #"{"a":1,"b.c":2}"#),
            (#"{"a":2}"#, "SET b = a > 1, c = NOT a", #"{"a":2,"b":true,"c":false}"#),
            (#"{"a":1}"#, "SET b = 1 UNSET a SET c = 2", #"{"b":1,"c":2}"#),
        ]
    )
    func paths(_ before: String, _ change: String, _ after: String) throws {
        try save("a", before)
        // A change without effect does not count.
        #expect(try execute("UPDATE _ \(change)").changedCount == (after == before ? 0 : 1))
        #expect(try json("a") == after)
    }

    @Test("names that look the same but differ in their bytes are different properties")
    func lookalikes() throws {
        try save("a", "{\"\u{e9}\":1,\"e\u{301}\":2}")
        try execute("UPDATE _ SET `\u{e9}` = 7 UNSET `e\u{301}`")
        let keys = try #require(try collection.document(id: "a")).keys
        #expect(keys.map { Array($0.utf8) } == [Array("\u{e9}".utf8)])
    }

    @Test("an alias and the name of the collection can precede the path")
    func aliases() throws {
        let hotels = try database.createCollection(name: "hotels", scope: "travel")
        try hotels.save(document: MutableDocument(id: "h", data: ["stars": 3]))
        try execute("UPDATE travel.hotels AS h SET h.stars = h.stars + 1 WHERE h.stars = 3")
        try execute("UPDATE travel.hotels SET hotels.name = 'Ritz' WHERE meta().id = 'h'")
        try execute("UPDATE travel.hotels h SET h.`set` = 1;")
        let document = try #require(try hotels.document(id: "h"))
        #expect(document.int(forKey: "stars") == 4)
        #expect(document.string(forKey: "name") == "Ritz")
        #expect(document.int(forKey: "set") == 1)
    }

    @Test("values of parameters keep their types")
    func parameters() throws {
        try save("a", "{}")
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try execute(
            "UPDATE _ SET yes = $yes, n = $n, d = $d, list = $list, sub = {'inner': $yes}, nothing = $nothing, at = $at",
            ["yes": true, "n": UInt64.max, "d": 2.0, "list": [1, "x", false] as [Any], "nothing": NSNull(), "at": date]
        )
        let document = try #require(try collection.document(id: "a"))
        #expect(document.value(forKey: "yes") as? Bool == true)
        #expect((document.value(forKey: "n") as? NSNumber)?.uint64Value == .max)
        #expect(document.double(forKey: "d") == 2)
        #expect(document.array(forKey: "list")?.toJSON() == #"[1,"x",false]"#)
        #expect(document.dictionary(forKey: "sub")?.toJSON() == #"{"inner":true}"#)
        #expect(document.value(forKey: "nothing") is NSNull)
        #expect(document.date(forKey: "at") == date)
    }

    @Test("a new blob in a parameter is stored, and survives a compaction")
    func blobs() throws {
        try save("a", "{}")
        let content = Data("some text".utf8)
        try execute("UPDATE _ SET file = $file", ["file": Blob(contentType: "text/plain", data: content)])
        try database.performMaintenance(type: .compact)
        #expect(try collection.document(id: "a")?.blob(forKey: "file")?.content == content)
        try execute("UPDATE _ SET other = 1")
        try database.performMaintenance(type: .compact)
        #expect(try collection.document(id: "a")?.blob(forKey: "file")?.content == content)
    }

    @Test("every parameter must be set, and no other one")
    func parameterNames() throws {
        try save("a", #"{"n":1}"#)
        let wrong = ErrorCode(domain: CBLError.domain, code: CBLError.invalidQueryParam)
        #expect(code { try execute("UPDATE _ SET n = $x") } == wrong)
        #expect(code { try execute("UPDATE _ SET n = $x", ["x": 1, "y": 2]) } == wrong)
        #expect(code { try execute("SELECT n FROM _ WHERE n = $x") } == wrong)
        #expect(code { try execute("DELETE FROM _ WHERE n = $x") } == wrong)
        #expect(try json("a") == #"{"n":1}"#)
        #expect(try execute("SELECT n FROM _ WHERE n = $x", ["x": 1]).rows.allResults().count == 1)
    }

    @Test("DELETE deletes the selected documents")
    func delete() throws {
        for index in 0..<10 { try save("d\(index)", #"{"n":\#(index)}"#) }
        let result = try execute("DELETE FROM _ WHERE n >= $least RETURNING meta().id AS id, n", ["least": 7])
        #expect(result.changedCount == 3)
        #expect(result.rows.allResults().map { $0.toJSON() }.sorted() == [7, 8, 9].map { #"{"id":"d\#($0)","n":\#($0)}"# })
        #expect(collection.count == 7)
        #expect(try execute("DELETE FROM _ LIMIT 2").changedCount == 2)
        #expect(try execute("DELETE FROM _").changedCount == 5)
        #expect(try execute("DELETE FROM _").changedCount == 0)
        let deleted = try execute("SELECT count(*) FROM _ WHERE meta().deleted").rows.next()
        #expect(deleted?.int(at: 0) == 10)
    }

    @Test("RETURNING shows the documents after an update")
    func returning() throws {
        try save("a", #"{"n":1}"#)
        let rows = try execute("UPDATE _ AS d SET d.n = d.n + 1 RETURNING d.n, d.n * 10 AS ten, d").rows.allResults()
        #expect(rows.map { $0.toJSON() } == [#"{"n":2,"ten":20,"d":{"n":2}}"#])
    }

    @Test("deleted documents cannot be updated")
    func deleted() throws {
        try save("a", #"{"n":1}"#)
        try execute("DELETE FROM _")
        #expect(code { try execute("UPDATE _ SET n = 2 WHERE meta().deleted") } == invalidQuery)
        #expect(try collection.document(id: "a") == nil)
    }

    @Test(
        "an invalid statement changes nothing",
        arguments: [
            "UPDATE _", "UPDATE _ SET", "UPDATE _ SET n", "UPDATE _ SET n = ", "UPDATE _ SET 5 = 1", "UPDATE _ SET n = 1,",
            "UPDATE _ SET n = 1, n = 2", "UPDATE _ SET n = 1 UNSET n", "UPDATE _ SET a = 1, a.b = 2", "UPDATE _ SET a.b = 1, a = 2",
            "UPDATE _ SET a[0] = 1, a.b = 2", "UPDATE nowhere SET n = 1", "UPDATE _ SET n = nofunction()", "UPDATE _ SET n = 1 ORDER BY n",
            "UPDATE _ SET n = count(*)", "UPDATE _ SET n = 1 WHERE n = 1 garbage here", "UPDATE _ SET n = 1 RETURNING max(n)",
            "DELETE _", "DELETE FROM", "DELETE FROM _ SET n = 1", "DELETE FROM _ LIMIT 'x'", "DELETE FROM _ RETURNING",
            "UPDATE _ SET n = 1 RETURNING nofunction()", "UPDATE _ SET meta().id = 'x'",
        ]
    )
    func invalid(_ text: String) throws {
        try save("a", #"{"n":1}"#)
        #expect(code { try execute(text) } == invalidQuery, "\(text)")
        #expect(try json("a") == #"{"n":1}"#)
        #expect(try collection.document(id: "a")?.sequence == 1)
    }

    @Test("a statement that fails for one document changes none")
    func failure() throws {
        try save("a", #"{"n":1}"#)
        try save("b", #"{"n":2}"#)
        let reserved = ErrorCode(domain: CBLError.domain, code: CBLError.invalidParameter)
        #expect(code { try execute("UPDATE _ SET n = 5, _id = 'x'") } != nil)
        #expect(code { try execute("UPDATE _ SET n = 5, `_rev` = CASE WHEN n = 2 THEN 'x' ELSE missing END") } == reserved)
        #expect(try json("a") == #"{"n":1}"#)
        #expect(try json("b") == #"{"n":2}"#)
    }

    @Test("inside a batch a statement that fails undoes its own changes only")
    func failureInBatch() throws {
        let other = try database.createCollection(name: "other")
        let changes = Mutex<[String]>([])
        let token = collection.addChangeListener { change in changes.withLock { $0 += change.documentIDs } }
        defer { token.remove() }
        try save("a", #"{"n":1}"#)
        try save("b", #"{"n":2}"#)
        try database.inBatch {
            try save("c", #"{"n":3}"#)
            let text = "UPDATE _ SET n = 5, `_rev` = CASE WHEN meta().id = 'b' THEN 'x' ELSE missing END"
            #expect(code { try execute(text) } != nil)
            #expect(code { try execute("INSERT INTO other (KEY, VALUE) VALUES ('x', {}), ('y', 5)") } == invalidQuery)
            #expect(other.count == 0)
            try execute("UPDATE _ SET m = 1 WHERE n = 3")
            try save("d", "{}")
        }
        #expect(try json("a") == #"{"n":1}"#)
        #expect(try json("b") == #"{"n":2}"#)
        #expect(try json("c") == #"{"m":1,"n":3}"#)
        // The sequences of the failed statement were not used up.
        #expect(try collection.document(id: "d")?.sequence == 5)
        try other.save(document: MutableDocument(id: "z"))
        #expect(try other.document(id: "z")?.sequence == 1)
        try database.close()
        let again = try folder.open()
        #expect(try again.defaultCollection().count == 4)
    }

    @Test("an update notifies the listeners of the collection and of its documents")
    func listeners() async throws {
        for index in 0..<3 { try save("d\(index)", #"{"n":\#(index)}"#) }
        let (stream, continuation) = AsyncStream.makeStream(of: [String].self)
        let token = collection.addChangeListener { continuation.yield($0.documentIDs) }
        defer { token.remove() }
        try execute("UPDATE _ SET n = 9 WHERE n > 0")
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.sorted() == ["d1", "d2"])
    }

    @Test("a statement whose value has a key twice is invalid", arguments: ["{'k': 1, 'k': 2}", "[{'k': {'k': 1, 'k': n}}]"])
    func duplicateKeys(_ value: String) throws {
        try save("a", #"{"n":1}"#)
        #expect(code { try execute("UPDATE _ SET o = \(value)") } == invalidQuery)
        #expect(code { try execute("UPSERT INTO _ (KEY, VALUE) VALUES ('a', {'o': \(value)})") } == invalidQuery)
        #expect(try json("a") == #"{"n":1}"#)
    }

    @Test("a cancelled task changes nothing")
    func cancellation() async throws {
        try database.inBatch {
            for index in 0..<20_000 { try collection.save(document: MutableDocument(id: "d\(index)", data: ["n": index])) }
        }
        let database = database
        let task = Task { try await database.async.execute("UPDATE _ SET n = n + 1, m = $m", parameters: Parameters(["m": 1])) }
        // The statement has begun when another writer has to wait for it, or it is not begun at all; both end in the same state.
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try execute("SELECT meta().id FROM _ WHERE m = 1").rows.allResults().isEmpty)
        #expect(try execute("UPDATE _ SET m = 2").changedCount == 20_000)
    }

    @Test("statements can be built without text")
    func built() throws {
        for index in 0..<5 { try save("d\(index)", #"{"n":\#(index),"old":{"x":1}}"#) }
        let source = DataSource.collection(collection)
        let n = Expression.property("n")
        let update = QueryBuilder.update(source).set("n", to: n.add(Expression.int(10))).set("new.list", to: Expression.array([1, n]))
            .unset("old.x").where(n.greaterThan(Expression.parameter("least")))
        let result = try update.returning(SelectResult.property("n")).execute(parameters: Parameters(["least": 2]))
        #expect(result.changedCount == 2)
        #expect(result.rows.map { $0.int(at: 0) }.sorted() == [13, 14])
        #expect(try json("d3") == #"{"n":13,"new":{"list":[1,3]},"old":{}}"#)
        #expect(try update.limit(Expression.int(1)).execute(parameters: Parameters(["least": 2])).changedCount == 1)
        #expect(try QueryBuilder.delete(from: source).where(n.lessThan(Expression.int(2))).execute().changedCount == 2)
        #expect(code { try QueryBuilder.update(source).execute() } == invalidQuery)
        #expect(code { try QueryBuilder.update(source).set("", to: n).execute() } == invalidQuery)
        #expect(code { try QueryBuilder.update(source).set("a..b", to: n).execute() } == invalidQuery)
        #expect(collection.count == 3)
    }

    @Test("the words of the statements are still names in queries")
    func names() throws {
        try save("a", #"{"set":1,"key":2,"value":3,"update":4,"values":5,"into":6,"returning":7,"unset":8,"delete":9,"insert":10}"#)
        let text = "SELECT set, key, value, update, values, into, returning, unset, delete, insert FROM _ WHERE set = 1 AND delete = 9"
        #expect(try execute(text).rows.allResults().map { $0.count } == [10])
    }
}
