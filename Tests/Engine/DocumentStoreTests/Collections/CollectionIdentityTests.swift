import TestSupport
import Testing

@testable import DocumentStore

@Suite("Identities of collections")
struct CollectionIdentityTests {
    private let people: CollectionID

    init() throws { people = try CollectionID(name: "People", scope: "Staff") }

    @Test("each created collection gets another identity, which it keeps, and the default collection has none")
    func distinct() throws {
        let database = try TestDatabase()
        #expect(try database.collection().identity() == 0)
        let first = try database.file.createCollection(people).identity()
        let other = try database.file.createCollection(CollectionID(name: "other")).identity()
        #expect(first > 0 && other > 0 && first != other)
        try database.reopen()
        #expect(try database.collection(people).identity() == first)
        try database.file.deleteCollection(people)
        let again = try database.file.createCollection(people).identity()
        #expect(![0, first, other].contains(again))
        try database.checkAndClose()
    }

    @Test("deleting a collection removes the checkpoints that belong to it, and no others")
    func checkpoints() throws {
        let database = try TestDatabase()
        let collection = try database.file.createCollection(people)
        let identity = try collection.identity()
        let bodies = [
            "mine": #"{"time":1,"local":3,"collection":\#(identity)}"#, "tenfold": #"{"time":1,"collection":\#(identity)0}"#,
            "none": #"{"time":\#(identity)}"#,
        ]
        func remaining() throws -> [String] {
            try database.file.read { context in
                try bodies.keys.filter { try RawStore.checkpoints.document($0, on: context) != nil }.sorted()
            }
        }
        try database.file.transaction { writer in
            for (key, body) in bodies { try RawStore.checkpoints.set(key, to: .init(body: Array(body.utf8)), in: writer) }
            for owner in [0, identity, identity + 1] {
                let document = RawStore.Document(version: [1], body: [2], owner: owner)
                try RawStore.peerCheckpoints.set("peer\(owner)", to: document, in: writer)
            }
        }
        #expect(try remaining() == ["mine", "none", "tenfold"])
        try database.file.deleteCollection(people)
        #expect(try remaining() == ["none", "tenfold"])
        let peers = try database.file.read { context in
            try [0, identity, identity + 1].map { try RawStore.peerCheckpoints.document("peer\($0)", on: context)?.owner }
        }
        #expect(peers == [0, nil, identity + 1])
        try database.checkAndClose()
    }

    @Test("a deletion that is rolled back keeps the identity")
    func rolledBack() throws {
        struct Abort: Error {}
        let database = try TestDatabase()
        let identity = try database.file.createCollection(people).identity()
        #expect(throws: Abort.self) {
            try database.file.transaction { _ in
                try database.file.deleteCollection(people)
                throw Abort()
            }
        }
        #expect(try database.collection(people).identity() == identity)
    }

    @Test("a restored database forgets the checkpoints of its peers when it is opened for writing, and once only")
    func restored() throws {
        func store(_ database: TestDatabase) throws {
            try database.file.transaction { try RawStore.peerCheckpoints.set("cp", to: .init(version: [1], body: [2]), in: $0) }
        }
        func isStored(_ database: TestDatabase) throws -> Bool {
            try database.file.read { try RawStore.peerCheckpoints.document("cp", on: $0) } != nil
        }
        let database = try TestDatabase()
        try store(database)
        try RestorationMark.set(database.path)
        var reading = DatabaseFile.Options()
        reading.isReadOnly = true
        try database.reopen(options: reading)
        #expect(try isStored(database))
        try database.reopen()
        #expect(try !isStored(database))
        try store(database)
        try database.reopen()
        #expect(try isStored(database))
        try database.checkAndClose()
    }

    @Test("a copy of a database has no checkpoints of peers, and keeps its own checkpoints and the identities of its collections")
    func copied() throws {
        let database = try TestDatabase()
        let identity = try database.file.createCollection(people).identity()
        try database.file.transaction { writer in
            try RawStore.peerCheckpoints.set("cp", to: .init(version: [1], body: [2]), in: writer)
            try RawStore.checkpoints.set("own", to: .init(body: [2]), in: writer)
        }
        let path = BundlePath(database.directory.path("copy.cblite2"))
        try DatabaseCopy.copy(database.path, to: path)
        let copy = try DatabaseRegistry.open(path.directory, options: .init())
        #expect(try copy.read { try RawStore.peerCheckpoints.document("cp", on: $0) } == nil)
        #expect(try copy.read { try RawStore.checkpoints.document("own", on: $0) } != nil)
        #expect(try copy.collection(people)?.identity() == identity)
        try DatabaseRegistry.close(copy)
    }
}
