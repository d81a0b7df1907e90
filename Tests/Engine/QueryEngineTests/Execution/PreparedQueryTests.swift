import ConformanceSupport
import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Testing

@Suite("Prepared queries")
struct PreparedQueryTests {
    @Test("parameters of every type are bound, and unbound parameters are MISSING")
    func parameters() throws {
        let database = try QueryDatabase()
        try database.save("doc", #"{"t":true,"a":[1,{"k":2}]}"#)
        let query = try database.prepare("SELECT $i, $u, $d, $s, $n, $unset, $a, t = $b, isboolean($b), a = $a, $data FROM _")
        var parameters = try QueryParameters(json: #"{"i":-5,"u":18446744073709551615,"d":1.5,"s":"x","n":null,"a":[1,{"k":2}],"b":true}"#)
        var encoder = Encoder()
        [1, 2, 3].withUnsafeBytes { encoder.write(data: UnsafeRawBufferPointer(rebasing: $0[0..<3])) }
        parameters["data"] = try encoder.finishedData()
        let rows = try query.run(on: database.file, parameters: parameters)
        #expect(try rows.json(0) == #"-5 1.8446744073709552e+19 1.5 "x" - - [1,{"k":2}] true false true "AQAA""#)
        // No parameters remain for the next run.
        #expect(try query.run(on: database.file).json(0) == "- - - - - - - - - - -")
        #expect(throws: QueryError(.invalidQueryParameter, "Unknown query property 'zzz'")) {
            try query.run(on: database.file, parameters: QueryParameters(json: #"{"zzz":1}"#))
        }
    }

    @Test("query results stay unchanged after later saves, and equal results are recognized")
    func rowsOutlive() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"v":["long enough to be out of line"],"n":1}"#)
        let query = try database.prepare("SELECT v, n FROM _")
        let before = try query.run(on: database.file)
        #expect(try before.hasSameRows(as: query.run(on: database.file)))
        try database.save("a", #"{"v":"changed","n":1}"#)
        let after = try query.run(on: database.file)
        #expect(!before.hasSameRows(as: after))
        #expect(try before.json(0) == #"["long enough to be out of line"] 1"#)
        #expect(try after.json(0) == #""changed" 1"#)
    }

    @Test("cell values of every size are read back", arguments: [0, 1, 2, 14, 15, 16, 127, 128, 40_000])
    func cells(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let database = try QueryDatabase()
        try database.save("a", #"{"t":"\#(text)","i":\#(length * 1_000_003),"d":\#(length).25}"#)
        let rows = try database.prepare("SELECT t, i, d, -i, nope, [t] FROM _").run(on: database.file)
        #expect(rows.count == 1)
        #expect(rows.value(row: 0, column: 0)?.string == text)
        #expect(rows.value(row: 0, column: 1)?.int64 == Int64(length * 1_000_003))
        #expect(rows.value(row: 0, column: 2)?.double == Double(length) + 0.25)
        #expect(rows.value(row: 0, column: 3)?.int64 == Int64(length * -1_000_003))
        #expect(rows.value(row: 0, column: 4) == nil)
        #expect(rows.value(row: 0, column: 5)?.items.first?.string == text)
        for (row, column) in [(-1, 0), (1, 0), (0, -1), (0, 6)] { #expect(rows.value(row: row, column: column) == nil) }
    }

    @Test("a document of the maximum depth can be a query result")
    func deepDocument() throws {
        let database = try QueryDatabase()
        let depth = Limits.maximumDepth - 1
        let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        try database.save("a", "{\"a\":\(array)}")
        #expect(try database.rows("SELECT * FROM _") == ["{\"a\":\(array)}"])
        // A value with one more level cannot be built.
        #expect(try database.rows("SELECT [*] FROM _") == ["-"])
    }

    @Test("a query in a transaction sees the transaction's changes and new keys")
    func insideTransaction() throws {
        let database = try QueryDatabase()
        let query = try database.prepare("SELECT brandNew.part FROM _ WHERE brandNew IS VALUED")
        #expect(try query.run(on: database.file).count == 0)
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try database.file.transaction { _ in
                try database.save("a", #"{"brandNew":{"part":1}}"#)
                #expect(try query.run(on: database.file).json(0) == "1")
                throw Undo()
            }
        }
        #expect(try query.run(on: database.file).count == 0)
        // Another key now has the number of this key.
        try database.save("b", #"{"other":0,"part":5,"brandNew":{"part":2}}"#)
        #expect(try query.run(on: database.file).json(0) == "2")
    }

    @Test("a second connection sees committed documents with new keys")
    func twoOpenings() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"first":1}"#)
        let reader = try database.reopenedForReading()
        let query = try reader.prepare("SELECT first, second FROM _ ORDER BY meta().id")
        #expect(try query.run(on: reader.file).json(0) == "1 -")
        try database.save("b", #"{"second":{"third":2}}"#)
        let rows = try query.run(on: reader.file)
        #expect(try (0..<rows.count).map { try rows.json($0) } == ["1 -", #"- {"third":2}"#])
    }

    @Test("explain returns the SQL, the query plan and the query as JSON")
    func explain() throws {
        let database = try QueryDatabase()
        let text = try database.prepare("SELECT a FROM _ WHERE b = 1").explain(on: database.file)
        let parts = text.components(separatedBy: "\n\n")
        #expect(parts.count == 3)
        #expect(parts.first?.hasPrefix("SELECT fl_result(_.body, 'a') FROM kv_default AS _ WHERE") == true)
        #expect(parts[1].hasSuffix("| SCAN _"))
        #expect(parts.last == #"{"WHAT":[[".a"]],"FROM":[{"COLLECTION":"_"}],"WHERE":["=",[".b"],1]}"# + "\n")
    }

    @Test("a missing collection throws a query error")
    func errors() throws {
        let database = try QueryDatabase()
        #expect(throws: QueryError.invalidQuery("no such collection \"nope\"")) {
            try database.prepare("SELECT a FROM nope")
        }
        let people = try database.collection("people")
        let query = try database.prepare("SELECT a FROM people")
        try database.file.deleteCollection(people.id)
        #expect(throws: QueryError.self) { try query.run(on: database.file) }
    }

    @Test("the error for a misspelt collection suggests the nearest one and lists at most ten")
    func misspeltCollection() throws {
        let database = try QueryDatabase()
        func description(_ query: String) throws -> String {
            try #require(#expect(throws: QueryError.self) { try database.prepare(query) }).description
        }
        #expect(try description("SELECT a FROM nope") == "no such collection \"nope\"; the collections are _default")
        _ = try database.file.createCollection(CollectionID(name: "hotels", scope: "travel"))
        _ = try database.collection("people")
        let list = "the collections are _default, people, travel.hotels"
        #expect(try description("SELECT a FROM poeple") == "no such collection \"poeple\"; did you mean people? \(list)")
        #expect(try description("SELECT a FROM Hotels") == "no such collection \"Hotels\"; did you mean travel.hotels? \(list)")
        #expect(try description("SELECT a FROM hotls") == "no such collection \"hotls\"; did you mean travel.hotels? \(list)")
        for number in 10..<25 { _ = try database.collection("c\(number)") }
        let long = try description("SELECT a FROM nope")
        #expect(long.hasSuffix(" and 8 more"))
        #expect(long.split(separator: ",").count == 10)
    }

    @Test("a query over a damaged body returns its row without crashing")
    func hostileBodies() throws {
        let database = try QueryDatabase()
        let original =
            #"{"name":"some name","list":[1,2.5,"three",{"k":[true,null]}],"o":{"x":{"y":"a longer string than inline"}},"n":70000}"#
        try database.save("doc", original)
        let collection = try database.collection()
        let document = try #require(try collection.document("doc"))
        let bytes = withExtendedLifetime(document) { [UInt8](document.body.bytes) }
        let text = """
            SELECT *, name, list[3].k, o.x.y, n, array_count(list), array_sum(list), tostring(n), lower(name), type(o), [o, list],
            EVERY v IN list SATISFIES v > 0 END, ANY v IN o SATISFIES v.y LIKE '%a' END FROM _
            WHERE (ANY v IN list SATISFIES v = 'three' END) OR name IS NOT MISSING OR TRUE ORDER BY list
            """
        let query = try database.prepare(text)
        let unnest = try database.prepare("SELECT v, v.k FROM _ AS d UNNEST d.list AS v")
        var changes = stride(from: 0, to: bytes.count * 8, by: 3).map { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            return changed
        }
        changes += (0..<bytes.count).map { Array(bytes[0..<$0]) } + [[], [0], [0x80, 0x01], [0x70]]
        for changed in changes {
            try database.file.transaction { writer in
                let statement = try writer.connection.cachedStatement("UPDATE kv_default SET body = ?1")
                try statement.bindBlob(changed, at: 1)
                try statement.run()
                let rows = try query.run(on: database.file)
                #expect(rows.count == 1)
                for column in rows.columnTitles.indices {
                    _ = try rows.value(row: 0, column: column).map { try JSON.string($0) }
                }
                _ = try unnest.run(on: database.file)
            }
        }
    }
}
