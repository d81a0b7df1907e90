import DocumentStore
import Fleece
import SQLiteEngine
import Testing
import VectorSearch

@testable import QueryEngine

/// Which documents are in a vector index (Vector search 4, T-15).
@Suite("Vector maintenance")
struct VectorMaintenanceTests {
    @Test("the index follows the documents")
    func theIndexFollowsTheDocuments() throws {
        let words = try VectorDatabase.withPoints(5)
        try words.save("w1", 100, 0)
        try words.database.delete("w2", in: "words")
        try words.database.purge("w3", in: "words")
        try words.save("new", 1, 1)
        #expect(try words.nearest() == ["w0", "new", "w4", "w1"])
        try words.save("w2", 2, 0)
        #expect(try words.nearest() == ["w0", "new", "w2", "w4", "w1"])
        #expect(try words.state().vectorCount == 5)
        #expect(try words.findings() == [])
    }

    @Test("values that are no vectors are left out")
    func valuesThatAreNoVectorsAreLeftOut() throws {
        let words = try VectorDatabase.withPoints(8, nil)
        for (n, value) in ["null", "\"text\"", "[1]", "[1,2,3]", "[1,null]", "[[1],2]", "{}"].enumerated() {
            try words.database.save("w\(n)", #"{"vector":\#(value)}"#, in: "words")
        }
        try words.createIndex()
        #expect(try words.nearest() == ["w7"])
        try words.save("w0", 0, 0)
        try words.database.save("w7", #"{"vector":null}"#, in: "words")
        #expect(try words.nearest() == ["w0"])
        #expect(try words.findings() == [])
    }

    @Test("queries in a batch see its changes and a rollback removes them")
    func queriesInABatchSeeItsChangesAndARollbackRemovesThem() throws {
        let words = try VectorDatabase.withPoints(3)
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try words.database.file.transaction { _ in
                try words.save("w0", 50, 0)
                try words.save("new", 0, 0)
                #expect(try words.nearest() == ["new", "w1", "w2", "w0"])
                throw Undo()
            }
        }
        #expect(try words.nearest() == ["w0", "w1", "w2"])
        try words.database.file.transaction { writer in
            #expect(throws: Undo.self) {
                try words.database.file.statement { _ in
                    try words.save("undone", 0, 0)
                    #expect(try words.nearest(1) == ["undone"] || words.nearest(1) == ["w0"])
                    throw Undo()
                }
            }
            try words.save("kept", 9, 0)
        }
        #expect(try words.nearest() == ["w0", "w1", "w2", "kept"])
        #expect(try words.findings() == [])
    }

    @Test("an index is replaced only if something differs")
    func anIndexIsReplacedOnlyIfSomethingDiffers() throws {
        let words = try VectorDatabase.withPoints(5)
        let version = try words.database.file.read { try $0.schemaVersion }
        try words.createIndex(expression: " vector ")
        #expect(try words.database.file.read { try $0.schemaVersion } == version)
        try words.createIndex(options: VectorIndexOptions(dimensions: 2, centroids: 1, probes: 1))
        #expect(try words.database.file.read { try $0.schemaVersion } != version)
        try words.createIndex(expression: "vectors")
        #expect(try words.state().vectorCount == 0)
        #expect(try words.database.indexes.indexes(of: words.words).map(\.name) == ["words_index"])
    }

    @Test("a name belongs to one index of any kind")
    func aNameBelongsToOneIndexOfAnyKind() throws {
        let words = try VectorDatabase.withPoints(5)
        try words.database.indexes.create(IndexDefinition(name: "words_index", text: "n"), on: words.words)
        #expect(try words.database.indexes.indexes(of: words.words).map(\.kind) == [.value])
        try words.createIndex()
        let index = try #require(try words.database.indexes.indexes(of: words.words).first)
        #expect(index.kind == .vector)
        #expect(index.expressions == "vector")
        #expect(index.vectorOptions == VectorIndexOptions(dimensions: 2, centroids: 1))
        #expect(index.summary["type"] as? Int == 4)
    }

    @Test("the original's table of indexes does not list it")
    func theOriginalsTableOfIndexesDoesNotListIt() throws {
        let words = try VectorDatabase.withPoints(5)
        #expect(try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM indexes") } == 0)
    }

    @Test(arguments: ["count(vector)", "$v", "MATCH(a, 'b')", "APPROX_VECTOR_DISTANCE(vector, [1,2])", "a, b", ""])
    func expressionsThatCannotBeIndexedAreRefused(_ expression: String) throws {
        let words = try VectorDatabase.withPoints(1, nil)
        #expect(throws: (any Error).self) { try words.createIndex(expression: expression) }
        #expect(try words.database.indexes.indexes(of: words.words).isEmpty)
    }

    @Test("the progress of creating an index begins at zero, also if the index cannot be trained and the documents are read once")
    func theProgressOfCreatingAnIndexBeginsAtZero() throws {
        let words = try VectorDatabase.withPoints(2000, nil)
        func reports(_ options: VectorIndexOptions) throws -> [Int] {
            var found: [Int] = []
            let definition = IndexDefinition(name: "words_index", kind: .vector(options), text: "vector")
            try words.database.indexes.create(definition, on: words.words) { read, total in
                #expect(total == 2000)
                found.append(read)
            }
            return found
        }
        let options = VectorIndexOptions(dimensions: 2, centroids: 2)
        #expect(try reports(options) == [500, 1000, 1500, 2000])
        #expect(try reports(VectorIndexOptions(dimensions: 2, centroids: 2, minimumTraining: 5000)) == [1000, 2000])
        let untrainable = try VectorSample.$maximumSize.withValue(100) { try reports(VectorIndexOptions(dimensions: 2, centroids: 3)) }
        #expect(untrainable == [1000, 2000])
        #expect(try !words.state().isTrained)
    }

    @Test("deleting the collection deletes its indexes")
    func deletingTheCollectionDeletesItsIndexes() throws {
        let words = try VectorDatabase.withPoints(3)
        try words.database.file.deleteCollection(CollectionID(name: "words"))
        let left = try words.database.file.read {
            try $0.connection.texts("SELECT name FROM sqlite_master WHERE name LIKE '%:vector:%'")
                + $0.connection.texts("SELECT name FROM vector_indexes")
        }
        #expect(left == [])
    }

    @Test("what other programs write is found and indexed later")
    func whatOtherProgramsWriteIsFoundAndIndexedLater() throws {
        let words = try VectorDatabase.withPoints(6)
        let path = words.database.file.bundle.sqliteFile
        let other = try Connection(path: path, mode: .readWrite)
        try other.execute(
            """
            UPDATE "kv_.words" SET body = (SELECT body FROM "kv_.words" WHERE key = 'w5') WHERE key = 'w0';
            DELETE FROM "kv_.words" WHERE key = 'w1';
            """
        )
        other.closeLoggingErrors()
        #expect(try words.nearest() == ["w2", "w3", "w4", "w0", "w5"])
        try words.save("w6", 6, 0)
        #expect(try words.nearest() == ["w2", "w3", "w4", "w0", "w5", "w6"])
        #expect(
            try words.database.file.read {
                try $0.connection.scalar(#"SELECT count(*) FROM "kv_.words:vector:words_index:rows" WHERE state = 0"#)
            } == 0
        )
        #expect(try words.findings() == [])
    }
}
