import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Vector indexes of the original's extension, and what is left of indexes that are gone (Vector search FL-12, FL-13, T-14).
@Suite("Vector adoption")
struct VectorAdoptionTests {
    private func file() throws -> OriginalVectorFile { OriginalVectorFile(words: try VectorDatabase.withPoints(6, nil)) }

    @Test("the first change takes over an index of the original")
    func theFirstChangeTakesOverAnIndexOfTheOriginal() throws {
        let file = try file()
        try file.addIndex(arguments: "dimensions=2,metric=euclidean,clustering=flat3,encoding=SQ4,minToTrain=90,probes=2")
        let before = try #require(try file.words.database.indexes.indexes(of: file.words.words).first)
        #expect(before.name == "words_index" && before.kind == .vector && before.expressions == "vector")
        try file.words.save("new", 3, 1)
        #expect(try file.words.nearest(2, target: "[3,1]") == ["new", "w3"])
        #expect(try file.remains() == [])
        let indexes = try file.words.database.indexes.indexes(of: file.words.words)
        #expect(indexes.map(\.name) == ["words_index"])
        let options = VectorIndexOptions(
            dimensions: 2,
            centroids: 3,
            metric: .euclidean,
            encoding: .scalar(bits: 4),
            minimumTraining: 90,
            probes: 2
        )
        #expect(indexes.first?.vectorOptions == options && before.vectorOptions == options)
        #expect(try file.words.state() == .init(vectorCount: 7, isTrained: false))
        #expect(try file.words.findings() == [])
        // The statement that creates the same index in the app does nothing.
        let version = try file.words.database.file.read { try $0.schemaVersion }
        try file.words.createIndex(options: options)
        #expect(try file.words.database.file.read { try $0.schemaVersion } == version)
    }

    @Test("a query before the first change compares all documents, and leaves the file as it is")
    func aQueryBeforeTheFirstChangeComparesAllDocuments() throws {
        let file = try file()
        try file.addIndex(expression: "=j[[\".vector\"]]")
        let remains = try file.remains()
        #expect(try file.words.nearest(2, target: "[3,0]") == ["w3", "w2"])
        #expect(try file.words.rows("SELECT count(*) FROM words WHERE even AND APPROX_VECTOR_DISTANCE(vector, $t) >= 0") == ["3"])
        let reader = try VectorDatabase(file.words.database.reopenedForReading())
        #expect(try reader.database.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, [4, 0]) LIMIT 1") == ["4"])
        #expect(try file.remains() == remains)
        #expect(remains.count == 7)
    }

    @Test("a lazy index of the original loses its vectors, which cannot be read, and is not searched before")
    func aLazyIndexOfTheOriginalLosesItsVectors() throws {
        let file = try file()
        try file.addIndex(arguments: "dimensions=2,clustering=flat2,encoding=none,lazyembedding=true", isLazy: true)
        #expect(throws: QueryError.self) { try file.words.nearest() }
        let first = try #require(try VectorUpdate.begin("words_index", on: file.words.words, limit: 100))
        #expect(first.count == 6)
        try file.words.save("new", 3, 1)
        #expect(try file.words.nearest() == [])
        let update = try #require(try VectorUpdate.begin("words_index", on: file.words.words, limit: 100))
        #expect(update.count == 7)
        #expect(try file.remains() == [])
    }

    @Test("all indexes are taken over, also those whose names begin alike")
    func allIndexesAreTakenOver() throws {
        let file = try file()
        for name in ["words", "words_index", "words_index_other", "Words"] { try file.addIndex(name) }
        try file.words.save("new", 3, 1)
        #expect(try file.remains() == [])
        let names = try file.words.database.indexes.indexes(of: file.words.words).map(\.name)
        #expect(names == ["Words", "words", "words_index", "words_index_other"])
        #expect(try file.words.state("words").vectorCount == 7)
        #expect(try file.words.findings() == [])
    }

    @Test(
        "what the Swift API does not have is replaced by what it has",
        arguments: [
            ("dimensions=2,clustering=multi2x4,encoding=none", VectorIndexOptions(dimensions: 2, centroids: 32, encoding: .none)),
            (
                "dimensions=2,metric=cosine_similarity,clustering=flat2,encoding=SQ8",
                VectorIndexOptions(dimensions: 2, centroids: 2, metric: .cosine)
            ),
            (
                "encoding=SQ8,centroids=2,lazyindex=true,minToTrain=never,metric=dot_product_similarity,dimensions=2",
                VectorIndexOptions(dimensions: 2, centroids: 2, metric: .dot, minimumTraining: Int(UInt32.max))
            ),
        ]
    )
    func otherOptions(_ arguments: String, _ options: VectorIndexOptions) throws {
        let file = try file()
        try file.addIndex(arguments: arguments)
        try file.words.save("new", 3, 1)
        #expect(try file.words.database.indexes.indexes(of: file.words.words).first?.vectorOptions == options)
        #expect(try file.remains() == [])
    }

    @Test(
        "an index that cannot be taken over does not keep documents from being saved",
        arguments: [
            ("dimensions=1,clustering=flat2", "=nvector", true), ("what=ever", "=nvector", true), ("", "", true),
            ("dimensions=99999999999999999999,clustering=flat2", "=nvector", true), ("dimensions=2,clustering=flat2", "=n)(", true),
            ("dimensions=2,clustering=flat2", "=nvector", false), ("dimensions=2,clustering=flat2", "=n$parameter", true),
        ]
    )
    func impossible(_ arguments: String, _ expression: String, _ isRegistered: Bool) throws {
        let file = try file()
        try file.addIndex(arguments: arguments, expression: expression, isRegistered: isRegistered)
        try file.words.save("new", 3, 1)
        #expect(try file.words.database.rows("SELECT count(*) FROM words") == ["7"])
        #expect(try file.remains() == [])
        #expect(try file.words.database.indexes.indexes(of: file.words.words).isEmpty)
        #expect(try file.words.findings() == [])
    }

    @Test("an index that the original has created again beside the one made from the first is removed")
    func createdAgain() throws {
        let file = try file()
        try file.addIndex()
        try file.words.save("new", 3, 1)
        try file.addIndex()
        try file.words.save("newer", 3, 2)
        #expect(try file.remains() == [])
        #expect(try file.words.state().vectorCount == 8)
        // One with other options replaces it.
        try file.addIndex(arguments: "dimensions=2,clustering=flat5,encoding=none")
        try file.words.save("newest", 3, 2)
        #expect(try file.words.database.indexes.indexes(of: file.words.words).first?.vectorOptions?.centroids == 5)
        #expect(try file.words.findings() == [])
    }

    @Test("an index on a model that is not registered is taken over, and filled when there is the model")
    func withoutModel() throws {
        let file = try file()
        let model = TestModel { input, _ in
            (try? JSON.string(input)).map { #"{"output":\#($0)}"# }
        }
        model.unregister()
        try file.addIndex(expression: "=nprediction(\(model.name), {\"v\": vector}).output.v")
        try file.words.save("new", 3, 1)
        #expect(try file.remains() == [])
        #expect(try file.words.state().vectorCount == 0)
        #expect(try file.words.database.rows("SELECT count(*) FROM words") == ["7"])
        model.register()
        try file.words.save("newer", 3, 1)
        #expect(try file.words.state().vectorCount == 8)
        #expect(try file.words.findings() == [])
    }

    // MARK: Leftovers

    private func execute(_ sql: String, _ words: VectorDatabase) throws {
        let other = try Connection(path: words.database.file.bundle.sqliteFile, mode: .readWrite)
        defer { other.closeLoggingErrors() }
        try other.execute(sql)
    }

    private func objects(_ words: VectorDatabase) throws -> Int64? {
        try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM sqlite_master WHERE name LIKE '%:vector:%'") }
    }

    @Test(
        "tables and triggers of an index that is not registered are removed",
        arguments: [
            "DELETE FROM vector_indexes", "DROP TABLE vector_indexes",
            "DELETE FROM vector_indexes; DROP TABLE \"kv_.words:vector:words_index:rows\"",
            "DELETE FROM vector_indexes; DROP TABLE \"kv_.words:vector:words_index:model\"; DROP TABLE \"kv_.words:vector:words_index:dead\"",
        ]
    )
    func leftovers(_ sql: String) throws {
        let words = try VectorDatabase.withPoints(60)
        try words.createIndex("kept", options: VectorIndexOptions(dimensions: 2, centroids: 2))
        let kept = sql.contains("DROP TABLE vector_indexes") ? 0 : (try objects(words) ?? 0) / 2
        try execute(sql.replacing("FROM vector_indexes", with: "FROM vector_indexes WHERE name = 'words_index'"), words)
        try words.save("new", 3, 1)
        #expect(try objects(words) == kept)
        #expect(try words.database.rows("SELECT count(*) FROM words") == ["61"])
        if kept > 0 { #expect(try words.state("kept").vectorCount == 61) }
        #expect(try words.findings() == [])
    }

    @Test(
        "rebuilding repairs an index whose row does not name its tables as a text",
        arguments: [
            "tableName = CAST(tableName || x'00' AS BLOB)", "tableName = CAST(tableName || x'ff' AS BLOB)",
            "tableName = CAST(tableName AS BLOB)", "tableName = 'kv_.words:vector:other'",
            "tableName = 'nothing'", "name = CAST(name AS BLOB)",
        ]
    )
    func wrongRow(_ change: String) throws {
        let words = try VectorDatabase.withPoints(60)
        try execute("UPDATE vector_indexes SET \(change)", words)
        try words.database.indexes.rebuild()
        #expect(try words.state() == .init(vectorCount: 60, isTrained: true))
        #expect(try words.nearest(1, target: "[3,0]") == ["w3"])
        #expect(try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM vector_indexes") } == 1)
        #expect(try words.findings() == [])
    }

    @Test("an index whose collection another program has deleted is removed")
    func deletedCollection() throws {
        let words = try VectorDatabase.withPoints(60)
        try execute("DROP TABLE \"kv_.words\"; DROP TABLE IF EXISTS \"kv_del_.words\"", words)
        try words.database.save("other", "{}")
        #expect(try objects(words) == 0)
        #expect(try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM vector_indexes") } == 0)
    }
}
