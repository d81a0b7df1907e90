import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Query listeners")
struct QueryListenerTests {
    struct Oops: Error {}

    let folder: DatabaseFolder
    let database: Database
    let query: Query
    let queue = DispatchQueue(label: "listeners")

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        query = try database.createQuery("SELECT meta().id FROM _ WHERE n > $low ORDER BY n")
        query.parameters = Parameters().setInt(0, forName: "low")
    }

    private func save(_ id: String, _ n: Int) throws {
        try database.saveDocument(MutableDocument(id: id).setInt(n, forKey: "n"))
    }

    /// The notifications of a query listener: the IDs, or the code of the error.
    private func changes(of query: Query) -> (Recorder<[String]>, ListenerToken) {
        let recorder = Recorder<[String]>()
        let token = query.addChangeListener(withQueue: queue) { change in
            recorder.append(change.results?.map { $0.string(at: 0) ?? "" } ?? [change.errorCode])
        }
        return (recorder, token)
    }

    @Test("query listeners are notified of the first results and of changed ones")
    func results() throws {
        let (recorder, token) = changes(of: query)
        #expect(recorder.wait(forCount: 1) == [[]])
        try save("a", 1)
        #expect(recorder.wait(forCount: 2).last == ["a"])
        let (later, _) = changes(of: query)
        #expect(later.wait(forCount: 1) == [["a"]])
        try database.inBatch {
            try save("b", 2)
            try save("c", 0)
        }
        #expect(recorder.wait(forCount: 3).last == ["a", "b"])
        #expect(later.wait(forCount: 2).last == ["a", "b"])
        query.removeChangeListener(withToken: token)
        try save("d", 3)
        #expect(later.wait(forCount: 3).last == ["a", "b", "d"])
        queue.sync {}
        #expect(recorder.all.count == 3)
    }

    @Test("with a minimum run interval, changes wait, and new parameters do not")
    func minimumRunInterval() throws {
        #expect(query.minimumRunInterval == 0)
        query.minimumRunInterval = .infinity
        let (recorder, _) = changes(of: query)
        #expect(recorder.wait(forCount: 1) == [[]])
        try save("a", 1)
        query.parameters = Parameters().setInt(0, forName: "low")
        #expect(recorder.wait(forCount: 2) == [[], ["a"]])
        for (interval, id) in [(Double.nan, "b"), (-1, "c"), (0, "d")] {
            query.minimumRunInterval = interval
            try save(id, 2)
            recorder.wait { $0.last?.last == id }
        }
        #expect(recorder.all.last == ["a", "b", "c", "d"])
    }

    @Test("each query listener gets the query and a separate result set")
    func change() throws {
        try save("a", 1)
        let recorder = Recorder<(Query, [String], [String])>()
        for _ in 0..<2 {
            query.addChangeListener(withQueue: queue) { change in
                let ids = change.results?.map { $0.string(at: 0) ?? "" } ?? []
                recorder.append((change.query, ids, change.results?.allResults().map { $0.toJSON() } ?? []))
            }
        }
        let received = recorder.wait(forCount: 2)
        #expect(received.allSatisfy { $0.0 === query && $0.1 == ["a"] && $0.2 == [] })
    }

    @Test("setting parameters notifies all query listeners, even if the results are the same")
    func parameters() throws {
        try save("a", 1)
        let (recorder, _) = changes(of: query)
        let (second, _) = changes(of: query)
        recorder.wait(forCount: 1)
        second.wait(forCount: 1)
        query.parameters = Parameters().setInt(5, forName: "low")
        #expect(recorder.wait(forCount: 2) == [["a"], []])
        query.parameters = Parameters().setInt(6, forName: "low")
        #expect(recorder.wait(forCount: 3) == [["a"], [], []])
        #expect(second.wait(forCount: 3) == [["a"], [], []])
        query.parameters = Parameters().setInt(6, forName: "lower")
        #expect(recorder.wait(forCount: 4).last == ["\(CBLError.invalidQueryParam)"])
        query.parameters = Parameters().setInt(0, forName: "low")
        #expect(recorder.wait(forCount: 5).last == ["a"])
    }

    @Test("a query listener stays when the query and the token are released")
    func dropped() throws {
        let recorder = Recorder<Query>()
        func listen() throws {
            let query = try database.createQuery("SELECT n FROM _ WHERE n > $low")
            query.parameters = Parameters().setInt(0, forName: "low")
            query.addChangeListener(withQueue: queue) { recorder.append($0.query) }
        }
        try listen()
        recorder.wait(forCount: 1)
        try save("a", 1)
        let copy = try #require(recorder.wait(forCount: 2).last)
        #expect(copy.parameters?.value(forName: "low") as? Int == 0)
        #expect(try copy.execute().allResults().count == 1)
        copy.parameters = Parameters().setInt(7, forName: "low")
        #expect(recorder.wait(forCount: 3).last?.parameters?.value(forName: "low") as? Int == 7)
    }

    @Test("query listeners are notified of the error of a query that cannot be run")
    func errors() throws {
        let invalid = QueryBuilder.select(SelectResult.property("a..b")).from(DataSource.database(database))
        #expect(changes(of: invalid).0.wait(forCount: 1) == [["\(CBLError.invalidQuery)"]])
        let nothing = QueryBuilder.select(SelectResult.property("a"))
        #expect(changes(of: nothing).0.wait(forCount: 1) == [["\(CBLError.invalidQuery)"]])
        try database.close()
        let (recorder, token) = changes(of: query)
        #expect(recorder.wait(forCount: 1) == [["\(CBLError.notOpen)"]])
        token.remove()
    }

    @Test("query listeners are not notified after the database was closed, but after closing has failed")
    func closed() throws {
        let (recorder, _) = changes(of: query)
        recorder.wait(forCount: 1)
        let database = database
        try database.inBatch {
            #expect(thrown { try database.close() } == .transactionNotClosed)
        }
        try save("a", 1)
        #expect(recorder.wait(forCount: 2).last == ["a"])
        let other = try folder.open()
        try database.close()
        try other.saveDocument(MutableDocument(id: "b").setInt(2, forKey: "n"))
        let (last, _) = changes(of: try other.createQuery("SELECT meta().id FROM _ ORDER BY n"))
        #expect(last.wait(forCount: 1) == [["a", "b"]])
        queue.sync {}
        #expect(recorder.all.count == 2)
        try other.delete()
    }

    @Test("query listeners do not keep the database open")
    func databaseDeleted() throws {
        func listen() throws -> ListenerToken {
            let database = try folder.open("other")
            let recorder = Recorder<Bool>()
            let token = try database.createQuery("SELECT n FROM _").addChangeListener(withQueue: queue) { _ in
                recorder.append(true)
            }
            recorder.wait(forCount: 1)
            return token
        }
        let token = try listen()
        queue.sync {}
        #expect(thrown { try Database.delete(withName: "other", inDirectory: folder.path) } == nil)
        token.remove()
    }

    @Test("query listeners are called on the main queue by default")
    func mainQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        // The main queue need not run on the main thread on Linux.
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let isMain = await withCheckedContinuation { continuation in
            query.addChangeListener { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) ?? false)
            }
        }
        #expect(isMain)
    }

    @Test("query listeners may add and remove listeners and close the database")
    func reentrant() throws {
        let recorder = Recorder<String>()
        let database = database
        let query = query
        let tokens = Recorder<ListenerToken>()
        let token = query.addChangeListener(withQueue: queue) { [queue] _ in
            recorder.append("first")
            tokens.all.first?.remove()
            query.addChangeListener(withQueue: queue) { _ in
                recorder.append("second")
                try? database.close()
                recorder.append("closed")
            }
        }
        tokens.append(token)
        #expect(recorder.wait { $0.contains("closed") }.contains("second"))
    }

    @Test("query listeners are notified when documents expire")
    func expiring() throws {
        try save("a", 1)
        let (recorder, _) = changes(of: query)
        recorder.wait(forCount: 1)
        try database.defaultCollection().createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
        try database.setDocumentExpiration(withID: "a", expiration: Date(timeIntervalSinceNow: -1))
        #expect(recorder.wait(forCount: 2) == [["a"], []])
    }
}

extension QueryChange {
    fileprivate var errorCode: String { (error as NSError?).map { "\($0.code)" } ?? "" }
}
