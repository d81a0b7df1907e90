import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Concurrent threads on one database")
struct ManyThreadsTests {
    private static let threads = 8
    private static let operations = 300

    @Test("no change and no notification is lost when eight threads save, delete, batch, read and listen concurrently")
    func together() throws {
        let seed = TestSeed.forThisTest()
        let folder = try DatabaseFolder()
        let databases = try [folder.open(), folder.open()]
        _ = try databases[0].createCollection(name: "things")
        let received = Recorder<[String]>()
        let queue = DispatchQueue(label: "heard")
        let things = try #require(try databases[1].collection(name: "things"))
        things.addChangeListener(queue: queue) { received.append($0.documentIDs) }
        let expected = Mutex<[String: Int?]>([:])

        let group = DispatchGroup()
        for thread in 0..<Self.threads {
            group.enter()
            Thread.detachNewThread {
                #expect(throws: Never.self, "seed \(seed)") {
                    let own = try Self.work(thread, seed: seed, database: databases[thread % 2])
                    expected.withLock { $0.merge(own) { $1 } }
                }
                group.leave()
            }
        }
        group.wait()

        let all = expected.withLock { $0 }
        for (id, number) in all {
            #expect(try things.document(id: id)?.int(forKey: "n") == number, "seed \(seed): \(id)")
        }
        #expect(things.count == UInt64(all.values.count { $0 != nil }))
        #expect(databases[0]["shared"]["n"].int == Self.threads * (Self.operations / 10), "seed \(seed)")
        try things.save(document: MutableDocument(id: "last"))
        let ids = Set(received.wait { $0.last == ["last"] }.joined())
        #expect(ids == Set(all.keys).union(["last"]), "seed \(seed)")
        for database in databases { try database.close() }
        #expect(try folder.problems() == [], "seed \(seed)")
    }

    /// The work of one thread. Returns its documents with their final numbers, nil for deleted ones.
    private static func work(_ thread: Int, seed: UInt64, database: Database) throws -> [String: Int?] {
        var generator = SeededGenerator(seed: seed &+ UInt64(thread))
        let collection = try #require(try database.collection(name: "things"))
        var documents: [String: Int?] = [:]
        func set(_ id: String, _ number: Int) throws {
            let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
            try collection.save(document: document.setInt(number, forKey: "n").setInt(1, forKey: "key\(number % 50)"))
        }
        for number in 0..<operations {
            let id = "\(thread)-\(Int.random(in: 0..<40, using: &generator))"
            switch number % 10 {
            case 0..<5:
                try set(id, number)
                documents[id] = number
            case 5:
                if let document = try collection.document(id: id) { try collection.delete(document: document) }
                if documents[id] != nil { documents[id] = .some(nil) }
            case 6:
                let ids = (0..<5).map { "\(thread)-batch-\($0)" }
                try database.inBatch { for id in ids { try set(id, number) } }
                for id in ids { documents[id] = number }
            case 7:
                let document = database.document(withID: "shared")?.toMutable() ?? MutableDocument(id: "shared")
                document.setInt(document.int(forKey: "n") + 1, forKey: "n")
                try database.saveDocument(document) { mine, theirs in
                    mine.setInt((theirs?.int(forKey: "n") ?? 0) + 1, forKey: "n")
                    return true
                }
            case 8:
                collection.addDocumentChangeListener(id: id, queue: DispatchQueue.global()) { _ in }.remove()
                #expect(collection.count > 0)
            default:
                #expect(try collection.document(id: id)?.int(forKey: "n") == documents[id] ?? nil)
            }
        }
        return documents
    }
}
