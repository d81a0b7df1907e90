import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The behaviours VS-8 and VS-9 of the original's tests (Vector search 12.1): a model looks up the vectors of words in another database object of the
/// same file.
@Suite("Vector indexes of predicted words", .serialized)
struct PredictedWordsTests {
    private let words: WordsDatabase
    private let model = "WordEmbedding"
    private let expression = #"prediction(WordEmbedding,{"word": word}).vector"#

    init() throws {
        words = try WordsDatabase()
        // The model searches by the word.
        for collection in [words.words, words.moreWords] {
            try collection.createIndex(withName: "by_word", config: ValueIndexConfiguration(["word"]))
        }
    }

    /// Registers a model that has the vector of the first document with the word, whatever that is, and no output for the word "unknown" or if there
    /// is no document.
    private func register() throws {
        let config = DatabaseConfiguration()
        config.directory = words.directory.url.path
        let other = try Database(name: "words", config: config)
        Database.prediction.registerModel(withName: model) { input in
            guard let word = input.string(forKey: "word"), word != "unknown" else { return nil }
            for collection in ["words", "extwords"] {
                let query = try? other.createQuery("SELECT vector FROM \(collection) WHERE word = '\(word)'")
                guard let row = try? query?.execute().next() else { continue }
                return MutableDictionaryObject().setValue(row.value(at: 0), forKey: "vector")
            }
            return nil
        }
    }

    private func createIndex() throws {
        try words.words.createIndex(
            withName: "words_index",
            config: VectorIndexConfiguration(expression: expression, dimensions: WordsDatabase.dimensions, centroids: 8)
        )
        #expect(try #require(try words.words.index(withName: "words_index")).isTrained)
    }

    private func change(_ id: String, _ change: (MutableDocument) -> Void) throws {
        let document = try #require(try words.words.document(id: id)).toMutable()
        change(document)
        try words.words.save(document: document)
    }

    @Test("VS-8: the index contains the documents whose vectors a model looks up, and follows them")
    func documents() throws {
        try register()
        defer { Database.prediction.unregisterModel(withName: model) }
        try createIndex()
        #expect(try words.search(20, by: expression).count == 20)
        #expect(try words.search(350, by: expression).count == 300)
        for id in ["word1", "word2"] {
            let other = try #require(try words.moreWords.document(id: id))
            try words.words.save(document: MutableDocument(id: "new-\(id)", data: other.toDictionary()))
        }
        try change("word1") { $0.setString("x3", forKey: "word") }
        try words.words.delete(document: try #require(try words.words.document(id: "word2")))
        let found = try words.search(350, by: expression)
        #expect(found.count == 301)
        let byID = Dictionary(uniqueKeysWithValues: found.map { ($0.string(forKey: "id") ?? "", $0.string(forKey: "word") ?? "") })
        #expect(byID["new-word1"] == "x1" && byID["new-word2"] == "x2" && byID["word1"] == "x3" && byID["word2"] == nil)
    }

    @Test("VS-9: documents for whose words a model has no valid vector are not in the index")
    func invalidVectors() throws {
        try change("word1") { $0.setValue(nil, forKey: "vector") }
        try change("word2") { $0.setString("string", forKey: "vector") }
        try change("word3") { $0.removeValue(forKey: "vector") }
        try change("word4") { $0.array(forKey: "vector")?.removeValue(at: 0) }
        try register()
        defer { Database.prediction.unregisterModel(withName: model) }
        try createIndex()
        func ids() throws -> Set<String> { Set(try words.search(350, by: expression).compactMap { $0.string(forKey: "id") }) }
        let before = try ids()
        #expect(before.count == 296)
        #expect(before.isDisjoint(with: ["word1", "word2", "word3", "word4"]))
        try change("word5") { $0.setString("unknown", forKey: "word") }
        let after = try ids()
        #expect(after == before.subtracting(["word5"]))
        #expect(after.count == 295)
    }
}
