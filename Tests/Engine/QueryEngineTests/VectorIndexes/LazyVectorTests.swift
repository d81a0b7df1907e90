import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Testing
import VectorSearch

/// Lazy indexes, whose vectors the app computes (Vector search 7).
@Suite("Lazy vector")
struct LazyVectorTests {
    private let options = VectorIndexOptions(dimensions: 2, centroids: 1, isLazy: true)

    private func words(_ count: Int) throws -> VectorDatabase {
        let words = try VectorDatabase.withPoints(count, nil)
        try words.createIndex(expression: "n", options: options)
        return words
    }

    private func nearest(_ words: VectorDatabase) throws -> [String] {
        try words.nearest(distance: "APPROX_VECTOR_DISTANCE(n, $t)")
    }

    private func begin(_ words: VectorDatabase, _ limit: Int = 1000) throws -> VectorUpdate? {
        try VectorUpdate.begin("words_index", on: words.words, limit: limit)
    }

    /// Gives each document the vector (n, 0).
    @discardableResult
    private func set(_ update: VectorUpdate, on words: VectorDatabase, skipping skips: (Int) -> Bool = { _ in false }) throws -> Int {
        let numbers = (0..<update.count).map { update.values.root?.array?[$0]?.integerBits ?? -1 }
        return try update.finish(
            numbers.enumerated().map { skips($0) ? .skipped : .vector([Float($1), 0]) },
            on: words.words
        )
    }

    @Test("nothing is indexed until the app sets vectors")
    func nothingIsIndexedUntilTheAppSetsVectors() throws {
        let words = try words(5)
        try words.save("w0", 0, 0, more: #","n":0"#)
        #expect(try nearest(words) == [])
        let update = try #require(try begin(words, 3))
        #expect(update.count == 3)
        #expect(try set(update, on: words) == 3)
        #expect(try nearest(words) == ["w1", "w2", "w3"])
        #expect(try set(#require(try begin(words)), on: words) == 2)
        #expect(try begin(words) == nil)
        #expect(try nearest(words) == ["w0", "w1", "w2", "w3", "w4"])
        #expect(try words.findings() == [])
    }

    @Test("changing a document removes its vector")
    func changingADocumentRemovesItsVector() throws {
        let words = try words(4)
        try set(#require(try begin(words)), on: words)
        try words.save("w1", 1, 0, more: #","n":9"#)
        try words.database.delete("w2", in: "words")
        try words.database.purge("w3", in: "words")
        #expect(try nearest(words) == ["w0"])
        #expect(try set(#require(try begin(words)), on: words) == 1)
        #expect(try nearest(words) == ["w0", "w1"])
        #expect(try words.findings() == [])
    }

    @Test("skipped documents are offered again")
    func skippedDocumentsAreOfferedAgain() throws {
        let words = try words(10)
        try set(#require(try begin(words)), on: words) { $0 % 2 == 1 }
        let update = try #require(try begin(words))
        #expect(update.count == 5)
        try set(update, on: words)
        #expect(try begin(words) == nil)
        #expect(try words.state().vectorCount == 10)
    }

    @Test("documents without vector are not offered until they change")
    func documentsWithoutVectorAreNotOfferedUntilTheyChange() throws {
        let words = try words(2)
        let update = try #require(try begin(words))
        try update.finish([.vector(nil), .vector([1, 1])], on: words.words)
        #expect(try begin(words) == nil)
        #expect(try nearest(words) == ["w1"])
        try words.save("w0", 0, 0, more: #","n":0"#)
        #expect(try begin(words)?.count == 1)
    }

    @Test("what changed meanwhile is left out")
    func whatChangedMeanwhileIsLeftOut() throws {
        let words = try words(4)
        let update = try #require(try begin(words))
        try words.save("w0", 0, 0, more: #","n":7"#)
        try words.database.delete("w1", in: "words")
        #expect(try set(update, on: words) == 2)
        #expect(try nearest(words) == ["w2", "w3"])
        #expect(try begin(words)?.count == 1)
    }

    @Test("only missing values need no vector")
    func onlyMissingValuesNeedNoVector() throws {
        let words = try words(0)
        for (n, value) in ["null", "true", "1", "\"x\"", "[]", "{}"].enumerated() {
            try words.database.save("v\(n)", #"{"n":\#(value)}"#, in: "words")
        }
        try words.database.save("missing", "{}", in: "words")
        let update = try #require(try begin(words))
        #expect(try JSON.string(#require(update.values.root)) == #"[null,true,1,"x",[],{}]"#)
    }

    @Test("another index is not lazy")
    func anotherIndexIsNotLazy() throws {
        let words = try VectorDatabase.withPoints(2)
        try words.database.indexes.create(IndexDefinition(name: "value", text: "n"), on: words.words)
        for (name, kind) in [("words_index", QueryError.Kind.unsupported), ("value", .unsupported), ("none", .missingIndex)] {
            let error = #expect(throws: QueryError.self) { try VectorUpdate.begin(name, on: words.words, limit: 1) }
            #expect(error?.kind == kind)
        }
    }

    @Test("a deleted or replaced index gets no vectors")
    func aDeletedOrReplacedIndexGetsNoVectors() throws {
        let words = try words(2)
        let update = try #require(try begin(words))
        try words.createIndex(expression: "even", options: options)
        #expect(throws: QueryError.self) { try set(update, on: words) }
        try words.database.indexes.delete("words_index", on: words.words)
        let error = #expect(throws: QueryError.self) { try set(update, on: words) }
        #expect(error?.kind == .missingIndex)
    }

    @Test("progress survives reopening and an update can go on behind another")
    func progressSurvivesReopeningAndAnUpdateCanGoOnBehindAnother() throws {
        let words = try words(6)
        let first = try #require(try begin(words, 2))
        try first.finish([.skipped, .vector([0, 0])], on: words.words)
        let second = try #require(try VectorUpdate.begin("words_index", on: words.words, limit: 2, after: first.lastSequence))
        #expect(try set(second, on: words) == 2)
        let reader = try words.database.reopenedForReading()
        let collection = try #require(try reader.file.collection(CollectionID(name: "words")))
        #expect(try VectorUpdate.begin("words_index", on: collection, limit: 10)?.count == 3)
    }

    // T-16
    @Test("of two updates of the same documents, the later finish decides")
    func theLaterFinishDecides() throws {
        let words = try words(3)
        let first = try #require(try begin(words))
        let second = try #require(try begin(words))
        #expect(first.count == 3 && second.count == 3)
        try second.finish([.vector([1, 0]), .vector([2, 0]), .vector([3, 0])], on: words.words)
        #expect(try nearest(words) == ["w0", "w1", "w2"])
        try first.finish([.vector([5, 0]), .vector(nil), .vector([4, 0])], on: words.words)
        let rows = try words.rows("SELECT meta().id, APPROX_VECTOR_DISTANCE(n, $t) AS d FROM words ORDER BY d LIMIT 10")
        #expect(rows == [#""w2" 16.0"#, #""w0" 25.0"#])
        #expect(try begin(words) == nil)
        #expect(try words.findings() == [])
    }

    @Test("enough vectors train the index")
    func enoughVectorsTrainTheIndex() throws {
        let words = try words(30)
        try set(#require(try begin(words)), on: words)
        #expect(try words.state().isTrained)
        #expect(try nearest(words).count == 30)
        #expect(try words.findings() == [])
    }
}
