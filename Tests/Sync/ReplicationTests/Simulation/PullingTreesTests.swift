import DocumentStore
import Fleece
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Pulling from servers with revision trees into a database with version vectors")
struct PullingTreesTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let local: SimulatedDatabase
    private let hub: SimulatedDatabase

    init() throws {
        local = try SimulatedDatabase("local", in: simulation, .versionVectors)
        hub = try SimulatedDatabase("hub", in: simulation)
    }

    private func options(_ resolve: @escaping SessionRunner.Resolver = SessionRunner.defaultResolution) -> SimulatedReplication.Options {
        var options = SimulatedReplication.Options()
        options.push = .disabled
        options.standsInForSyncGateway = true
        options.resolve = resolve
        return options
    }

    @discardableResult
    private func pull(
        into client: SimulatedDatabase? = nil,
        _ resolve: @escaping SessionRunner.Resolver = SessionRunner.defaultResolution
    ) throws -> SimulatedReplication {
        simulation.run(for: .seconds(1))
        let replication = try simulation.replicate(client ?? local, with: hub, options(resolve))
        #expect(replication.active.error == nil)
        return replication
    }

    private func history(_ id: String, _ database: SimulatedDatabase) throws -> [RevisionID]? { try database.collection().history(of: id) }

    @Test("documents, changes and deletions arrive by protocol 3, and the documents keep the trees of the hub")
    func arriving() throws {
        for number in 0..<250 { try hub.save("a\(number)", #"{"n":\#(number)}"#) }
        try hub.save("blob", #"{"blob":\#(hub.blob(Array("content".utf8)))}"#)
        #expect(try pull().link.subprotocol == "BLIP_3+CBMobile_3")
        for text in ["here", "there"] { try hub.save("a0", #"{"n":"\#(text)"}"#) }
        try hub.delete("a1")
        try hub.delete("a2")
        try hub.save("a2", #"{"n":"again"}"#)
        try local.save("mine", #"{"n":1}"#)
        #expect(try pull().active.conflictCount == 0)
        for id in ["a0", "a1", "a2", "a3", "blob"] {
            #expect(try local.json(id) == hub.json(id))
            #expect(try history(id, local) == history(id, hub))
        }
        // Two changes were made in between: a record without a tree does not know the one in the middle.
        #expect(try history("a0", local)?.map(\.generation) == [3, 2, 1])
        let content = try local.content()
        #expect(content.missingBlobs.isEmpty && content.conflicts.isEmpty)
        // Nothing is sent, and nothing of this database is lost.
        #expect(try hub.json("mine") == nil && local.json("mine") == #"{"n":1}"#)
        let sequence = try local.collection().lastSequence()
        #expect(try pull().active.documents.isEmpty)
        #expect(try local.collection().lastSequence() == sequence)
    }

    @Test("a conflict of a version of this database with a revision of the hub is resolved here, and later revisions are, too")
    func conflicts() throws {
        for resolution in ["local", "remote", "deleted"] {
            let side: ConflictResolution = resolution == "local" ? .local : resolution == "remote" ? .remote : .deleted
            try hub.save(resolution, #"{"n":1}"#)
            try pull()
            try local.save(resolution, #"{"n":2}"#)
            try hub.save(resolution, #"{"n":3}"#)
            let first = try pull { _ in side }
            #expect(first.active.conflictCount == 1)
            #expect(try local.json(resolution) == ["local": #"{"n":2}"#, "remote": #"{"n":3}"#][resolution])
            #expect(try local.content().conflicts.isEmpty)
            let again = try pull()
            #expect(again.active.conflictCount == 0 && again.active.documents.isEmpty)
            #expect(try hub.json(resolution) == #"{"n":3}"#)
            // What this database has changed is not at the hub, so it is in conflict with the next change, too.
            try hub.save(resolution, #"{"n":4}"#)
            let last = try pull { _ in side }
            #expect(last.active.conflictCount == (resolution == "remote" ? 0 : 1))
            #expect(try local.json(resolution) == ["local": #"{"n":2}"#, "remote": #"{"n":4}"#][resolution])
            #expect(try local.content().conflicts.isEmpty)
        }
    }

    @Test("a change that was made in a tree before the upgrade is in conflict, and the tree goes on with the revision of the hub")
    func upgraded() throws {
        let client = try SimulatedDatabase("client", in: simulation)
        for id in ["both", "untouched"] { try hub.save(id, #"{"n":1}"#) }
        try pull(into: client)
        try client.save("both", #"{"n":2}"#)
        try client.file.upgradeToVersionVectors()
        for number in 3...4 {
            for id in ["both", "untouched"] { try hub.save(id, #"{"n":\#(number)}"#) }
        }
        var found: [String?] = []
        let replication = try pull(into: client) { conflict in
            for side in [conflict.local, conflict.remote] {
                found.append(try side.body.withRoot { try JSON.string($0, sharedKeys: conflict.sharedKeys, form: .canonical) })
            }
            return .remote
        }
        #expect(replication.active.conflictCount == 1 && found == [#"{"n":2}"#, #"{"n":4}"#])
        try hub.save("both", #"{"n":5}"#)
        #expect(try pull(into: client).active.conflictCount == 0)
        for id in ["both", "untouched"] {
            #expect(try client.json(id) == hub.json(id))
            #expect(try history(id, client) == history(id, hub))
        }
    }

    @Test("a listener with revision trees refuses the database, which stays as it is")
    func listener() throws {
        try hub.save("a", #"{"n":1}"#)
        var options = options()
        options.standsInForSyncGateway = false
        let error = try #require(try simulation.replicate(local, with: hub, options).active.error)
        #expect(error.domain == .liteCore && error.code == 501)
        #expect(try local.collection().count() == 0)
    }
}
