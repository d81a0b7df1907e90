import TestSupport
import Testing

@testable import DocumentStore

@Suite("Raw document stores")
struct RawStoreTests {
    private func read(_ key: String, _ store: RawStore, _ database: TestDatabase) throws -> RawStore.Document? {
        try database.file.read { try store.document(key, on: $0) }
    }

    @Test("raw documents are stored in the expected tables, which are created on first use")
    func storing() throws {
        let database = try TestDatabase()
        #expect(try read("x", .checkpoints, database) == nil)
        try database.file.transaction { try RawStore.checkpoints.set("x", to: nil, in: $0) }
        #expect(try database.texts("SELECT name FROM sqlite_master WHERE name LIKE 'kv_%points'") == [])
        let document = RawStore.Document(version: [1, 2], body: [3])
        try database.file.transaction { writer in
            try RawStore.checkpoints.set("x", to: .init(body: []), in: writer)
            try RawStore.peerCheckpoints.set("x", to: document, in: writer)
        }
        try database.reopen()
        #expect(try read("x", .checkpoints, database) == .init(body: []))
        #expect(try read("x", .peerCheckpoints, database) == document)
        let tables = try database.texts("SELECT name FROM sqlite_master WHERE name GLOB 'kv_*points' ORDER BY name")
        #expect(tables == ["kv_checkpoints", #"kv_peer\Checkpoints"#])
        #expect(try database.scalar("SELECT version IS NULL FROM kv_checkpoints") == 1)
        try database.file.transaction { try RawStore.peerCheckpoints.set("x", to: nil, in: $0) }
        #expect(try read("x", .peerCheckpoints, database) == nil)
        #expect(try database.file.collectionIDs() == [.default])
        try database.checkAndClose()
    }

    @Test("the raw documents whose keys begin with a text are removed, and no others")
    func removingAll() throws {
        let database = try TestDatabase()
        try database.file.transaction { try RawStore.peerCheckpoints.removeAll(keysFrom: "a:", in: $0) }
        let keys = ["a", "a:", "a:1", "a:\u{10FFFF}", "a;", "b:1", "A:1"]
        try database.file.transaction { writer in
            for key in keys { try RawStore.peerCheckpoints.set(key, to: .init(body: [1]), in: writer) }
            try RawStore.peerCheckpoints.removeAll(keysFrom: "a:", in: writer)
        }
        #expect(try keys.filter { try read($0, .peerCheckpoints, database) != nil } == ["a", "a;", "b:1", "A:1"])
        try database.checkAndClose()
    }

    @Test("writing a raw document leaves other rows of its store unchanged")
    func info() throws {
        let database = try TestDatabase()
        try database.file.transaction { try RawStore.info.set("org.couchbase.cookies", to: .init(body: [1]), in: $0) }
        #expect(try read("org.couchbase.cookies", .info, database)?.body == [1])
        #expect(try database.file.privateUUID()?.count == 16)
        try database.checkAndClose()
    }

    @Test("a missing private UUID is created")
    func privateID() throws {
        let database = try TestDatabase()
        let made = try database.file.ensuredPrivateUUID()
        #expect(try database.file.privateUUID() == made)
        try database.sql("DELETE FROM kv_info WHERE key = 'privateUUID'")
        let again = try database.file.ensuredPrivateUUID()
        #expect(again.count == 16 && again != made)
        #expect(try database.file.ensuredPrivateUUID() == again)
        #expect(try database.file.previousPrivateUUID() == nil)
    }
}
