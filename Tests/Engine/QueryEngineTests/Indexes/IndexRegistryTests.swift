import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@Suite("Value indexes")
struct IndexRegistryTests {
    @Test(
        "queries use value indexes like Couchbase Lite",
        arguments: [
            ("n = 1", "SEARCH _ USING INDEX byN (<expr>=?)"),
            ("s LIKE 'Word 1%'", "SEARCH _ USING INDEX byS (<expr>>? AND <expr><?)"),
            ("s BETWEEN 'a' AND 'b'", "SEARCH _ USING INDEX byS (<expr>>? AND <expr><?)"),
            ("s > 'a'", "SEARCH _ USING INDEX byS (<expr>>?)"),
            ("s IN ('a', 'b')", "SEARCH _ USING INDEX byS (<expr>=?)"),
            ("s IS NULL", "SEARCH _ USING INDEX byS (<expr>=?)"),
            ("lower(s) = 'x'", "SEARCH _ USING INDEX byLower (<expr>=?)"), ("(s = 'x') COLLATE NOCASE", "SCAN _"),
            ("type = 'even' AND stars = 5", "SEARCH _ USING INDEX partial (<expr>=?)"), ("stars = 5", "SCAN _"),
            ("TRUE ORDER BY s", "SCAN _ USING INDEX byS"),
        ]
    )
    func plans(condition: String, expected: String) throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        try database.indexes.create(IndexDefinition(name: "byN", text: "n"), on: collection)
        try database.indexes.create(IndexDefinition(name: "byS", text: "s"), on: collection)
        try database.indexes.create(IndexDefinition(name: "byLower", text: "lower(s), n"), on: collection)
        try database.indexes.create(IndexDefinition(name: "partial", text: "stars", condition: "type = 'even'"), on: collection)
        #expect(try database.plan("SELECT n FROM _ WHERE \(condition)").hasSuffix("| " + expected))
    }

    @Test("indexes can be created on another collection from their definitions")
    func definitions() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        let options = [
            FullTextIndexOptions(), FullTextIndexOptions(language: "en"), FullTextIndexOptions(language: "fr", ignoresAccents: true),
            FullTextIndexOptions(language: "en", disablesStemming: true), FullTextIndexOptions(stopWords: "a the"),
        ]
        for (number, options) in options.enumerated() {
            let definition = IndexDefinition(name: "words\(number)", kind: .fullText(options), text: "s", condition: "n > 3")
            try database.indexes.create(definition, on: collection)
        }
        try database.indexes.create(IndexDefinition(name: "value", text: "n, s", condition: "n > 1"), on: collection)
        try database.indexes.create(IndexDefinition(name: "array", kind: .array(path: "list"), text: "a"), on: collection)
        let (definitions, others) = try database.indexes.definitions(of: collection)
        #expect(others == [])
        #expect(definitions.map(\.name).sorted() == ["array", "value", "words0", "words1", "words2", "words3", "words4"])
        let before = try database.indexes.indexes(of: collection).map {
            [$0.name, $0.expressions, $0.condition ?? "", $0.kind?.name ?? ""]
        }
        let other = try database.file.createCollection(CollectionID(name: "other"))
        for definition in definitions { try database.indexes.create(definition, on: other) }
        #expect(
            try database.indexes.indexes(of: other).map { [$0.name, $0.expressions, $0.condition ?? "", $0.kind?.name ?? ""] } == before
        )
        #expect(try database.indexes.definitions(of: other).definitions == definitions)
    }

    @Test("a value index follows insertions, changes, deletions and rollbacks")
    func maintenance() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        try database.indexes.create(IndexDefinition(name: "i", text: "n, deeply.nested"), on: try database.collection())
        let query = try database.prepare("SELECT meta().id FROM _ WHERE n = 3 ORDER BY meta().id")
        #expect(try query.explain(on: database.file).contains("USING INDEX i"))
        func ids() throws -> [String] {
            let rows = try query.run(on: database.file)
            return (0..<rows.count).compactMap { rows.value(row: $0, column: 0)?.string }
        }
        #expect(try ids() == ["d13", "d23", "d3", "d33"])
        try database.save("d13", #"{"n":4}"#)
        try database.delete("d23")
        try database.save("new", #"{"aKeyThatIsNew":1,"n":3}"#)
        #expect(try ids() == ["d3", "d33", "new"])
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try database.file.transaction { _ in
                try database.save("undone", #"{"n":3}"#)
                #expect(try ids().contains("undone"))
                throw Undo()
            }
        }
        #expect(try ids() == ["d3", "d33", "new"])
        #expect(try database.file.read { try $0.connection.scalarText("PRAGMA integrity_check") } == "ok")
    }

    @Test("creating the same index again keeps it, and a different definition replaces it")
    func creationAgain() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        func page() throws -> Int64? {
            try database.file.read {
                try $0.connection.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'i'")
            }
        }
        try database.indexes.create(IndexDefinition(name: "i", text: "n"), on: collection)
        let sql = "SELECT sql FROM sqlite_master WHERE name = 'i'"
        try database.indexes.create(IndexDefinition(name: "i", text: " n "), on: collection)
        // The text of the first creation is kept.
        #expect(try database.indexes.indexes(of: collection).map(\.expressions) == ["n"])
        #expect(try page() != nil)
        try database.indexes.create(IndexDefinition(name: "i", text: "s", condition: "n > 1"), on: collection)
        let info = try database.indexes.indexes(of: collection)
        #expect(info.map(\.expressions) == ["s"] && info.map(\.condition) == ["n > 1"] && info.map(\.isSQL) == [true])
        #expect(
            try database.file.read { try $0.connection.scalarText(sql) }
                == "CREATE INDEX i ON kv_default (fl_value(body, 's')) WHERE (fl_value(body, 'n') > 1) AND (flags & 1 = 0)"
        )
        try database.indexes.delete("i", on: collection)
        try database.indexes.delete("i", on: collection)
        #expect(try database.indexes.indexes(of: collection).isEmpty && page() == nil)
    }

    @Test("two collections can use the same index name")
    func namesPerCollection() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        try database.save("h", #"{"n":1}"#, in: "shop.hotels")
        let collections = try [database.collection(), database.collection("shop.hotels")]
        for collection in collections {
            try database.indexes.create(IndexDefinition(name: "same", text: "n"), on: collection)
        }
        #expect(try collections.map { try database.indexes.indexes(of: $0).map(\.name) } == [["same"], ["same"]])
        #expect(try database.plan("SELECT n FROM _ WHERE n = 1").contains("USING INDEX same"))
        #expect(try database.plan("SELECT n FROM shop.hotels WHERE n = 1").contains("USING INDEX shop.hotels.same"))
        try database.indexes.delete("same", on: collections[0])
        #expect(try collections.map { try database.indexes.indexes(of: $0).count } == [0, 1])
    }

    @Test(
        "an index whose name begins with the name of its collection is listed, kept, searched and deleted by this name",
        arguments: ["shop.hotels", "_default._default"]
    )
    func qualifiedNames(path: String) throws {
        let database = try QueryDatabase()
        try database.save("h", #"{"n":1,"s":"word"}"#, in: path)
        let collection = try database.collection(path)
        let name = "\(path).i"
        func names() throws -> [String] { try database.indexes.indexes(of: collection).map(\.name) }
        try database.indexes.create(IndexDefinition(name: name, text: "n"), on: collection)
        try database.indexes.create(IndexDefinition(name: name, text: "n"), on: collection)
        #expect(try names() == [name])
        try database.indexes.create(IndexDefinition(name: "i", text: "s"), on: collection)
        #expect(try names() == [name, "i"].sorted())
        try database.indexes.delete(name, on: collection)
        #expect(try names() == ["i"])
        let options = IndexDefinition.Kind.fullText(FullTextIndexOptions())
        try database.indexes.create(IndexDefinition(name: name, kind: options, text: "s"), on: collection)
        #expect(try database.ids(matching: "word", in: "\(path) AS d", index: "`\(name)`") == ["h"])
    }

    @Test("an index whose name and qualified name are in use elsewhere in the file is refused with both names")
    func takenNames() throws {
        let database = try QueryDatabase()
        let hotels = try database.collection("shop.hotels")
        for name in ["i", "shop.hotels.i"] {
            try database.indexes.create(IndexDefinition(name: name, text: "n"), on: try database.collection())
        }
        let error = #expect(throws: QueryError.self) {
            try database.indexes.create(IndexDefinition(name: "i", text: "n"), on: hotels)
        }
        #expect(error?.kind == .invalidParameter && error?.message.contains("\"shop.hotels.i\"") == true)
        #expect(try database.indexes.indexes(of: hotels).isEmpty)
    }

    @Test("an invalid index definition throws an error and creates no index")
    func refusals() throws {
        let database = try QueryDatabase.withNumbersAndWords()
        let collection = try database.collection()
        let refused: [(IndexDefinition, QueryError.Kind)] = [
            (IndexDefinition(name: "", text: "n"), .invalidParameter),
            (IndexDefinition(name: "a\"b", text: "n"), .invalidParameter),
            (IndexDefinition(name: "i", text: ""), .invalidQuery),
            (IndexDefinition(name: "i", text: "n +"), .invalidQuery),
            (IndexDefinition(name: "i", text: "count(n)"), .invalidQuery),
            (IndexDefinition(name: "i", text: "$p"), .invalidQuery),
            (IndexDefinition(name: "i", expressions: []), .invalidQuery),
        ]
        for (definition, kind) in refused {
            let error = #expect(throws: QueryError.self, "\(definition)") {
                try database.indexes.create(definition, on: collection)
            }
            #expect(error?.kind == kind)
        }
        #expect(try database.indexes.indexes(of: collection).isEmpty)
    }

    @Test("documents in the 2.x format can be indexed and queried")
    func oldRows() throws {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url("travel-sample"))
        let database = try QueryDatabase(path: copy.path, directory: directory)
        let text = "SELECT count(*) FROM _ WHERE country = 'United Kingdom'"
        let scanned = try database.rows(text)
        #expect(scanned != ["0"])
        try database.indexes.create(IndexDefinition(name: "byType", text: "country"), on: try database.collection())
        #expect(try database.plan(text).contains("USING INDEX byType"))
        #expect(try database.rows(text) == scanned)
    }
}
