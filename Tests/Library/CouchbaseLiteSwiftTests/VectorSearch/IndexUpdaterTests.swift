import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The behaviours LZ-1 to LZ-12 and of the original's tests (Vector search 12.1).
@Suite("Lazy vector indexes", .serialized)
struct IndexUpdaterTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let collection: Collection

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "db", config: config)
        collection = try database.createCollection(name: "words")
    }

    private func save(_ count: Int) throws {
        try database.inBatch {
            for n in 0..<count { try collection.save(document: MutableDocument(id: "w\(n)", data: ["word": n])) }
        }
    }

    private func createIndex(_ expression: String = "word") throws -> QueryIndex {
        var config = VectorIndexConfiguration(expression: expression, dimensions: 2, centroids: 8)
        config.isLazy = true
        try collection.createIndex(withName: "lazy", config: config)
        return try #require(try collection.index(withName: "lazy"))
    }

    private func found() throws -> [String] {
        let query = try database.createQuery("SELECT meta().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(word, $v) LIMIT 300")
        query.parameters = Parameters().setArray(MutableArrayObject(data: [0, 0]), forName: "v")
        return try query.execute().allResults().compactMap { $0.string(at: 0) }
    }

    @Test("LZ-1, LZ-2: an index is lazy only if its configuration says so")
    func configuration() throws {
        var config = VectorIndexConfiguration(expression: "word", dimensions: 2, centroids: 8)
        #expect(!config.isLazy && !VectorIndexConfiguration.defaultIsLazy)
        try save(1)
        try collection.createIndex(withName: "index", config: config)
        let regular = try #require(try collection.index(withName: "index"))
        expectFailure(CBLError.unsupported) { _ = try regular.beginUpdate(limit: 1) }
        config.isLazy = true
        #expect(config.isLazy)
        try collection.createIndex(withName: "index", config: config)
        let lazy = try #require(try collection.index(withName: "index"))
        #expect(try lazy.beginUpdate(limit: 1)?.count == 1)
    }

    @Test("LZ-3, LZ-4, LZ-5, LZ-6, X-3, X-6: only a lazy vector index can be updated")
    func otherIndexes() throws {
        #expect(try collection.index(withName: "none") == nil)
        try collection.createIndex(withName: "value", config: ValueIndexConfiguration(["word"]))
        try collection.createIndex(withName: "vectors", config: VectorIndexConfiguration(expression: "v", dimensions: 2, centroids: 8))
        for name in ["value", "vectors"] {
            let index = try #require(try collection.index(withName: name))
            #expect(index.name == name && index.collection === collection)
            expectFailure(CBLError.unsupported) { _ = try index.beginUpdate(limit: 10) }
            #expect(misuse { _ = try? index.beginUpdate(limit: 0) }?.name == invalidArgument)
        }
        expectFailure(CBLError.invalidParameter) { _ = try #require(try collection.index(withName: "value")).isTrained }
        expectFailure(CBLError.invalidParameter) { _ = try #require(try collection.index(withName: "value")).vectorCount }
    }

    @Test("LZ-7, LZ-8, LZ-9: an updater is an array of the values")
    func values() throws {
        let blob = Blob(contentType: "text/plain", data: Data("content".utf8))
        let date = try #require(try? Date("2024-05-10T00:00:00Z", strategy: .iso8601))
        let all: [Any] = ["a string", 100, 20.8, true, false, date, blob, ["name": "Bob"], ["one", "two", "three"], NSNull()]
        for (n, value) in all.enumerated() {
            try collection.save(document: MutableDocument(id: "d\(n)").setValue(value, forKey: "word"))
        }
        let updater = try #require(try createIndex().beginUpdate(limit: 10))
        #expect(updater.count == 10)
        #expect((0..<10).filter { updater.string(at: $0) != nil } == [0, 5])
        #expect((0..<10).map { updater.int(at: $0) } == [0, 100, 20, 1, 0, 0, 0, 0, 0, 0])
        #expect((0..<10).map { updater.int64(at: $0) } == [0, 100, 20, 1, 0, 0, 0, 0, 0, 0])
        #expect((0..<10).map { updater.double(at: $0) } == [0, 100, 20.8, 1, 0, 0, 0, 0, 0, 0])
        #expect((0..<10).map { updater.float(at: $0) } == [0, 100, 20.8, 1, 0, 0, 0, 0, 0, 0])
        #expect((0..<10).map { updater.boolean(at: $0) } == [true, true, true, true, false, true, true, true, true, false])
        #expect((0..<10).filter { updater.date(at: $0) != nil } == [5])
        #expect((0..<10).filter { updater.blob(at: $0) != nil } == [6])
        #expect(updater.blob(at: 6)?.content == Data("content".utf8))
        #expect((0..<10).filter { updater.dictionary(at: $0) != nil } == [7] && updater.dictionary(at: 7)?.string(forKey: "name") == "Bob")
        #expect((0..<10).filter { updater.array(at: $0) != nil } == [8])
        #expect(updater.value(at: 9) is NSNull && updater.number(at: 2)?.doubleValue == 20.8)
        #expect(updater.toArray().count == 10 && !updater.toJSON().isEmpty && updater[1].int == 100)
        #expect(updater.makeIterator().next() as? String == "a string")
    }

    @Test("LZ-10, X-4, X-5: documents have the vectors that were set, until they change")
    func vectors() throws {
        try save(12)
        let index = try createIndex()
        #expect(try found() == [])
        try collection.save(document: try #require(try collection.document(id: "w11")).toMutable().setInt(12, forKey: "word"))
        #expect(try found() == [])
        let updater = try #require(try index.beginUpdate(limit: 10))
        for n in 0..<10 { try updater.setVector([Float(updater.int(at: n)), 0], at: n) }
        try updater.finish()
        #expect(try found() == (0..<10).map { "w\($0)" })
        #expect(try index.vectorCount == 10)
        try collection.save(document: try #require(try collection.document(id: "w0")).toMutable().setInt(50, forKey: "word"))
        try collection.delete(document: try #require(try collection.document(id: "w1")))
        try collection.purge(id: "w2")
        #expect(try found() == (3..<10).map { "w\($0)" })
    }

    @Test("LZ-11, X-9: skipped documents are offered again, until all are set")
    func skipping() throws {
        try save(30)
        let index = try createIndex()
        let first = try #require(try index.beginUpdate(limit: 10))
        for n in 0..<10 { if n % 2 == 0 { try first.setVector([0, 0], at: n) } else { first.skipVector(at: n) } }
        try first.finish()
        let second = try #require(try index.beginUpdate(limit: 10))
        #expect(Set([1, 3, 5, 7, 9]).isSubset(of: second.map { ($0 as? NSNumber)?.intValue ?? -1 }))
        for n in 0..<10 { try second.setVector([0, 0], at: n) }
        try second.finish()
        let third = try #require(try index.beginUpdate(limit: 100))
        #expect(third.count == 15)
        for n in 0..<15 { try third.setVector(nil, at: n) }
        try third.finish()
        #expect(try index.beginUpdate(limit: 10) == nil)
        #expect(try found().count == 15)
    }

    @Test("LZ-12, X-7, X-8, X-11: wrong uses are refused")
    func refused() throws {
        try save(1)
        let updater = try #require(try createIndex().beginUpdate(limit: 10))
        let uses: [(IndexUpdater) -> Void] = [
            { _ = $0.value(at: 1) }, { _ = $0.string(at: -1) }, { try? $0.setVector([1, 2], at: 1) }, { $0.skipVector(at: 1) },
            { _ = $0.string(at: 1) }, { _ = $0.number(at: 1) }, { _ = $0.int(at: 1) }, { _ = $0.int64(at: 1) }, { _ = $0.float(at: 1) },
            { _ = $0.double(at: 1) }, { _ = $0.boolean(at: 1) }, { _ = $0.date(at: 1) }, { _ = $0.blob(at: 1) }, { _ = $0.array(at: 1) },
            { _ = $0.dictionary(at: 1) },
        ]
        for use in uses {
            nonisolated(unsafe) let use = use
            #expect(misuse { use(updater) }?.name == "NSRangeException")
        }
        expectFailure(CBLError.unsupported) { _ = try updater.finish() }
        expectFailure(CBLError.invalidParameter) { _ = try updater.setVector([1], at: 0) }
        expectFailure(CBLError.invalidParameter) { _ = try updater.setVector([.nan, 1], at: 0) }
        expectFailure(CBLError.unsupported) { _ = try updater.finish() }
        updater.skipVector(at: 0)
        try updater.setVector([1, 2], at: 0)
        try updater.finish()
        #expect(try found() == ["w0"])
        let after: [(IndexUpdater) -> Void] = [
            { _ = $0.count }, { _ = $0.value(at: 0) }, { try? $0.setVector([1, 2], at: 0) }, { $0.skipVector(at: 0) }, { try? $0.finish() },
        ]
        for use in after {
            nonisolated(unsafe) let use = use
            #expect(misuse { use(updater) }?.name == "NSInternalInconsistencyException")
        }
    }

    @Test("X-8, X-9: an update is finished as a whole, and 300 documents need three updates of 100")
    func whole() throws {
        try save(300)
        let index = try createIndex()
        for round in 0..<3 {
            let updater = try #require(try index.beginUpdate(limit: 100))
            #expect(updater.count == 100)
            for n in 0..<99 { try updater.setVector([Float(updater.int(at: n)), 0], at: n) }
            expectFailure(CBLError.unsupported) { try updater.finish() }
            #expect(try index.vectorCount == 100 * round)
            try updater.setVector([Float(updater.int(at: 99)), 0], at: 99)
            try updater.finish()
        }
        #expect(try index.beginUpdate(limit: 100) == nil)
        #expect(try Set(found()).count == 300)
    }

    @Test("X-12: a closed database gives no index, and begins no update")
    func closed() throws {
        let index = try createIndex()
        try database.close()
        expectFailure(CBLError.notOpen) { _ = try collection.index(withName: "lazy") }
        expectFailure(CBLError.notOpen) { _ = try index.beginUpdate(limit: 2) }
    }

    @Test("X-10, X-12: an updater that is released leaves no trace, and a deleted collection has no indexes")
    func released() throws {
        try save(2)
        let index = try createIndex()
        try #require(try index.beginUpdate(limit: 2)).setVector([1, 2], at: 0)
        #expect(try found() == [])
        #expect(try index.beginUpdate(limit: 2)?.count == 2)
        try database.deleteCollection(name: "words")
        expectFailure(CBLError.notOpen) { _ = try index.beginUpdate(limit: 2) }
        expectFailure(CBLError.notOpen) { _ = try collection.index(withName: "lazy") }
    }

    @Test("one call computes all vectors that are needed")
    func update() async throws {
        try save(20)
        let index = try createIndex()
        let set = try await index.update(batch: 6) { value in
            let number = (value as? NSNumber)?.intValue ?? 0
            if number == 3 { throw VectorSkipped() }
            return number == 4 ? nil : [Float(number), 0]
        }
        #expect(set == 18)
        #expect(try found().count == 18)
        // Only the skipped one is left.
        let limited = try await index.update(limit: 5) { _ in [0, 0] }
        #expect(limited == 1)
        #expect(await code { try await index.update(batch: 0) { _ in nil } } == CBLError.invalidParameter)
        struct Failure: Error {}
        try save(1)
        await #expect(throws: Failure.self) { try await index.update { _ in throw Failure() } }
    }
}
