import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// A model with a text and a vector.
private struct Passage: Codable, Identifiable, Equatable {
    @DocumentID var id: String?
    var text: String
    var isPublic = true
    var vector: [Float]
}

@Suite("Searches for near vectors, and for words and vectors at once")
struct HybridSearchTests {
    private let folder: DatabaseFolder
    private let database: Database
    private let collection: Collection
    private let passages: ModelCollection<Passage>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "passages")
        passages = collection.models(Passage.self)
        try collection.createIndex(withName: "texts", config: FullTextIndexConfiguration(["text"]))
        let config = VectorIndexConfiguration(expression: "vector", dimensions: 2, centroids: 2)
        try collection.createIndex(withName: "vectors", config: config)
        try save("a", "apple apple pie", [0, 0])
        try save("b", "apple cake", [5, 0])
        try save("c", "banana bread", [1, 0])
        try save("d", "bread", [9, 0], isPublic: false)
    }

    private func save(_ id: String, _ text: String, _ vector: [Float], isPublic: Bool = true) throws {
        try passages.save(Passage(id: id, text: text, isPublic: isPublic, vector: vector))
    }

    private func search(_ words: String = "apple", where predicate: Predicate<Passage>? = nil, limit: Int = 10) -> HybridSearch<Passage> {
        passages.search(text: words, in: "texts", vector: [0.5, 0], by: "vector", where: predicate, limit: limit)
    }

    @Test("the documents with the nearest vectors are returned with their distances, also under a condition")
    func nearest() throws {
        let hits = try passages.nearest(to: [1, 0], by: "vector", limit: 3).all()
        #expect(hits.map(\.model.id) == ["c", "a", "b"] && hits.map(\.distance) == [0, 1, 16])
        let hidden = try passages.nearest(to: [1, 0], by: "vector", where: #Predicate { !$0.isPublic }).all()
        #expect(hidden.map(\.id) == ["d"])
    }

    @Test("a document without a vector is not among the nearest, and a vector of another length is an error")
    func withoutVector() throws {
        try save("e", "no vector", [])
        #expect(try passages.nearest(to: [0, 0], by: "vector").all().count == 4)
        #expect(throws: NSError.self) { try passages.nearest(to: [1, 2, 3], by: "vector").all() }
        #expect(thrown { _ = try passages.nearest(to: [1, 2], by: "text").all() } == .couchbaseLite(CBLError.missingIndex))
    }

    @Test("documents that both searches find come first, with the scores of each and a snippet")
    func fusion() throws {
        let hits = try search().all()
        #expect(Set(hits.map(\.id)) == ["a", "b", "c", "d"])
        #expect(hits.first?.id == "a" && hits.last?.id == "d")
        #expect(hits[0].score == 1 / 61.0 + 1 / 61.0)
        #expect(hits[0].snippet?.marked("[", "]") == "[apple] [apple] pie" && hits[0].distance == 0.25)
        let banana = try #require(hits.first { $0.id == "c" })
        #expect(banana.textScore == nil && banana.snippet == nil && banana.distance == 0.25)
        let alone = try search("apple").text.all()
        #expect(hits[0].textScore == alone[0].rank)
    }

    @Test("a condition applies to both searches, and the limit to what both have found")
    func conditionAndLimit() throws {
        #expect(try search("bread", where: #Predicate { !$0.isPublic }).all().map(\.id) == ["d"])
        #expect(try search(limit: 2).all().count == 2)
        #expect(try search(limit: 0).all().isEmpty)
        #expect(try search(limit: -1).all().isEmpty)
        #expect(try search("nothing").all().count == 4)
    }

    @Test("numbers of a fusion that are none are an error")
    func wrongFusion() throws {
        let fusion = SearchFusion.reciprocalRank(k: .nan)
        let search = passages.search(text: "apple", in: "texts", vector: [0, 0], by: "vector", fusion: fusion)
        #expect(thrown { _ = try search.all() } == .couchbaseLite(CBLError.invalidQueryParam))
        let weighted = passages.search(
            text: "apple",
            in: "texts",
            vector: [9, 0],
            by: "vector",
            fusion: .weightedScores(text: 0, vector: 1)
        )
        #expect(try weighted.all().first?.id == "d")
    }

    @Test("search() of the query language finds the same documents with the same scores, and stays live")
    func queryLanguage() async throws {
        let hits = try search(where: #Predicate { $0.isPublic }).all()
        let query = try database.createQuery(
            """
            SELECT s.id, s.score, s.textScore, s.vectorDistance, s.snippet, s.document.text
            FROM search({"of": "passages", "text": $words, "in": "texts", "vector": [0.5, 0], "by": "vector", "where": isPublic = true}) AS s
            ORDER BY s.score DESC
            """
        )
        query.parameters = Parameters().setString("apple", forName: "words")
        let rows = try query.execute().allResults()
        #expect(rows.map { $0.string(at: 0) } == hits.map(\.id) && rows.count == 3)
        #expect(rows.map { $0.double(at: 1) } == hits.map(\.score))
        #expect(rows.map { $0.value(at: 2) as? Double } == hits.map(\.textScore))
        #expect(rows.map { $0.value(at: 3) as? Double } == hits.map(\.distance))
        #expect(rows[0].string(at: 4) == "**apple** **apple** pie" && rows[0].string(at: 5) == "apple apple pie")
        var updates = query.results().makeAsyncIterator()
        #expect(try await updates.next()?.allResults().count == 3)
        try save("e", "apple", [0.5, 0])
        let changed = try #require(try await updates.next()?.allResults())
        #expect(changed.first?.string(at: 0) == "e" && changed.count == 4)
    }

    @Test("live hits are sent again when a document, a score or the order has changed, and end with the database")
    func live() async throws {
        var updates = search(limit: 2).live().makeAsyncIterator()
        #expect(try await updates.next()?.map(\.id).first == "a")
        // Another collection, and a document that changes nothing.
        try database.defaultCollection().save(document: MutableDocument(id: "x"))
        try passages.save(Passage(id: "a", text: "apple", vector: [0.5, 0]))
        let changed = try #require(try await updates.next())
        #expect(changed.first?.model.text == "apple" && changed.first?.distance == 0)
        var near = passages.nearest(to: [9, 0], by: "vector", limit: 1).live().makeAsyncIterator()
        #expect(try await near.next()?.map(\.id) == ["d"])
        try database.close()
        #expect(try await updates.next() == nil)
    }

    @Test("a document that cannot be decoded is an error, or left out")
    func undecodable() throws {
        try collection.save(document: MutableDocument(id: "z", json: #"{"text":"apple","vector":[0.5,0],"isPublic":7}"#))
        #expect(throws: NSError.self) { try search().all() }
        #expect(try search().all(onDecodingError: .skip).count == 4)
    }

    @Test("an embedder gives a lazy index the vectors of its texts in batches")
    func embedding() async throws {
        var config = VectorIndexConfiguration(expression: "text", dimensions: 2, centroids: 1)
        config.isLazy = true
        try collection.createIndex(withName: "lazy", config: config)
        try collection.save(document: MutableDocument(id: "n", json: #"{"text":17}"#))
        let index = try #require(try collection.index(withName: "lazy"))
        let embedder = BatchEmbedder()
        #expect(try await index.update(with: embedder, batch: 2) == 4)
        #expect(try index.vectorCount == 4)
        #expect(try await index.update(with: embedder) == 0)
        try save("a", "another", [0, 0])
        await #expect(throws: NSError.self) { try await index.update(with: BatchEmbedder(surplus: 1)) }
        #expect(try await index.update(with: embedder) == 1)
    }
}

/// Embeds texts by their lengths.
private struct BatchEmbedder: Embedder {
    let dimensions = 2
    /// The number of vectors that are returned too many.
    var surplus = 0

    func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?] {
        texts.map { [Float($0.utf8.count), 1] } + Array(repeating: nil, count: surplus)
    }
}
