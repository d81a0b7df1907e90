import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

/// Behaviours of the tests of LiteCore that no other suite has (Vector search 12.1).
@Suite("Vector behaviour")
struct VectorBehaviourTests {
    @Test("L-7: a join with a full-text search in the other collection needs no limit")
    func joinWithMatch() throws {
        let words = try VectorDatabase.withPoints(20)
        for n in [1, 3, 11, 12] {
            try words.database.save("r\(n)", #"{"word":"w\#(n)","text":"\#(n == 12 ? "blue" : "red") house"}"#, in: "links")
        }
        let links = try words.database.collection("links")
        try words.database.indexes.create(IndexDefinition(name: "texts", kind: .fullText(.init()), text: "text"), on: links)
        let query = """
            SELECT w.n FROM words AS w JOIN links AS l ON meta(w).id = l.word
            WHERE MATCH(l.texts, 'red') ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $t)
            """
        #expect(try words.rows(query, target: "[10,0]") == ["11", "3", "1"])
    }

    @Test("L-8: a search with a full-text search in the same collection and a limit gives the nearest of the documents with the text")
    func matchWithLimit() throws {
        // A search without condition would look at one of eight buckets.
        let words = try VectorDatabase.withPoints(0, VectorIndexOptions(dimensions: 2, centroids: 8, probes: 1))
        try words.database.file.transaction { _ in
            for n in 0..<200 { try words.save("w\(n)", n, 0, more: #","n":\#(n),"text":"\#(n % 20 == 0 ? "red" : "blue") house""#) }
        }
        #expect(try words.state().isTrained)
        try words.database.indexes.create(IndexDefinition(name: "texts", kind: .fullText(.init()), text: "text"), on: words.words)
        let query = "SELECT n FROM words WHERE MATCH(texts, 'red') ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 4"
        #expect(try words.rows(query, target: "[97,0]") == ["100", "80", "120", "60"])
        #expect(try words.nearest(200, target: "[97,0]").count < 100)
    }

    @Test("L-10: each name of a metric fits an index of that metric and no other", arguments: VectorMetric.allCases)
    func metrics(metric: VectorMetric) throws {
        let names: [(VectorMetric, [String])] = [
            (.euclideanSquared, ["EUCLIDEAN_SQUARED", "L2_SQUARED", "EUCLIDEAN2", "DEFAULT", "euclidean_squared"]),
            (.euclidean, ["EUCLIDEAN", "L2", "l2"]), (.cosine, ["COSINE", "COSINE_DISTANCE"]), (.dot, ["DOT", "DOT_PRODUCT_DISTANCE"]),
        ]
        let words = try VectorDatabase.withPoints(3, VectorIndexOptions(dimensions: 2, centroids: 1, metric: metric))
        for (other, names) in names {
            for name in names {
                let query = "SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, '\(name)') LIMIT 5"
                if other == metric {
                    #expect(try words.rows(query).count == 3, "\(name)")
                } else {
                    let error = #expect(throws: QueryError.self) { try words.rows(query) }
                    #expect(error?.kind == .invalidQuery, "\(name)")
                    let message = "\(other.name) does not match the index's metric, \(metric.name)"
                    #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
                }
            }
        }
        for name in ["COSINE_SIMILARITY", "DOT_PRODUCT_SIMILARITY"] {
            #expect(throws: QueryError.self) {
                try words.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, '\(name)') LIMIT 5")
            }
        }
    }

    @Test("L-12, L-13: a dictionary in a lazy expression is never missing; a document without the value needs no vector")
    func lazyExpressions() throws {
        var options = VectorIndexOptions(dimensions: 2, centroids: 1)
        options.isLazy = true
        let words = try VectorDatabase.withPoints(3, nil)
        try words.database.save("none", "{}", in: "words")
        try words.createIndex("dictionaries", expression: "{'key': n}", options: options)
        try words.createIndex("values", expression: "n", options: options)
        let dictionaries = try #require(try VectorUpdate.begin("dictionaries", on: words.words, limit: 100))
        #expect(dictionaries.count == 4)
        #expect(try JSON.string(#require(dictionaries.values.root)) == #"[{"key":0},{"key":1},{"key":2},{}]"#)
        let values = try #require(try VectorUpdate.begin("values", on: words.words, limit: 100))
        #expect(values.count == 3)
        try values.finish((0..<3).map { .vector([Float($0), 0]) }, on: words.words)
        try words.database.save("another", #"{"m":1}"#, in: "words")
        #expect(try VectorUpdate.begin("values", on: words.words, limit: 100) == nil)
    }

    @Test("L-14: creating and deleting indexes leaves the list of collections as it is")
    func collections() throws {
        let words = try VectorDatabase.withPoints(3, nil)
        let before = try words.database.file.collectionIDs()
        try words.createIndex()
        #expect(try words.database.file.collectionIDs() == before)
        try words.database.indexes.delete("words_index", on: words.words)
        #expect(try words.database.file.collectionIDs() == before)
        let left = try words.database.file.read {
            try $0.connection.texts("SELECT name FROM sqlite_master WHERE name LIKE '%:vector:%'")
        }
        #expect(left == [])
    }
}
