import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift
@testable import DocumentStore

@MainActor
@Suite("Observable documents")
struct LiveDocumentTests {
    let folder: DatabaseFolder
    let database: Database
    let tasks: ModelCollection<LiveTask>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        tasks = try database.createCollection(name: "tasks").models()
    }

    @Test("a live document shows each change, the deletion, and the document that is created again")
    func changes() async throws {
        let live = LiveDocument(id: "a", in: tasks)
        #expect(live.state == .loading)
        await observe({ live.state }, until: { $0 == .current })
        #expect(live.value == nil && live.id == "a")
        try tasks.save(LiveTask(id: "a", title: "A", rank: 1))
        await observe({ live.value }, until: { $0?.title == "A" })
        try tasks.collection.delete(document: #require(try tasks.collection.document(id: "a")))
        await observe({ live.value }, until: { $0 == nil })
        try tasks.save(LiveTask(id: "a", title: "again", rank: 1))
        await observe({ live.value }, until: { $0?.title == "again" })
        #expect(live.state == .current)
    }

    @Test("a live document keeps its last value while the document cannot be decoded")
    func undecodable() async throws {
        try tasks.save(LiveTask(id: "a", title: "A", rank: 1))
        let live = LiveDocument(id: "a", in: tasks)
        await observe({ live.value }, until: { $0 != nil })
        try tasks.collection.save(document: MutableDocument(id: "a").setString("x", forKey: "rank"))
        await observe({ live.state }, until: { $0 == .failed })
        #expect((live.error as NSError?)?.code == CBLError.decodingError)
        #expect(live.value?.title == "A")
        try tasks.save(LiveTask(id: "a", title: "mended", rank: 1))
        await observe({ live.value }, until: { $0?.title == "mended" })
        #expect(live.state == .current && live.error == nil)
    }

    @Test("a live document stops when it is released or stopped, or the database is closed")
    func ends() async throws {
        weak var released: LiveDocument<LiveTask>?
        do {
            let live = LiveDocument(id: "a", in: tasks)
            released = live
            await observe({ live.state }, until: { $0 == .current })
            #expect(try database.openFile().changes.hasObservers)
        }
        #expect(released == nil)
        while try database.openFile().changes.hasObservers { await Task.yield() }
        let stopped = LiveDocument(id: "a", in: tasks)
        await observe({ stopped.state }, until: { $0 == .current })
        stopped.stop()
        #expect(stopped.state == .stopped)
        while try database.openFile().changes.hasObservers { await Task.yield() }
        let closed = LiveDocument(id: "a", in: tasks)
        await observe({ closed.state }, until: { $0 == .current })
        try database.close()
        await observe({ closed.state }, until: { $0 == .stopped })
    }
}
