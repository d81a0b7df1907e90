import DocumentStore
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Index checks and renewal")
struct IndexRenewalTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("db.cblite2") }

    init() throws {
        directory = try TemporaryDirectory()
        let database = try QueryDatabase(path: path, directory: directory)
        for name in ["_default._default", "Shop.Items"] {
            let collection = try database.collection(name)
            for n in 0..<5 {
                try database.save(
                    "d\(n)",
                    #"{"v":[\#(n + 5000)],"tags":["t\#(n)",null],"s":"Running \#(n)"}"#,
                    in: name
                )
            }
            let suffix = name == "Shop.Items" ? "2" : "1"
            try database.indexes.create(IndexDefinition(name: "value" + suffix, text: "v"), on: collection)
            try database.indexes.create(IndexDefinition(name: "array" + suffix, kind: .array(path: "tags"), text: ""), on: collection)
            let english = FullTextIndexOptions(language: "en")
            try database.indexes.create(IndexDefinition(name: "Words" + suffix, kind: .fullText(english), text: "s"), on: collection)
        }
    }

    /// The findings of a check of the database before it is opened for writing.
    private func findings(_ prepare: (QueryDatabase) throws -> Void = { _ in }) throws -> [String] {
        let database = try QueryDatabase(path: path, directory: directory)
        try prepare(database)
        return try BundleChecker(database.file).findings().map(\.description)
    }

    /// Changes the file like a program that computes other keys.
    private func spoil(isMarkKept: Bool) throws {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        defer { try? connection.close() }
        let flags: FunctionFlags = [.deterministic, .innocuous]
        try connection.registerFunction(name: "fl_value", argumentCount: 2, flags: flags) { context, _, _ in
            FunctionContext(context).resultInt64(7)
        }
        try connection.registerFunction(name: "fl_unnested_value", argumentCount: 1, flags: flags) {
            context,
            count,
            values in
            FunctionContext(context).resultValue(FunctionArguments(count, values)[0])
        }
        try connection.registerFullTextTokenizer()
        let table = #""kv_.\Shop.\Items::\Words2""#
        try connection.execute(
            """
            REINDEX value2;
            UPDATE "\(IndexTables.hashedName(#"kv_.\Shop.\Items:unnest:tags"#))" SET body = 'other' WHERE i = 0;
            PRAGMA writable_schema=ON;
            UPDATE sqlite_master SET sql = replace(sql, 'stemmer=en', 'stemmer=sv') WHERE name LIKE '%Words2';
            PRAGMA writable_schema=RESET;
            INSERT INTO \(table) (\(table)) VALUES ('rebuild');
            PRAGMA writable_schema=ON;
            UPDATE sqlite_master SET sql = replace(sql, 'stemmer=sv', 'stemmer=en') WHERE name LIKE '%Words2';
            PRAGMA writable_schema=RESET;
            """
        )
        if !isMarkKept { try connection.execute("DELETE FROM kv_info WHERE key = 'CouchbaseLiteSwift.indexFormat'") }
    }

    @Test("a check finds wrong keys in indexes of every kind, and a rebuild corrects them")
    func checkAndReindex() throws {
        #expect(try findings() == [])
        try spoil(isMarkKept: true)
        let found = try findings()
        #expect(found.contains { $0.contains("missing from index value2") })
        #expect(
            found.contains {
                $0.hasPrefix(#"index "array2" of Shop.Items: the table"#) && $0.contains("lacks 5 elements")
            }
        )
        #expect(found.contains { $0.hasPrefix(#"index "Words2" of Shop.Items: its terms do not match its texts"#) })
        #expect(!found.contains { $0.contains("value1") || $0.contains("array1") || $0.contains("Words1") })
        let mended = try findings { database in
            try database.indexes.rebuild()
            try database.file.reindex()
        }
        #expect(mended == [])
    }

    @Test("indexes of an earlier library version are rebuilt once when the file is opened for writing")
    func renewal() throws {
        try spoil(isMarkKept: false)
        #expect(try findings() == [])
        // The file has its mark, so the rebuild is not repeated.
        try spoil(isMarkKept: true)
        #expect(try findings() != [])
    }

    @Test("opening a file read-only does not rebuild outdated indexes")
    func reading() throws {
        try spoil(isMarkKept: false)
        let database = try QueryDatabase(path: path, directory: directory, isReadOnly: true)
        let found = try BundleChecker(database.file).findings()
        #expect(!found.isEmpty)
    }

    @Test("missing triggers and SQL indexes are found by a check and recreated by a rebuild")
    func lostParts() throws {
        let found = try findings { database in
            try database.file.transaction { writer in
                try writer.connection.execute(
                    #"""
                    DROP TRIGGER "kv_default::\Words1::ins"; DROP INDEX value1; DROP INDEX array1;
                    DROP TRIGGER "\#(IndexTables.hashedName("kv_default:unnest:tags"))::del"
                    """#
                )
            }
        }
        #expect(
            found.sorted()
                == [
                    #"index "Words1" of _default._default: its trigger kv_default::\Words1::ins is missing"#,
                    #"index "array1" of _default._default: it is registered but missing in the file"#,
                    #"index "array1" of _default._default: its trigger "#
                        + "\(IndexTables.hashedName("kv_default:unnest:tags"))::del is missing",
                    #"index "value1" of _default._default: it is registered but missing in the file"#,
                ].sorted()
        )
        let mended = try findings { try $0.indexes.rebuild() }
        #expect(mended == [])
    }
}
