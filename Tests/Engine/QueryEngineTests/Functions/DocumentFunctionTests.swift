import DocumentStore
import Fleece
import QueryEngine
import SQLiteEngine
import Testing

@Suite("Document functions in SQL")
struct DocumentFunctionTests {
    @Test(
        "a property path resolves to its value or to MISSING",
        arguments: [
            ("a.b", "1"), ("a.list[0]", "10"), ("a.list[-1]", #"{"x":[true]}"#), ("a.list[-1].x[0]", "true"),
            ("a.list[2]", "-"),
            ("a.list[-3]", "-"), ("a.list.x", "-"), ("a[0]", "-"), ("`we.ird`", "2"), ("`we[0]`", "3"), ("`$x`", "4"),
            ("`ü`", "5"),
            ("`a very long key that is not shared`", "6"), ("nope.nope", "-"), ("s.length", "-"),
            ("`back\\slash`", "7"),
        ]
    )
    func paths(path: String, expected: String) throws {
        let database = try QueryDatabase()
        try database.save(
            "doc",
            #"{"a":{"b":1,"list":[10,{"x":[true]}]},"we.ird":2,"we[0]":3,"$x":4,"ü":5,"a very long key that is not shared":6,"back\\slash":7,"s":"t"}"#
        )
        #expect(try database.value(path) == expected)
        // The same inside a value that was read from the document.
        #expect(try database.value("{'copy': *}.copy.\(path)") == expected)
    }

    @Test("a malformed property path throws an error", arguments: ["a..b", "a[", "a[x]", "a[99999999999]", "\\", "a[0]b", "a.[0]", "[-]"])
    func malformedPaths(path: String) throws {
        let database = try QueryDatabase()
        try database.save("doc", "{}")
        try database.file.read { context in
            let statement = try context.connection.prepare("SELECT fl_value(body, ?1) FROM kv_default")
            try statement.bindText(path, at: 1)
            let error = #expect(throws: SQLiteError.self) { try statement.step() }
            #expect(error?.message == "invalid property path '\(path)'")
        }
    }

    @Test("values of all types are returned unchanged")
    func kinds() throws {
        let json =
            #"{"a":[1,[],{}],"b":true,"big":18446744073709551615,"d":1.5,"e":"","f":false,"i":-9000000000,"n":null,"o":{"k":{}}}"#
        let database = try QueryDatabase()
        try database.save("doc", json)
        #expect(try database.value("*") == json)
        #expect(
            try database.rows("SELECT a, b, big, d, e, f, i, n, o, nope FROM _")
                == [#"[1,[],{}] true 18446744073709551615 1.5 "" false -9000000000 null {"k":{}} -"#]
        )
    }

    @Test("arrays and dictionaries are equal if their encoded bytes are equal")
    func canonicalForm() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"v":{"aa":"text","zz":500}}"#)
        try database.save("b", #"{"v":{"aa":"text","zz":5000}}"#)
        func search(_ json: String) throws -> [String] {
            let parameters = try QueryParameters(json: #"{"v":\#(json)}"#)
            return try database.rows("SELECT meta().id FROM _ WHERE v = $v", parameters)
        }
        #expect(try database.rows("SELECT meta().id FROM _ WHERE v = {'zz': 500, 'aa': 'text'}") == [#""a""#])
        #expect(try search(#"{"zz":500,"aa":"text"}"#) == [#""a""#])
        // A parameter is copied like the document's value; a literal is encoded again (Storage format 5.7).
        #expect(try search(#"{"aa":"text","zz":5000}"#) == [#""b""#])
        #expect(try database.rows("SELECT meta().id FROM _ WHERE v = {'aa': 'text', 'zz': 5000}") == [])
    }

    @Test("blob contents, full-text values and revision IDs are available in SQL")
    func others() throws {
        let database = try QueryDatabase()
        let digest = try database.file.blobs.store(Array("blob content".utf8))
        try database.save(
            "doc",
            #"{"p":{"@type":"blob","digest":"\#(digest.string)","length":12},"t":["a",1,true,{"k":"b"},null,2.5]}"#
        )
        try database.file.read { context in
            try context.refreshSharedKeysForTest()
            let connection = context.connection
            #expect(try connection.scalarText("SELECT CAST(fl_blob(body, 'p') AS TEXT) FROM kv_default") == "blob content")
            #expect(try connection.scalar("SELECT fl_blob(body, 't') IS NULL FROM kv_default") == 1)
            #expect(try connection.scalarText("SELECT fl_fts_value(body, 't') FROM kv_default") == " a 1 T   2.5 b")
            #expect(try connection.scalar("SELECT fl_fts_value(body, 'x') IS NULL FROM kv_default") == 1)
            let version = try connection.scalarText("SELECT fl_version(version) FROM kv_default")
            #expect(version?.hasPrefix("1-") == true && version?.utf8.count == 42)
        }
    }

    @Test("an array index whose table has an index outside of the array or dictionary yields no value", arguments: ["a", "o"])
    func elements(path: String) throws {
        let database = try QueryDatabase()
        try database.save("doc", #"{"a":[true,1],"o":{"p":true,"q":1}}"#)
        try database.file.read { context in
            try context.refreshSharedKeysForTest()
            let connection = context.connection
            func isMissing(_ index: String) throws -> Bool {
                try connection.scalar("SELECT fl_indexed_element(1, \(index), body, '\(path)') IS NULL FROM kv_default") == 1
            }
            #expect(try !isMissing("0") && !isMissing("1"))
            for index in ["-1", "2", "-9223372036854775808", "9223372036854775807"] { #expect(try isMissing(index)) }
        }
    }

    @Test("fl_each iterates over arrays, dictionary values and single values")
    func each() throws {
        let database = try QueryDatabase()
        try database.save("doc", #"{"a":[1,"x",null,[2]],"o":{"p":1,"q":{"r":2}},"s":"single","e":[]}"#)
        try database.file.read { context in
            try context.refreshSharedKeysForTest()
            func rows(_ arguments: String) throws -> [String] {
                let statement = try context.connection.prepare(
                    "SELECT each.rowid, each.key, value, type FROM kv_default AS d, fl_each(\(arguments)) AS each"
                )
                defer { statement.finalize() }
                var rows: [String] = []
                while try statement.step() {
                    let value = statement.columnType(2) == .blob ? "blob" : statement.text(at: 2)
                    rows.append("\(statement.int64(at: 0)) \(statement.optionalText(at: 1) ?? "-") \(value) \(statement.int64(at: 3))")
                }
                return rows
            }
            #expect(try rows("d.body, 'a'") == ["0 - 1 2", "1 - x 3", "2 - blob 0", "3 - blob 5"])
            #expect(try rows("d.body, 'o'") == ["0 p 1 2", "1 q blob 6"])
            #expect(try rows("d.body, 's'") == ["0 - single 3"])
            #expect(try rows("fl_value(d.body, 'o'), 'q'") == ["0 r 2 2"])
            #expect(try rows("fl_value(d.body, 's')") == ["0 - single 3"])
            #expect(try rows("d.body, 'e'") == [] && rows("d.body, 'nope'") == [] && rows("NULL") == [])
            #expect(try rows("d.body").count == 4)
            #expect(throws: SQLiteError.self) { try rows("d.body, 'a['") }
        }
    }
}

extension ConnectionContext {
    /// Reads the keys of the last commit, as a query does before its first row.
    func refreshSharedKeysForTest() throws {
        _ = try connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
        try refreshSharedKeys()
    }
}
