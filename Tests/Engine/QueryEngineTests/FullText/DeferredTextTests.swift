import DocumentStore
import Fleece
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text indexing of new documents at the end of a transaction")
struct DeferredTextTests {
    private let database: QueryDatabase
    private let collection: CollectionStore

    init() throws {
        database = try QueryDatabase()
        collection = try database.collection()
        try database.createFullTextIndex("s, t")
        try database.createFullTextIndex("s", named: "part", where: "n > 2")
    }

    private func save(_ id: String, _ json: String, in writer: Writer) throws {
        let outcome = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
            try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder) }
            return false
        }
        guard case .saved = outcome else { throw Failure.notSaved }
    }

    private enum Failure: Error {
        case notSaved, undone
    }

    /// Checks both indexes with SQLite, with this library, and by searches.
    private func check(_ words: [String: [String]], part: [String: [String]] = [:]) throws {
        try database.checkFullTextTable()
        try database.checkFullTextTable("kv_default::part")
        #expect(try BundleChecker(database.file).findings().map(\.description) == [])
        for (word, ids) in words { #expect(try database.ids(matching: word) == ids) }
        for (word, ids) in part { #expect(try database.ids(matching: word, index: "part") == ids) }
    }

    /// The number of pieces that an index consists of.
    private func segmentCount(_ index: String = "idx") throws -> Int64? {
        try database.file.read { try $0.connection.scalar("SELECT count(*) FROM \"kv_default::\(index)_segdir\"") }
    }

    @Test("a transaction writes the terms of all its new documents at once")
    func oneSegment() throws {
        try database.file.transaction { writer in
            for n in 0..<50 { try save("d\(n)", #"{"s":"red \#(n)","t":"blue","n":\#(n)}"#, in: writer) }
        }
        // One for the first document, whose indexing is not deferred, and one for the others.
        #expect(try segmentCount() == 2)
        #expect(try segmentCount("part") == 1)
        try check(["red": (0..<50).map { "d\($0)" }.sorted(), "17": ["d17"]], part: ["2": [], "3": ["d3"]])
    }

    @Test("a search in a transaction finds the documents that it has inserted")
    func searchInTransaction() throws {
        try database.file.transaction { writer in
            try save("a", #"{"s":"red"}"#, in: writer)
            try save("b", #"{"s":"red"}"#, in: writer)
            try save("c", #"{"s":"red","n":3}"#, in: writer)
            #expect(try database.ids(matching: "red") == ["a", "b", "c"])
            try save("d", #"{"t":"red"}"#, in: writer)
            #expect(try database.ids(matching: "red") == ["a", "b", "c", "d"])
            #expect(try database.ids(matching: "red", index: "part") == ["c"])
        }
        try check(["red": ["a", "b", "c", "d"]], part: ["red": ["c"]])
    }

    @Test("documents that are changed, deleted or purged in the transaction that has inserted them are indexed as they are at its end")
    func changesAfterInsertion() throws {
        try database.file.transaction { writer in
            for id in ["a", "b", "c", "d", "e"] { try save(id, #"{"s":"red","n":3}"#, in: writer) }
            try save("b", #"{"s":"green","n":4}"#, in: writer)
            try save("c", #"{"s":"red","n":1}"#, in: writer)
            _ = try collection.delete("d", base: .latest, in: writer)
            _ = try collection.purge("e", in: writer)
            // Gets the row ID of the purged document.
            try save("f", #"{"s":"blue","n":9}"#, in: writer)
        }
        try check(["red": ["a", "c"], "green": ["b"], "blue": ["f"]], part: ["red": ["a"], "green": ["b"], "blue": ["f"]])
    }

    @Test("a rolled back transaction, and a rolled back part of one, leave nothing in the index")
    func rollback() throws {
        #expect(throws: Failure.undone) {
            try database.file.transaction { writer in
                for id in ["x", "y", "z"] { try save(id, #"{"s":"red"}"#, in: writer) }
                throw Failure.undone
            }
        }
        try database.file.transaction { writer in
            for id in ["a", "b"] { try save(id, #"{"s":"red"}"#, in: writer) }
            #expect(throws: Failure.undone) {
                try database.file.statement { writer in
                    try save("b", #"{"s":"green"}"#, in: writer)
                    for id in ["c", "d"] { try save(id, #"{"s":"red"}"#, in: writer) }
                    #expect(try database.ids(matching: "red") == ["a", "c", "d"])
                    throw Failure.undone
                }
            }
            try save("e", #"{"s":"red"}"#, in: writer)
        }
        try check(["red": ["a", "b", "e"], "green": []])
    }

    @Test("indexes can be created and deleted between the insertions of a transaction")
    func indexChanges() throws {
        try database.file.transaction { writer in
            for id in ["a", "b"] { try save(id, #"{"s":"red","u":"sea"}"#, in: writer) }
            try database.createFullTextIndex("u", named: "third")
            for id in ["c", "d"] { try save(id, #"{"s":"red","u":"sea"}"#, in: writer) }
            try database.indexes.delete("idx", on: collection)
            for id in ["e", "f"] { try save(id, #"{"s":"red","u":"sea","n":3}"#, in: writer) }
        }
        #expect(try database.ids(matching: "sea", index: "third") == ["a", "b", "c", "d", "e", "f"])
        #expect(try database.ids(matching: "red", index: "part") == ["e", "f"])
        try database.checkFullTextTable("kv_default::third")
        try database.checkFullTextTable("kv_default::part")
        #expect(try BundleChecker(database.file).findings().map(\.description) == [])
    }

    @Test("an index whose rolled back creation was seen by insertions is not used at the end of the transaction")
    func rolledBackIndex() throws {
        try database.file.transaction { writer in
            try save("a", #"{"s":"red"}"#, in: writer)
            try save("b", #"{"s":"red"}"#, in: writer)
            #expect(throws: Failure.undone) {
                try database.file.statement { writer in
                    try database.createFullTextIndex("u", named: "third")
                    for id in ["c", "d"] { try save(id, #"{"s":"red","u":"sea"}"#, in: writer) }
                    throw Failure.undone
                }
            }
        }
        try check(["red": ["a", "b"]])
    }

    @Test("more documents than are kept waiting are indexed")
    func manyDocuments() throws {
        try database.file.transaction { writer in
            for n in 0..<5000 { try save("d\(n)", #"{"s":"red \#(n)","n":\#(n % 4)}"#, in: writer) }
        }
        try check(["4999": ["d4999"], "1": ["d1"]], part: ["4999": ["d4999"], "4998": []])
    }

    @Test("an index of another program that computes texts in the document's table keeps its keys")
    func foreignIndex() throws {
        try database.file.transaction { writer in
            try writer.connection.execute("CREATE INDEX foreignTexts ON kv_default (FL_FTS_value(body, 's'))")
        }
        try database.file.transaction { writer in
            for id in ["a", "b", "c"] { try save(id, #"{"s":"red"}"#, in: writer) }
        }
        let count = try database.file.read {
            try $0.connection.scalar("SELECT count(*) FROM kv_default INDEXED BY foreignTexts WHERE fl_fts_value(body, 's') = 'red'")
        }
        #expect(count == 3)
        try check(["red": ["a", "b", "c"]])
    }

    @Test("an index with triggers of another form is maintained by its triggers alone")
    func foreignTrigger() throws {
        try database.file.transaction { writer in
            let name = "\"kv_default::idx::ins\""
            try writer.connection.execute(
                """
                DROP TRIGGER \(name);
                CREATE TRIGGER \(name) AFTER INSERT ON "kv_default" BEGIN INSERT INTO "kv_default::idx" (docid, "s", "t")
                VALUES (new.rowid, fl_fts_value(new.body, 's'), fl_fts_value(new.body, 't')); END
                """
            )
        }
        try database.file.transaction { writer in
            for id in ["a", "b", "c"] { try save(id, #"{"s":"red"}"#, in: writer) }
        }
        #expect(try segmentCount() == 3)
        try check(["red": ["a", "b", "c"]])
    }

    @Test("an index without its triggers gets no texts")
    func missingTrigger() throws {
        try database.file.transaction { writer in
            try writer.connection.execute("DROP TRIGGER \"kv_default::idx::ins\"")
        }
        try database.file.transaction { writer in
            for id in ["a", "b", "c"] { try save(id, #"{"s":"red"}"#, in: writer) }
        }
        #expect(try database.ids(matching: "red") == [])
    }
}
