import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Change listeners")
struct ListenerTests {
    struct Oops: Error {}

    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let queue = DispatchQueue(label: "listeners")

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
    }

    /// The groups of IDs of which a listener of `collection` is notified, from now on.
    private func groups(of collection: Collection) -> (Recorder<[String]>, ListenerToken) {
        let recorder = Recorder<[String]>()
        let token = collection.addChangeListener(queue: queue) { recorder.append($0.documentIDs) }
        return (recorder, token)
    }

    @Test("a collection listener is notified of saves, deletions and purges of each commit in order")
    func order() throws {
        let (recorder, token) = groups(of: collection)
        let document = MutableDocument(id: "a")
        try collection.save(document: document)
        try collection.save(document: document)
        try collection.save(document: MutableDocument(id: "b"))
        try collection.delete(document: document)
        try collection.purge(id: "b")
        try database.saveDocument(MutableDocument(id: "elsewhere"))
        try collection.save(document: MutableDocument(id: "last"))
        #expect(recorder.wait { $0.last == ["last"] } == [["a"], ["a"], ["b"], ["a"], ["b"], ["last"]])
        token.remove()
    }

    @Test("a listener gets the collection of the database object to which it was added")
    func change() throws {
        let twin = try folder.open()
        let recorder = Recorder<(Collection, Database?)>()
        let twinsCollection = try #require(try twin.collection(name: "things"))
        twinsCollection.addChangeListener(queue: queue) { recorder.append(($0.collection, nil)) }
        twinsCollection.addDocumentChangeListener(id: "a", queue: queue) { recorder.append(($0.collection, nil)) }
        let twinsDefault = try twin.defaultCollection()
        twin.addChangeListener(withQueue: queue) { recorder.append((twinsDefault, $0.database)) }
        try collection.save(document: MutableDocument(id: "a"))
        try database.saveDocument(MutableDocument(id: "a"))
        let received = recorder.wait(forCount: 3)
        #expect(received.allSatisfy { $0.0.database === twin })
        #expect(received[0].0 == collection)
        #expect(received[2].1 === twin)
    }

    @Test("listeners are notified of a batch once after its commit, with each document once")
    func batch() throws {
        let (recorder, _) = groups(of: collection)
        let documentRecorder = Recorder<String>()
        let database = database
        collection.addDocumentChangeListener(id: "b", queue: queue) { change in
            // The commit is visible to the notified listener.
            documentRecorder.append("\(change.documentID) \(change.collection["b"]["n"].int)")
        }
        let document = MutableDocument(id: "b")
        try database.inBatch {
            try collection.save(document: MutableDocument(id: "a"))
            for number in 1...5 { try collection.save(document: document.setInt(number, forKey: "n")) }
            try collection.save(document: MutableDocument(id: "c"))
            try collection.purge(id: "a")
            queue.sync {}
            #expect(recorder.all.isEmpty)
        }
        try collection.save(document: MutableDocument(id: "last"))
        #expect(recorder.wait { $0.last == ["last"] } == [["a", "b", "c"], ["last"]])
        #expect(documentRecorder.wait(forCount: 1) == ["b 5"])
    }

    @Test("listeners are not notified of conflicts, errors, rolled-back batches and set expirations")
    func failures() throws {
        let (recorder, _) = groups(of: collection)
        try collection.save(document: MutableDocument(id: "a"))
        #expect(try !collection.save(document: MutableDocument(id: "a"), concurrencyControl: .failOnConflict))
        #expect(try !collection.save(document: MutableDocument(id: "a")) { _, _ in false })
        #expect(thrown { try collection.save(document: MutableDocument(id: "_")) } != nil)
        #expect(thrown { try collection.purge(id: "unknown") } != nil)
        try collection.setDocumentExpiration(id: "a", expiration: .distantFuture)
        #expect(throws: NSError.self) {
            try database.inBatch {
                try collection.save(document: MutableDocument(id: "b"))
                throw Oops()
            }
        }
        try collection.save(document: MutableDocument(id: "last"))
        #expect(recorder.wait { $0.last == ["last"] } == [["a"], ["last"]])
    }

    @Test("listeners are notified of large batches in groups of a thousand")
    func largeBatches() throws {
        let (recorder, _) = groups(of: collection)
        let ids = (0..<2500).map { "doc\($0)" }
        try database.inBatch {
            for id in ids { try collection.save(document: MutableDocument(id: id)) }
        }
        let received = recorder.wait { $0.joined().count >= 2500 }
        #expect(received.map(\.count) == [1000, 1000, 500])
        #expect(received.flatMap { $0 } == ids)
    }

    @Test("a document listener is notified of every commit that changes its document")
    func documentListener() throws {
        let recorder = Recorder<Bool>()
        database.addDocumentChangeListener(withID: "a", queue: queue) { change in
            recorder.append(change.documentID == "a" && change.collection.name == "_default")
        }
        let document = MutableDocument(id: "a")
        try database.saveDocument(document)
        try database.saveDocument(MutableDocument(id: "b"))
        try collection.save(document: MutableDocument(id: "a"))
        try database.deleteDocument(document)
        try database.deleteDocument(document)
        try database.saveDocument(document)
        try database.purgeDocument(document)
        #expect(recorder.wait(forCount: 5) == [true, true, true, true, true])
        queue.sync {}
        #expect(recorder.all.count == 5)
    }

    @Test("listeners are notified when documents expire, and at once if the expiration is past")
    func expiring() throws {
        for id in ["past", "soon", "never"] { try collection.save(document: MutableDocument(id: id)) }
        let (recorder, _) = groups(of: collection)
        let documentRecorder = Recorder<Bool>()
        collection.addDocumentChangeListener(id: "soon", queue: queue) { change in
            documentRecorder.append(change.collection["soon"].exists)
        }
        let soon = Date(timeIntervalSinceNow: 0.1)
        try collection.setDocumentExpiration(id: "never", expiration: .distantFuture)
        try collection.setDocumentExpiration(id: "soon", expiration: soon)
        try collection.setDocumentExpiration(id: "past", expiration: Date(timeIntervalSinceNow: -1))
        #expect(recorder.wait(forCount: 2) == [["past"], ["soon"]])
        #expect(Date() >= soon)
        #expect(documentRecorder.wait(forCount: 1) == [false])
        #expect(try collection.document(id: "past") == nil)
        #expect(collection.count == 1)
    }

    @Test("listeners are called on the main queue by default")
    func mainQueue() async throws {
        let collection = collection
        // The main queue need not run on the main thread on Linux.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        for variant in 0..<4 {
            let isMain: Bool = await withCheckedContinuation { continuation in
                let answer = Once { continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false) }
                switch variant {
                case 0: collection.addChangeListener { _ in answer() }
                case 1: collection.addChangeListener(queue: nil) { _ in answer() }
                case 2: collection.addDocumentChangeListener(id: "a") { _ in answer() }
                default: collection.addDocumentChangeListener(id: "a", queue: nil) { _ in answer() }
                }
                #expect(throws: Never.self) { try collection.save(document: MutableDocument(id: "a")) }
            }
            #expect(isMain)
        }
    }

    @Test("a listener is called on the given queue, and never concurrently even if the queue is concurrent")
    func givenQueue() throws {
        let key = DispatchSpecificKey<Int>()
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        concurrent.setSpecific(key: key, value: 7)
        let recorder = Recorder<[String]>()
        let inside = NSLock()
        collection.addChangeListener(queue: concurrent) { change in
            #expect(inside.try(), "two calls at once")
            #expect(DispatchQueue.getSpecific(key: key) == 7)
            recorder.append(change.documentIDs)
            inside.unlock()
        }
        for number in 0..<200 { try collection.save(document: MutableDocument(id: "\(number)")) }
        #expect(recorder.wait(forCount: 200) == (0..<200).map { ["\($0)"] })
    }

    @Test("a removed listener is not called, and may be removed twice")
    func removal() throws {
        let (removed, token) = groups(of: collection)
        let (removedToo, other) = groups(of: collection)
        let (kept, _) = groups(of: collection)
        try collection.save(document: MutableDocument(id: "a"))
        kept.wait(forCount: 1)
        token.remove()
        token.remove()
        database.removeChangeListener(withToken: other)
        database.removeChangeListener(withToken: other)
        try collection.save(document: MutableDocument(id: "b"))
        kept.wait(forCount: 2)
        #expect(removed.all == [["a"]])
        #expect(removedToo.all == [["a"]])
        #expect(kept.all == [["a"], ["b"]])
    }

    @Test("listeners can remove themselves and save documents while they are called")
    func reentrant() throws {
        let recorder = Recorder<[String]>()
        let collection = collection
        collection.addChangeListener(queue: queue) { change in
            recorder.append(change.documentIDs)
            guard let number = Int(change.documentIDs[0]), number < 10 else { return }
            #expect(throws: Never.self) { try collection.save(document: MutableDocument(id: "\(number + 1)")) }
        }
        let box = Recorder<ListenerToken>()
        let once = Recorder<[String]>()
        box.append(
            collection.addChangeListener(queue: queue) { change in
                once.append(change.documentIDs)
                box.wait(forCount: 1)[0].remove()
            }
        )
        try collection.save(document: MutableDocument(id: "0"))
        #expect(recorder.wait(forCount: 11) == (0...10).map { ["\($0)"] })
        #expect(once.wait(forCount: 1) == [["0"]])
    }

    @Test("listeners are notified of changes made through another object of the same file")
    func severalObjects() throws {
        let twin = try folder.open()
        let twinsCollection = try #require(try twin.collection(name: "things"))
        let (mine, _) = groups(of: collection)
        let (theirs, _) = groups(of: twinsCollection)
        try collection.save(document: MutableDocument(id: "a"))
        try twinsCollection.save(document: MutableDocument(id: "b"))
        #expect(mine.wait(forCount: 2) == [["a"], ["b"]])
        #expect(theirs.wait(forCount: 2) == [["a"], ["b"]])
        try twin.close()
        try collection.save(document: MutableDocument(id: "c"))
        #expect(mine.wait(forCount: 3).count == 3)
        #expect(theirs.all.count == 2)
    }

    @Test("a listener of a deleted collection is not notified of a new collection of the same name")
    func recreated() throws {
        let (old, _) = groups(of: collection)
        try collection.save(document: MutableDocument(id: "a"))
        old.wait(forCount: 1)
        try database.deleteCollection(name: "things")
        let fresh = try database.createCollection(name: "things")
        let (new, _) = groups(of: fresh)
        try fresh.save(document: MutableDocument(id: "b"))
        #expect(new.wait(forCount: 1) == [["b"]])
        #expect(old.all == [["a"]])
    }

    @Test("document listeners distinguish canonically equivalent IDs by their bytes")
    func canonicallyEqualIDs() throws {
        let (recorder, _) = groups(of: collection)
        let received = Recorder<String>()
        collection.addDocumentChangeListener(id: "\u{E9}", queue: queue) { received.append($0.documentID) }
        try database.inBatch {
            try collection.save(document: MutableDocument(id: "\u{E9}"))
            try collection.save(document: MutableDocument(id: "e\u{301}"))
        }
        try collection.save(document: MutableDocument(id: "e\u{301}"))
        #expect(recorder.wait(forCount: 2).map(\.count) == [2, 1])
        #expect(received.all.count == 1)
    }

    @Test("a database listener is notified of changes in the default collection only")
    func databaseListener() throws {
        let recorder = Recorder<[String]>()
        let token = database.addChangeListener(withQueue: queue) { recorder.append($0.documentIDs) }
        try collection.save(document: MutableDocument(id: "elsewhere"))
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "a"))
            try collection.save(document: MutableDocument(id: "elsewhere too"))
            try database.saveDocument(MutableDocument(id: "b"))
        }
        #expect(recorder.wait(forCount: 1) == [["a", "b"]])
        token.remove()
    }

    @Test("listeners do not keep the database or their captured objects alive")
    func noCycles() throws {
        final class Witness: Sendable {}
        var database: Database? = try folder.open("other")
        weak let watched = database
        var witness: Witness? = Witness()
        weak let watchedWitness = witness
        let recorder = Recorder<Int>()
        var tokens: [ListenerToken] = []
        try autoreleased {
            let collection = try #require(try database?.defaultCollection())
            let held = try #require(witness)
            tokens.append(
                collection.addChangeListener(queue: queue) { _ in
                    withExtendedLifetime(held) { recorder.append(1) }
                }
            )
            collection.addDocumentChangeListener(id: "a", queue: queue) { _ in withExtendedLifetime(held) {} }
            try collection.save(document: MutableDocument(id: "a"))
            recorder.wait(forCount: 1)
        }
        witness = nil
        // When its queue is idle, all objects captured by the called listener have been released.
        queue.sync {}
        database = nil
        queue.sync {}
        #expect(watched == nil)
        #expect(watchedWitness == nil)
        tokens[0].remove()
        try Database.delete(withName: "other", inDirectory: folder.path)
    }

    @Test("an object owned only by its listener may remove its own listeners in its deinit")
    func ownersOfTokens() throws {
        final class Owner: Sendable {
            let tokens = Recorder<ListenerToken>()
            deinit { for token in tokens.all { token.remove() } }
        }
        let removed = Recorder<Bool>()
        let collection = collection
        let queue = queue
        try onOtherThread {
            let owner = Owner()
            owner.tokens.append(collection.addChangeListener(queue: queue) { _ in removed.append(false) })
            let token = collection.addChangeListener(queue: queue) { _ in withExtendedLifetime(owner) {} }
            removed.append(true)
            return token
        }
        .remove()
        try collection.save(document: MutableDocument(id: "a"))
        queue.sync {}
        #expect(removed.all == [true])
    }

    private func autoreleased(_ body: () throws -> Void) rethrows {
        #if canImport(ObjectiveC)
        try autoreleasepool { try body() }
        #else
        try body()
        #endif
    }
}

/// Runs something the first time it is called.
private final class Once: @unchecked Sendable {
    // Unchecked: `body` is touched only while `lock` is held.
    private let lock = NSLock()
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func callAsFunction() {
        let body = lock.withLock {
            defer { self.body = nil }
            return self.body
        }
        body?()
    }
}
