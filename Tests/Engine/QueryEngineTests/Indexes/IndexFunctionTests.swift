import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("SQL functions in indexes")
struct IndexFunctionTests {
    /// Every function that an index may call, with every possible number of arguments.
    private static let calls: [String] = {
        let literals = [
            "fl_null()", "fl_bool(1)", "fl_root(body)", "fl_exists(body, 'a')", "fl_count(body, 'a')",
            "fl_contains(body, 'a', 1)", "fl_blob(body, 'a')", "fl_version(version)",
            "dict_of('k', fl_value(body, 'a'))",
            "fl_nested_value(fl_value(body, 'a'), 'b')", "isvalued(fl_value(body, 'a'))",
            "fl_like(fl_value(body, 'a'), 'x%', 'NOCASE')", "contains(fl_value(body, 'a'), 'x', 'LCUnicode_C__')",
            "fl_value(body, 'a') COLLATE LCUnicode_CD_sv",
        ]
        // Functions without an argument do not depend on a document; trimming anything other than white space is an error.
        let functions = QueryFunction.all.filter { !$0.isAggregate && $0.maximumArguments != 0 && $0.name != "prediction" }.flatMap {
            function in
            let least = max(function.minimumArguments, 1)
            let most = function.name.hasSuffix("trim") ? 1 : min(function.maximumArguments ?? .max, least + 2)
            return (least...most).map { count in
                let arguments = Array(repeating: "fl_value(body, 'a')", count: count)
                return "\(function.sqlName)(\(arguments.joined(separator: ", ")))"
            }
        }
        return literals + functions
    }()

    private func options(isReadOnly: Bool = false) -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.isReadOnly = isReadOnly
        return options
    }

    private func withFile(_ path: String, _ options: DatabaseFile.Options, _ body: (DatabaseFile) throws -> Void) throws {
        let file = try DatabaseRegistry.open(path, options: options)
        defer { try? DatabaseRegistry.close(file) }
        try body(file)
    }

    @Test("an index that searches for texts of combining marks only, regardless of accents, finds none")
    func searchedMarks() throws {
        let database = try QueryDatabase()
        let collection = try database.collection()
        try database.save("before", #"{"name":"e\u0301","mark":"\u0301"}"#)
        try database.indexes.create(IndexDefinition(name: "i", text: "contains(name, mark) COLLATE (UNICODE NODIAC)"), on: collection)
        try database.save("mark", #"{"name":"\u0301","mark":"\u0301\u0302"}"#)
        try database.save("empty", #"{"name":"","mark":"\u0301"}"#)
        try database.save("letter", #"{"name":"\u00E9","mark":"e"}"#)
        let rows = try database.rows("SELECT meta().id FROM _ WHERE contains(name, mark) = TRUE COLLATE (UNICODE NODIAC)")
        #expect(rows == [#""letter""#])
    }

    @Test(
        "an index on a mathematical function is refused if Couchbase Lite could not compute it for an existing document",
        arguments: [
            ("round(v)", ["1", "true", "null", ""], [#""x""#, "[1]", "{}"]),
            ("round_even(v, 1)", ["1.5", "null", ""], [#""1""#]), ("trunc(v)", ["1.5", "null", ""], [#""1""#]),
            ("abs(sign(v))", ["-1", "false"], [#""1""#, "null", ""]), ("power(v, 2)", ["3"], ["null", ""]),
            ("atan2(1, v)", ["3"], [#""1""#, ""]), ("div(v, 2), floor(v)", ["1", "null", "", #""x""#], []),
        ]
    )
    func refusedNumbers(text: String, accepted: [String], refused: [String]) throws {
        let database = try QueryDatabase()
        let collection = try database.collection()
        func body(_ value: String) -> String { value.isEmpty ? "{}" : #"{"v":\#(value)}"# }
        for value in accepted {
            try database.save("doc", body(value))
            try database.indexes.create(IndexDefinition(name: "i", text: text), on: collection)
            #expect(try database.indexes.indexes(of: collection).count == 1, "\(value)")
            try database.indexes.delete("i", on: collection)
        }
        try database.indexes.create(IndexDefinition(name: "i", text: "n"), on: collection)
        for value in refused {
            try database.save("doc", body(value))
            let error = #expect(throws: QueryError.self, "\(value)") {
                try database.indexes.create(IndexDefinition(name: "i", text: text), on: collection)
            }
            #expect(error?.kind == .invalidQuery)
            // The old index was kept, and the function itself does not fail.
            #expect(try database.indexes.indexes(of: collection).map(\.expressions) == ["n"])
            #expect(try database.rows("SELECT \(text) FROM _").count == 1)
        }
    }

    @Test("a document that an existing index cannot refuse is saved with null, and does not prevent a rebuild")
    func laterDocuments() throws {
        let database = try QueryDatabase()
        let collection = try database.collection()
        try database.save("number", #"{"v":1.5,"ok":true}"#)
        try database.indexes.create(IndexDefinition(name: "i", text: "round(v)"), on: collection)
        try database.save("text", #"{"v":"x"}"#)
        try database.file.reindex()
        #expect(try database.indexes.indexes(of: collection).count == 1)
        #expect(try BundleChecker(database.file).findings() == [])
        // Only documents in the index count.
        try database.indexes.create(IndexDefinition(name: "partial", text: "trunc(v)", condition: "ok"), on: collection)
        #expect(try database.indexes.indexes(of: collection).count == 2)
    }

    @Test("a file whose indexes call every function can be opened, checked, copied and encrypted")
    func opens() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("db.cblite2")
        try withFile(path, options()) { file in
            try file.transaction { writer in
                for (number, call) in Self.calls.enumerated() {
                    try writer.connection.execute("CREATE INDEX \"i\(number)\" ON kv_default (\(call))")
                }
            }
        }
        func save(_ id: String, in file: DatabaseFile) throws {
            guard let collection = try file.collection(.default) else { return }
            try file.transaction { writer in
                _ = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.endDictionary()
                    return false
                }
            }
        }
        try withFile(path, options()) { file in
            try save("one", in: file)
            try file.reindex()
            try file.compact()
            #expect(try BundleChecker(file).findings() == [])
        }
        try withFile(path, options(isReadOnly: true)) { file in
            #expect(try BundleChecker(file).findings() == [])
            let count = try file.collection(.default)?.count()
            #expect(count == 1)
        }
        let copy = directory.path("copy.cblite2")
        try DatabaseCopy.copy(BundlePath(path), to: BundlePath(copy), options: options())
        try withFile(copy, options()) { file in
            try DatabaseRegistry.changeKey(of: file, to: EncryptionSecret(key: Array(repeating: 7, count: 32)))
            try save("two", in: file)
            #expect(try BundleChecker(file).findings() == [])
        }
    }
}
