import DocumentStore
import Fleece
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("SQL functions in indexes")
struct IndexFunctionTests {
    /// Every function that an index may call, as often as it takes different numbers of arguments.
    private static let calls: [String] = {
        let literals = [
            "fl_null()", "fl_bool(1)", "fl_root(body)", "fl_exists(body, 'a')", "fl_count(body, 'a')",
            "fl_contains(body, 'a', 1)", "fl_blob(body, 'a')", "fl_version(version)",
            "dict_of('k', fl_value(body, 'a'))",
            "fl_nested_value(fl_value(body, 'a'), 'b')", "isvalued(fl_value(body, 'a'))",
            "fl_like(fl_value(body, 'a'), 'x%', 'NOCASE')", "contains(fl_value(body, 'a'), 'x', 'LCUnicode_C__')",
            "fl_value(body, 'a') COLLATE LCUnicode_CD_sv",
        ]
        // Those without an argument say nothing of a document; trimming something else than white space is an error.
        let functions = QueryFunction.all.filter { !$0.isAggregate && $0.maximumArguments != 0 }.flatMap { function in
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
