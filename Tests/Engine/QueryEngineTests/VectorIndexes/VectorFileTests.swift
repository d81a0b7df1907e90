import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Vector indexes in files that are copied, repaired, or left by a crash (Vector search VI-8, VI-11, FL-9).
@Suite("Vector file")
struct VectorFileTests {
    private let options = VectorIndexOptions(dimensions: 2, centroids: 2)

    /// Opens a copy of the files as they are now.
    private func copy(_ words: VectorDatabase) throws -> VectorDatabase {
        let directory = try TemporaryDirectory()
        let path = directory.path("copy.cblite2")
        try FileManager.default.copyItem(atPath: words.database.file.bundle.directory, toPath: path)
        return try VectorDatabase(QueryDatabase(path: path, directory: directory))
    }

    @Test("a crash inside a transaction leaves the index as it was")
    func aCrashInsideATransactionLeavesTheIndexAsItWas() throws {
        for count in [48, 80] {
            let words = try VectorDatabase.withPoints(count, options)
            let left = try words.database.file.transaction { _ in
                for n in 0..<30 { try words.save("new\(n)", n, 5) }
                try words.database.delete("w0", in: "words")
                // Stores the vectors, and trains the smaller index.
                #expect(try words.nearest().count == count + 29)
                return try copy(words)
            }
            #expect(try left.nearest().count == count)
            #expect(try left.state() == .init(vectorCount: count, isTrained: count == 80))
            #expect(try left.findings() == [])
            #expect(try words.state() == .init(vectorCount: count + 29, isTrained: true))
            #expect(try words.findings() == [])
        }
    }

    @Test("the definition can be used for another collection")
    func theDefinitionCanBeUsedForAnotherCollection() throws {
        let words = try VectorDatabase.withPoints(5, options)
        let (definitions, others) = try words.database.indexes.definitions(of: words.words)
        #expect(others == [])
        let other = try words.database.collection("others")
        for definition in definitions { try words.database.indexes.create(definition, on: other) }
        let index = try #require(try words.database.indexes.indexes(of: other).first)
        #expect(index.name == "words_index" && index.vectorOptions == options && index.expressions == "vector")
    }

    @Test("files without vector indexes have no tables for them")
    func filesWithoutVectorIndexesHaveNoTablesForThem() throws {
        let words = try VectorDatabase.withPoints(5, nil)
        #expect(
            try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM sqlite_master WHERE name LIKE '%vector%'") } == 0
        )
    }

    @Test("an index takes the place of one whose options cannot be read")
    func anUnreadableIndexIsReplaced() throws {
        let words = try VectorDatabase.withPoints(5, options)
        try words.database.file.transaction { writer in
            try writer.connection.execute("UPDATE vector_indexes SET options = 'dimensions=99999999999999999999'")
        }
        #expect(try words.database.indexes.indexes(of: words.words).isEmpty)
        #expect(try words.findings().contains { $0.contains("its definition cannot be read") })
        try words.createIndex()
        #expect(try words.nearest(1, target: "[3,0]") == ["w3"])
        #expect(try words.findings() == [])
    }

    @Test("two indexes on one expression are independent")
    func twoIndexesOnOneExpressionAreIndependent() throws {
        let words = try VectorDatabase.withPoints(60, options)
        var cosine = options
        (cosine.metric, cosine.encoding) = (.cosine, .none)
        try words.createIndex("angles", options: cosine)
        try words.save("up", 0, 3)
        #expect(try words.nearest(1, target: "[0,1]", distance: "APPROX_VECTOR_DISTANCE(vector, $t, 'COSINE')") == ["up"])
        #expect(try words.nearest(1, target: "[8,0]", distance: "APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED')") == ["w8"])
        #expect(try words.nearest(1, target: "[8,0]") == ["w8"])
        try words.database.indexes.delete("words_index", on: words.words)
        #expect(try words.nearest(1, target: "[0,1]") == ["up"])
        #expect(try words.findings() == [])
    }
}
