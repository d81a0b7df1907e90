import DocumentStore
import SQLiteEngine
import Testing
import VectorSearch

@testable import QueryEngine

/// A registered index with tables that are none of this library (Vector search FL-12, T-14).
@Suite("Strange tables of vector indexes")
struct StrangeVectorTableTests {
    private static let parts = ["rows", "dead", "cells", "model"]

    private func name(_ part: String) -> String { "kv_.words:vector:words_index:\(part)" }

    /// Makes an index of the documents w0 to w5, in which a virtual table takes the place of one of its tables.
    private func words(_ part: String, _ module: String, isLazy: Bool = false) throws -> VectorDatabase {
        let words = try VectorDatabase.withPoints(6, VectorIndexOptions(dimensions: 2, centroids: 1, isLazy: isLazy))
        try words.execute("DROP TABLE \"\(name(part))\"")
        try OriginalVectorFile(words: words)
            .addTable(name(part), creation: "CREATE VIRTUAL TABLE \"\(name(part))\" USING \(module)")
        return words
    }

    /// Changes documents in each way: w0, w3, w4, w5 and the new one are left, of which w3 is farther than before.
    private func change(_ words: VectorDatabase) throws {
        try words.save("new", 0, 7)
        try words.save("w3", 9, 0)
        try words.database.delete("w1", in: "words")
        try words.database.purge("w2", in: "words")
        #expect(try words.database.rows("SELECT count(*) FROM words") == ["5"])
    }

    private func objects(_ words: VectorDatabase) throws -> [String] {
        try words.database.file.read {
            try $0.connection.texts("SELECT name FROM sqlite_master WHERE instr(name, ':vector:') AND type IN ('table', 'trigger')")
        }
    }

    /// What the check of the database finds in the indexes. New releases of SQLite cannot check a file with a table that they cannot read.
    private func problems(_ words: VectorDatabase) throws -> [String] {
        let collection = try words.words
        return try words.database.file.read { try IndexChecker(collection, on: $0).findings().map(\.description) }
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test("an index with a table of an unknown module is reported, and made anew by the first change of a document", arguments: parts)
    func unknownModule(_ part: String) throws {
        let words = try words(part, "other(x)")
        let found = try words.findings()
        #expect(found.count == 1 && found.allSatisfy { $0.contains("words_index") && $0.contains("virtual table") }, "\(found)")
        // The model of an index that is not trained is not read.
        if part != "model" { #expect(message { _ = try words.nearest() }.contains("is damaged: a table of it cannot be read")) }
        try change(words)
        #expect(try words.nearest() == ["w0", "w4", "w5", "new", "w3"])
        #expect(try words.findings() == [])
    }

    @Test("an index with a table of an unknown module can be deleted and created again at once", arguments: parts)
    func deletion(_ part: String) throws {
        let words = try words(part, "other(x)")
        try words.database.indexes.delete("words_index", on: words.words)
        #expect(try objects(words) == [])
        try words.createIndex()
        #expect(try words.nearest(2) == ["w0", "w1"])
        #expect(try words.findings() == [])
    }

    @Test("a collection whose index has a table of an unknown module can be deleted", arguments: parts)
    func collection(_ part: String) throws {
        let words = try words(part, "other(x)")
        try words.database.file.deleteCollection(CollectionID(name: "words"))
        #expect(try objects(words) == [])
    }

    @Test("a lazy index with a table of an unknown module offers all documents again", arguments: parts)
    func lazy(_ part: String) throws {
        let words = try words(part, "other(x)", isLazy: true)
        try change(words)
        #expect(try VectorUpdate.begin("words_index", on: words.words, limit: 100)?.count == 5)
    }

    @Test(
        "an index with a table that cannot be dropped does not refuse changes, and searches in it fail until it is deleted",
        arguments: parts
    )
    func undroppable(_ part: String) throws {
        let words = try words(part, "fts4(x, tokenize=unknown)")
        try change(words)
        #expect(message { _ = try words.nearest() }.contains("is damaged: its tables could not be made anew"))
        let found = try problems(words)
        #expect(found.count == 1 && found.allSatisfy { $0.contains("its tables could not be made anew") }, "\(found)")
        // A failed repair does not prevent the next transactions.
        try words.database.indexes.rebuild()
        try words.save("newer", 0, 8)
        try words.database.indexes.delete("words_index", on: words.words)
        #expect(try words.database.indexes.indexes(of: words.words).isEmpty)
        try words.createIndex("another")
        #expect(try words.nearest() == ["w0", "w4", "w5", "new", "newer", "w3"])
        #expect(try problems(words) == [])
        #expect(throws: (any Error).self) { try words.createIndex() }
        try words.save("newest", 0, 9)
    }

    @Test("an index of which an SQL index on another table has a name is made anew", arguments: parts + ["dirty", "loose", "buckets"])
    func indexNames(_ end: String) throws {
        let words = try VectorDatabase.withPoints(6)
        let kind = Self.parts.contains(end) ? "TABLE" : "INDEX"
        try words.execute("DROP \(kind) \"\(name(end))\"; CREATE TABLE other (x); CREATE INDEX \"\(name(end))\" ON other (x)")
        try change(words)
        #expect(try words.nearest() == ["w0", "w4", "w5", "new", "w3"])
        #expect(try words.findings() == [])
    }

    @Test("an index that is marked as damaged is made anew by rebuilding, and is not searched before")
    func mark() throws {
        let words = try VectorDatabase.withPoints(6)
        try words.execute("UPDATE vector_indexes SET generation = -1")
        #expect(message { _ = try words.nearest() }.contains("is damaged"))
        try change(words)
        try words.database.indexes.rebuild()
        #expect(try words.nearest() == ["w0", "w4", "w5", "new", "w3"])
        #expect(try words.findings() == [])
    }

    @Test("a registry that lacks columns is removed with the indexes")
    func registry() throws {
        let words = try VectorDatabase.withPoints(6)
        try words.execute("DROP TABLE vector_indexes; CREATE TABLE vector_indexes (id INTEGER PRIMARY KEY, tableName TEXT)")
        try change(words)
        #expect(try objects(words) == [])
        try words.createIndex()
        #expect(try words.nearest() == ["w0", "w4", "w5", "new", "w3"])
    }
}
