import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The behaviours VS-1 to VS-24 of the original's tests (Vector search 12.1), except for those of prediction.
@Suite("Vector search", .serialized)
struct VectorSearchTests {
    @Test("VS-1, VS-2: a configuration has defaults and reads back what was set")
    func configuration() {
        var config = VectorIndexConfiguration(expression: "vector", dimensions: 300, centroids: 20)
        #expect(config.expression == "vector" && config.dimensions == 300 && config.centroids == 20)
        #expect(config.encoding == .scalarQuantizer(type: .SQ8) && config.metric == .euclideanSquared)
        #expect(config.minTrainingSize == 0 && config.maxTrainingSize == 0 && config.numProbes == 0 && !config.isLazy)
        config.encoding = .none
        config.metric = .cosine
        (config.minTrainingSize, config.maxTrainingSize, config.isLazy) = (100, 200, true)
        #expect(config.encoding == .none && config.metric == .cosine && config.isLazy)
        #expect(config.minTrainingSize == 100 && config.maxTrainingSize == 200)
    }

    @Test("VS-3, VS-4: dimensions and centroids have limits")
    func limits() throws {
        let words = try WordsDatabase()
        for (dimensions, centroids) in [(2, 8), (4096, 8), (300, 1), (300, 64000)] as [(UInt32, UInt32)] {
            let config = try VectorIndexConfiguration(validating: "vector", dimensions: dimensions, centroids: centroids)
            try words.words.createIndex(withName: "index", config: config)
        }
        for (dimensions, centroids) in [(1, 8), (4097, 8), (300, 0), (300, 64001)] as [(UInt32, UInt32)] {
            expectFailure(CBLError.invalidParameter) {
                _ = try VectorIndexConfiguration(validating: "vector", dimensions: dimensions, centroids: centroids)
            }
            let reported = misuse { _ = VectorIndexConfiguration(expression: "vector", dimensions: dimensions, centroids: centroids) }
            #expect(reported?.name == invalidArgument)
        }
    }

    @Test("VS-5, VS-6: the index contains the documents, and follows them")
    func documents() throws {
        let words = try WordsDatabase()
        try words.createIndex()
        #expect(try words.words.indexes() == ["words_index"])
        #expect(try words.search(20).count == 20)
        #expect(try words.search(350).count == 300)
        for id in ["word1", "word2"] {
            let other = try #require(try words.moreWords.document(id: id))
            try words.words.save(document: MutableDocument(id: "new-\(id)", data: other.toDictionary()))
        }
        let third = try #require(try words.moreWords.document(id: "word3"))
        try words.words.save(document: MutableDocument(id: "word1", data: third.toDictionary()), concurrencyControl: .lastWriteWins)
        try words.words.delete(document: try #require(try words.words.document(id: "word2")))
        let found = try words.search(350)
        #expect(found.count == 301)
        let byID = Dictionary(uniqueKeysWithValues: found.map { ($0.string(forKey: "id") ?? "", $0.string(forKey: "word") ?? "") })
        #expect(byID["new-word1"] == "x1" && byID["new-word2"] == "x2" && byID["word1"] == "x3" && byID["word2"] == nil)
    }

    @Test("VS-7: documents without a valid vector are not in the index")
    func invalidVectors() throws {
        let words = try WordsDatabase()
        func change(_ id: String, _ change: (MutableDocument) -> Void) throws {
            let document = try #require(try words.words.document(id: id)).toMutable()
            change(document)
            try words.words.save(document: document)
        }
        try change("word1") { $0.setValue(nil, forKey: "vector") }
        try change("word2") { $0.setString("string", forKey: "vector") }
        try change("word3") { $0.removeValue(forKey: "vector") }
        try change("word4") { $0.array(forKey: "vector")?.removeValue(at: 0) }
        try words.createIndex()
        let ids = try words.ids(350)
        #expect(ids.count == 296)
        #expect(ids.isDisjoint(with: ["word1", "word2", "word3", "word4"]))
        try change("word5") { $0.setValue(nil, forKey: "vector") }
        #expect(try words.ids(350).count == 295)
    }

    @Test("VS-10, VS-11, VS-12: every encoding finds documents")
    func encodings() throws {
        let words = try WordsDatabase()
        let encodings: [VectorEncoding] = [
            .scalarQuantizer(type: .SQ4), .scalarQuantizer(type: .SQ6), .scalarQuantizer(type: .SQ8), .none,
            .productQuantizer(subquantizers: 5, bits: 8), .productQuantizer(subquantizers: 5, bits: 4),
            .productQuantizer(subquantizers: 5, bits: 12),
        ]
        for encoding in encodings {
            try words.createIndex { $0.encoding = encoding }
            #expect(try words.search(20).count == 20, "\(encoding)")
            let isTrained = try #require(try words.words.index(withName: "words_index")).isTrained
            if case .productQuantizer = encoding { #expect(!isTrained) } else { #expect(isTrained) }
        }
    }

    @Test("VS-13, VS-15: configurations that make no sense are programming errors when the index is created")
    func senseless() throws {
        let words = try WordsDatabase()
        let changes: [(inout VectorIndexConfiguration) -> Void] = [
            { $0.encoding = .productQuantizer(subquantizers: 0, bits: 8) }, { $0.encoding = .productQuantizer(subquantizers: 7, bits: 8) },
            { $0.encoding = .productQuantizer(subquantizers: 5, bits: 13) }, { ($0.minTrainingSize, $0.maxTrainingSize) = (10, 9) },
            { $0.numProbes = 9 },
        ]
        for change in changes {
            nonisolated(unsafe) let change = change
            #expect(misuse { try? words.createIndex(change) }?.name == invalidArgument)
        }
        #expect(try words.words.indexes() == [])
        // Nothing fits without documents, but the configurations are the same.
        let empty = try words.database.createCollection(name: "categories")
        let divisors: [UInt32] = [2, 3, 4, 5, 6, 10, 12, 15, 20, 25, 30, 50, 60, 75, 100, 150, 300]
        for subquantizers in divisors {
            var config = VectorIndexConfiguration(expression: "vector", dimensions: WordsDatabase.dimensions, centroids: 8)
            config.encoding = .productQuantizer(subquantizers: subquantizers, bits: 8)
            try empty.createIndex(withName: "index\(subquantizers)", config: config)
        }
        #expect(try empty.indexes().count == divisors.count)
        try words.words.createIndex(
            withName: "small",
            config: {
                var config = VectorIndexConfiguration(expression: "vector", dimensions: 300, centroids: 20)
                (config.minTrainingSize, config.maxTrainingSize) = (1, 100)
                return config
            }()
        )
    }

    @Test("VS-14, VS-16: training needs 25 vectors for each centroid, and an untrained index logs a warning")
    func training() throws {
        let words = try WordsDatabase()
        try words.createIndex { ($0.minTrainingSize, $0.maxTrainingSize) = (100, 100) }
        #expect(try #require(try words.words.index(withName: "words_index")).isTrained)
        #expect(try words.search(20).count == 20)
        try words.createIndex { ($0.minTrainingSize, $0.maxTrainingSize) = (400, 500) }
        let index = try #require(try words.words.index(withName: "words_index"))
        #expect(try !index.isTrained)
        #expect(try index.vectorCount == 300)
        #expect(try words.search(20).count == 20)
    }

    @Test("VS-17, VS-18: another metric or expression replaces the index")
    func replacing() throws {
        let words = try WordsDatabase()
        let metrics: [(DistanceMetric, String)] = [
            (.euclideanSquared, "EUCLIDEAN_SQUARED"), (.euclidean, "EUCLIDEAN"), (.cosine, "COSINE"), (.dot, "DOT"),
        ]
        for (metric, name) in metrics {
            try words.createIndex { $0.metric = metric }
            try words.createIndex { $0.metric = metric }
            #expect(try words.search(20, metric: name).count == 20, "\(name)")
            let index = try #require(try words.words.index(withName: "words_index"))
            #expect(try index.isTrained, "\(name)")
        }
        try words.words.createIndex(
            withName: "words_index",
            config: VectorIndexConfiguration(expression: "vectors", dimensions: 300, centroids: 8)
        )
        #expect(try words.search(20, by: "vectors").isEmpty)
    }

    @Test("VS-19, VS-20, VS-21: a query needs an index and a limit")
    func errors() throws {
        let words = try WordsDatabase()
        expectFailure(CBLError.missingIndex) { _ = try words.search() }
        try words.createIndex()
        for limit in [-1, 0] { #expect(try words.search(limit).isEmpty) }
        #expect(try words.search(1).count == 1)
        #expect(try words.search(10000).count == 300)
        expectFailure(CBLError.invalidQuery) { _ = try words.search(10001) }
        expectFailure(CBLError.invalidQuery) {
            _ = try words.search(where: "APPROX_VECTOR_DISTANCE(vector, $vector) < 0.5 OR catid = 'cat1'")
        }
        try words.words.deleteIndex(forName: "words_index")
        #expect(try words.words.indexes() == [])
        expectFailure(CBLError.missingIndex) { _ = try words.search() }
    }

    @Test("VS-22, X-1: with conditions all documents that satisfy them are found")
    func hybrid() throws {
        let words = try WordsDatabase()
        try words.createIndex()
        for condition in ["word IS VALUED AND catid = 'cat1'", "catid = 'cat1'"] {
            let found = try words.search(300, where: condition)
            #expect(found.count == 50)
            #expect(found.allSatisfy { $0.string(forKey: "catid") == "cat1" })
        }
    }

    @Test("VS-23: a vector can be base64 of floats")
    func base64() throws {
        let words = try WordsDatabase()
        let document = try #require(try words.words.document(id: "word49")).toMutable()
        let bytes = WordsDatabase.dinner.flatMap { number in
            withUnsafeBytes(of: Float(number + 0.001).bitPattern.littleEndian) { Array($0) }
        }
        document.setString(Data(bytes).base64EncodedString(), forKey: "vector")
        try words.words.save(document: document)
        try words.createIndex()
        #expect(try words.search(20).first?.string(forKey: "id") == "word49")
    }

    @Test("VS-24: fewer probes find fewer documents")
    func probes() throws {
        let words = try WordsDatabase()
        try words.createIndex { $0.numProbes = 5 }
        let five = try words.search(300).count
        try words.createIndex { $0.numProbes = 1 }
        let one = try words.search(300).count
        #expect(0 < one && one < five)
    }

    @Test("a target that is no vector is an error of SQLite when the query runs")
    func targets() throws {
        let words = try WordsDatabase()
        try words.createIndex()
        let query = try words.database.createQuery("SELECT word FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $vector) LIMIT 3")
        query.parameters = Parameters().setArray(MutableArrayObject(data: [1, 2]), forName: "vector")
        let error = #expect(throws: (any Error).self) { try query.execute() }
        #expect((error as NSError?)?.domain == "CouchbaseLite.SQLite")
        #expect((error as NSError?)?.code == 1)
    }

    @Test("an index is copied, encrypted and compacted with its database")
    func files() throws {
        let words = try WordsDatabase()
        try Extension.enableVectorSearch()
        try words.createIndex()
        let before = try words.ids()
        try words.database.performMaintenance(type: .compact)
        try words.database.performMaintenance(type: .reindex)
        try words.database.performMaintenance(type: .integrityCheck)
        #expect(try words.ids() == before)
        try words.database.changeEncryptionKey(EncryptionKey.password("secret"))
        #expect(try words.ids() == before)
        try words.database.changeEncryptionKey(nil)
        #expect(try words.ids() == before)
        let info = try #require(try words.words.indexesInfo()?.first)
        #expect(info["type"] as? Int == 4 && info["expr"] as? String == "vector" && info["lang"] as? String == "n1ql")
        // T-5
        let path = try #require(words.database.path)
        try words.database.close()
        let config = DatabaseConfiguration()
        config.directory = words.directory.url.path
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)
        let copy = try Database(name: "copy", config: config)
        let index = try #require(try copy.createCollection(name: "words").index(withName: "words_index"))
        #expect(try index.isTrained)
        #expect(try index.vectorCount == 300)
        let query = try copy.createQuery("SELECT meta().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $vector) LIMIT 20")
        query.parameters = Parameters().setArray(MutableArrayObject(data: WordsDatabase.dinner), forName: "vector")
        #expect(try Set(query.execute().allResults().compactMap { $0.string(at: 0) }) == before)
    }
}
