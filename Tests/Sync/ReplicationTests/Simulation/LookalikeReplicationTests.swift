import Base
import DocumentStore
import Fleece
import Replication
import ReplicationSimulation
import TestSupport
import Testing

/// Swift's strings are equal if they look the same; IDs and keys are distinguished by their bytes.
@Suite("Replication of document IDs that look the same")
struct LookalikeReplicationTests {
    private static let ids = ["\u{212B}", "\u{C5}", "A\u{30A}", "e\u{301}", "\u{E9}"]
    private static let json = #"{"\#u{E9}":1,"e\#u{301}":2,"text":"\#u{212A}"}"#

    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let local: SimulatedDatabase
    private let server: SimulatedDatabase

    init() throws {
        local = try SimulatedDatabase("local", in: simulation)
        server = try SimulatedDatabase("server", in: simulation)
    }

    private func fill(_ database: SimulatedDatabase) throws {
        for (number, id) in Self.ids.enumerated() { try database.save(id, #"{"n":\#(number),"more":\#(Self.json)}"#) }
    }

    @discardableResult
    private func replicate(
        push: Bool = true,
        pull: Bool = true,
        mode: ReplicationMode = .oneShot,
        _ configure: (inout SimulatedReplication.Options) -> Void = { _ in }
    ) throws -> SimulatedReplication {
        var options = SimulatedReplication.Options()
        options.push = push ? mode : .disabled
        options.pull = pull ? mode : .disabled
        configure(&options)
        let replication = try simulation.replicate(local, with: server, options)
        #expect(replication.active.error == nil)
        return replication
    }

    private func expectAll(at database: SimulatedDatabase) throws {
        #expect(Set(try database.content().documents[.default]?.keys.map(\.self) ?? []) == Set(exactly: Self.ids))
        for (number, id) in Self.ids.enumerated() {
            let document = try #require(try database.json(id))
            #expect(document.contains("\"n\":\(number)"))
            // In byte order, é comes after e.
            #expect(document.isExactly(#"{"more":{"e\#u{301}":2,"text":"\#u{212A}","\#u{E9}":1},"n":\#(number)}"#))
        }
        #expect(try local.content() == server.content())
        #expect(try local.content().conflicts.isEmpty)
    }

    @Test("documents whose IDs look the same are all pulled")
    func pull() throws {
        try fill(server)
        let replication = try replicate(push: false)
        #expect(Set(exactly: replication.active.succeeded) == Set(exactly: Self.ids))
        try expectAll(at: local)
        #expect(try replicate(push: false).active.documents.isEmpty)
    }

    @Test("documents whose IDs look the same are all pushed")
    func push() throws {
        try fill(local)
        let replication = try replicate(pull: false)
        #expect(Set(exactly: replication.active.succeeded) == Set(exactly: Self.ids))
        try expectAll(at: server)
        #expect(try replicate(pull: false).active.documents.isEmpty)
    }

    @Test("documents whose IDs look the same are changed and deleted independently")
    func changes() throws {
        try fill(local)
        try replicate()
        try server.delete(Self.ids[0])
        try server.save(Self.ids[1], #"{"changed":true}"#)
        try local.delete(Self.ids[3])
        try replicate()
        for database in [local, server] {
            #expect(try database.json(Self.ids[0]) == nil)
            #expect(try database.json(Self.ids[1]) == #"{"changed":true}"#)
            #expect(try database.json(Self.ids[2])?.contains("\"n\":2") == true)
            #expect(try database.json(Self.ids[3]) == nil)
            #expect(try database.json(Self.ids[4])?.contains("\"n\":4") == true)
        }
    }

    @Test("documents whose IDs look the same have separate conflicts that are all resolved")
    func conflicts() throws {
        try fill(local)
        try replicate()
        for (number, id) in Self.ids.enumerated() {
            try local.save(id, #"{"changed":"here \#(number)"}"#)
            try server.save(id, #"{"changed":"there \#(number)"}"#)
        }
        try replicate()
        try replicate()
        #expect(try local.content() == server.content())
        #expect(try local.content().conflicts.isEmpty)
        #expect(try local.content().documents[.default]?.count == Self.ids.count)
    }

    @Test("a list of document IDs does not match IDs that look the same", arguments: [true, false])
    func chosen(isPush: Bool) throws {
        try fill(isPush ? local : server)
        let chosen = Self.ids[2]
        var collection = CollectionOptions(.default)
        collection.documentIDs = [chosen]
        try replicate(push: isPush, pull: !isPush) { $0.collections = [collection] }
        let target = isPush ? server : local
        #expect(try target.content().documents[.default]?.keys.map(\.self) == [ExactString(chosen)])
    }

    @Test("the pending state of a document does not depend on IDs that look the same")
    func pending() throws {
        try fill(local)
        try replicate()
        try local.save(Self.ids[1], "{}")
        let options = ActiveOptions(
            remoteURL: "ws://server.example/db/_blipsync",
            push: .oneShot,
            pull: .disabled,
            collections: [CollectionOptions(.default)]
        )
        let collection = options.collections[0]
        #expect(
            try local.replica.pendingDocuments(options, in: collection).map { ExactString($0) } == [
                ExactString(Self.ids[1])
            ]
        )
        for (number, id) in Self.ids.enumerated() {
            #expect(try local.replica.isPending(id, options, in: collection) == (number == 1))
        }
    }

    @Test("an announced change does not overtake one of a document whose ID looks the same")
    func overtaking() throws {
        // Blobs arrive late: the revision of one document waits while that of the other is stored.
        let blob = try server.blob([UInt8](repeating: 7, count: 40_000), type: "text/plain")
        try server.save(Self.ids[3], #"{"blob":\#(blob)}"#)
        try server.save(Self.ids[4], #"{"n":4}"#)
        try replicate(push: false)
        #expect(try local.json(Self.ids[3])?.contains("digest") == true)
        #expect(try local.json(Self.ids[4]) == #"{"n":4}"#)
        #expect(try local.content() == server.content())
    }
}
