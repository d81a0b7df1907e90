import DocumentStore
import Fleece
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Replication of two databases")
struct ReplicatingDatabasesTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let local: SimulatedDatabase
    private let server: SimulatedDatabase

    init() throws {
        local = try SimulatedDatabase("local", in: simulation)
        server = try SimulatedDatabase("server", in: simulation)
    }

    private func options(push: Bool = true, pull: Bool = true, mode: ReplicationMode = .oneShot) -> SimulatedReplication.Options {
        var options = SimulatedReplication.Options()
        options.push = push ? mode : .disabled
        options.pull = pull ? mode : .disabled
        return options
    }

    /// Replicates, and expects success.
    @discardableResult
    private func replicate(_ options: SimulatedReplication.Options = .init()) throws -> SimulatedReplication {
        let replication = try simulation.replicate(local, with: server, options)
        #expect(replication.active.error == nil)
        return replication
    }

    private func expectSame(_ collections: [CollectionID]? = nil) throws {
        let content = try local.content(of: collections)
        #expect(try server.content(of: collections) == content)
        #expect(content.missingBlobs.isEmpty)
        #expect(content.conflicts.isEmpty)
    }

    /// A second run has no documents to send.
    private func expectNothingLeft(_ options: SimulatedReplication.Options = .init()) throws {
        let sequences = try [local, server].map { try $0.collection().lastSequence() }
        let again = try replicate(options)
        #expect(again.active.documents.isEmpty)
        #expect(try [local, server].map { try $0.collection().lastSequence() } == sequences)
    }

    private func fill(_ database: SimulatedDatabase, _ prefix: String, _ count: Int) throws {
        try database.file.transaction { _ in
            for number in 0..<count { try database.save("\(prefix)\(number)", #"{"n":\#(number),"in":"\#(prefix)"}"#) }
        }
    }

    // MARK: Directions

    @Test("two empty databases replicate no documents")
    func empty() throws {
        let replication = try replicate()
        #expect(replication.active.documents.isEmpty)
        #expect(replication.byteCount < 1000)
    }

    @Test("documents and tombstones are pushed, and nothing is pulled")
    func push() throws {
        try fill(local, "a", 450)
        for number in 0..<10 { try local.delete("a\(number)") }
        try fill(server, "b", 3)
        let replication = try replicate(options(pull: false))
        #expect(replication.active.succeeded.count == 450)
        #expect(try server.content().documents[.default]?.count == 453)
        #expect(try local.content().documents[.default]?.count == 450)
        #expect(try server.json("a9") == nil)
        #expect(try server.json("a449") == #"{"in":"a","n":449}"#)
        try expectNothingLeft(options(pull: false))
    }

    @Test("documents are pulled, and nothing is pushed")
    func pull() throws {
        try fill(server, "a", 450)
        try server.delete("a7")
        try fill(local, "b", 3)
        try replicate(options(push: false))
        #expect(try local.content().documents[.default]?.count == 453)
        #expect(try local.json("a7") == nil)
        #expect(try local.json("a449") == #"{"in":"a","n":449}"#)
        try expectNothingLeft(options(push: false))
    }

    @Test("tombstones are not pulled into an empty collection, and later deletions are")
    func firstPull() throws {
        try fill(server, "a", 10)
        try server.delete("a7")
        try replicate(options(push: false))
        #expect(try local.content().documents[.default]?.count == 9)
        try server.delete("a8")
        #expect(try local.json("a8") != nil)
        try replicate(options(push: false))
        #expect(try local.json("a8") == nil)
    }

    @Test("documents are replicated in both directions at once")
    func both() throws {
        try fill(local, "a", 300)
        try fill(server, "b", 300)
        try replicate()
        try expectSame()
        try expectNothingLeft()
    }

    @Test("later changes and deletions are replicated by the next run")
    func changes() throws {
        try fill(local, "a", 20)
        try replicate()
        try local.save("a1", #"{"changed":"here"}"#)
        try local.delete("a2")
        try server.save("a3", #"{"changed":"there"}"#)
        try server.delete("a4")
        try server.save("new", "{}")
        let replication = try replicate()
        #expect(replication.active.documents.count == 5)
        try expectSame()
        #expect(try local.json("a4") == nil)
        try expectNothingLeft()
    }

    @Test("protocol version 2 replicates documents in both directions")
    func protocol2() throws {
        try fill(local, "a", 20)
        try fill(server, "b", 20)
        var options = options()
        options.subprotocol = "BLIP_3+CBMobile_2"
        try replicate(options)
        try expectSame()
        try expectNothingLeft(options)
    }

    @Test("a read-only server stores no documents, and the client gets error 403")
    func readOnly() throws {
        try fill(local, "a", 2)
        var options = options(pull: false)
        options.isReadOnly = true
        let replication = try simulation.replicate(local, with: server, options)
        #expect(replication.active.error?.code == 403)
        #expect(try server.content().documents[.default]?.isEmpty == true)
    }

    @Test("a reset replication starts over and finds no documents left to send")
    func reset() throws {
        try fill(local, "a", 20)
        try fill(server, "b", 20)
        try replicate()
        try local.replica.discardCheckpoints(SimulatedReplication.activeOptions(options(), with: server))
        try expectNothingLeft()
    }

    @Test("a database pushes all its documents to a second server")
    func otherServer() throws {
        try fill(local, "a", 20)
        try replicate()
        let other = try SimulatedDatabase("other", in: simulation)
        try simulation.replicate(local, with: other)
        #expect(try other.content() == local.content())
    }

    // MARK: Blobs, deltas, collections

    @Test("blobs are replicated, and content shared by two documents is sent once", arguments: [12, 40_000, 3_000_000])
    func blobs(size: Int) throws {
        var generator = SeededGenerator(seed: 3)
        let content = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try local.save("a", #"{"one":\#(try local.blob(content))}"#)
        try local.save("b", #"{"two":[\#(try local.blob(content))]}"#)
        try server.save("c", #"{"three":\#(try server.blob(Array(content.reversed())))}"#)
        let replication = try replicate()
        try expectSame()
        #expect(replication.byteCount < 2 * size + size / 10 + 4000)
        try expectNothingLeft()
    }

    @Test("a small change to long documents is sent as a delta")
    func deltas() throws {
        var generator = SeededGenerator(seed: 7)
        let text = (0..<20_000).map { _ in String(UnicodeScalar(UInt8.random(in: 97...122, using: &generator))) }
            .joined()
        var options = options()
        options.usesDeltas = true
        for number in 0..<5 { try local.save("doc\(number)", #"{"n":0,"s":"\#(text)"}"#) }
        try replicate(options)
        for number in 0..<5 { try local.save("doc\(number)", #"{"n":1,"s":"\#(text)"}"#) }
        let pushed = try replicate(options)
        try expectSame()
        #expect(pushed.byteCount < 10_000)
    }

    @Test("only the chosen collections are replicated")
    func collections() throws {
        let ids = try ["one", "two", "three"].map { try CollectionID(name: $0, scope: "scope") }
        for id in ids {
            for database in [local, server] {
                try database.save(database.name, #"{"in":"\#(id.name)"}"#, in: id)
                try database.save("\(id.name)-\(database.name)", "{}", in: id)
            }
        }
        var options = options()
        options.collections = ids.prefix(2).map { CollectionOptions($0) }
        try replicate(options)
        try expectSame(Array(ids.prefix(2)))
        #expect(try local.content(of: [ids[0]]).documents[ids[0]]?.count == 4)
        #expect(try local.content(of: [ids[2]]).documents[ids[2]]?.count == 2)
        let again = try replicate(options)
        #expect(again.active.documents.isEmpty)
    }

    @Test("a collection that the server does not have ends the replication with error 404")
    func unknownCollection() throws {
        let id = try CollectionID(name: "one")
        try local.save("a", "{}", in: id)
        var options = options()
        options.collections = [CollectionOptions(id)]
        let replication = try simulation.replicate(local, with: server, options)
        #expect(replication.active.error?.code == 404)
    }

    @Test("only the chosen documents are replicated")
    func documentIDs() throws {
        try fill(local, "a", 10)
        try fill(server, "b", 10)
        var options = options()
        options.collections[0].documentIDs = ["a1", "b1", "b2"]
        try replicate(options)
        #expect(try local.content().documents[.default]?.count == 12)
        #expect(try server.content().documents[.default]?.count == 11)
    }

    // MARK: Conflicts

    /// Changes the same document on both sides.
    private func makeConflict() throws {
        try local.save("doc", #"{"base":1}"#)
        try replicate()
        try local.save("doc", #"{"base":1,"by":"local"}"#)
        try server.save("doc", #"{"base":1,"by":"server"}"#)
    }

    @Test("the default resolver settles a conflict, and both databases are equal")
    func conflict() throws {
        try makeConflict()
        let replication = try replicate()
        #expect(replication.active.conflictCount == 1)
        try expectSame()
        try expectNothingLeft()
    }

    @Test("a merged revision is pushed by the run that has pulled the conflict")
    func merge() throws {
        try makeConflict()
        var options = options()
        options.resolve = { _ in
            let merged = try? JSON.fleece(#"{"base":1,"by":"both"}"#)
            return merged.map { .merged(OwnedBody($0)) } ?? .remote
        }
        let replication = try replicate(options)
        #expect(replication.active.documents.map(\.documentID) == ["doc"] && replication.active.documents.allSatisfy(\.isPush))
        #expect(try local.json("doc") == #"{"base":1,"by":"both"}"#)
        try expectSame()
        #expect(try server.json("doc") == #"{"base":1,"by":"both"}"#)
        try expectNothingLeft()
    }

    @Test("a deletion wins over a change on either side", arguments: [true, false])
    func deletionWins(isLocal: Bool) throws {
        try local.save("doc", #"{"base":1}"#)
        try replicate()
        try (isLocal ? local : server).delete("doc")
        try (isLocal ? server : local).save("doc", #"{"changed":1}"#)
        for _ in 0..<2 { try replicate() }
        try expectSame()
        #expect(try local.json("doc") == nil)
        try expectNothingLeft()
    }

    @Test("two new documents with the same ID are a conflict that is resolved")
    func sameName() throws {
        try local.save("doc", #"{"from":"local"}"#)
        try server.save("doc", #"{"from":"server"}"#)
        for _ in 0..<2 { try replicate() }
        try expectSame()
        try expectNothingLeft()
    }

    @Test("a push-only replication reports a conflict and does not change the server")
    func pushOnlyConflict() throws {
        try makeConflict()
        let before = try server.content()
        let replication = try simulation.replicate(local, with: server, options(pull: false))
        #expect(replication.active.documents.map(\.error?.code) == [409])
        #expect(try server.content() == before)
    }

    // MARK: Continuous

    @Test("a continuous replication replicates changes of both sides until the client stops")
    func continuous() throws {
        try fill(local, "a", 10)
        try fill(server, "b", 10)
        let replication = SimulatedReplication(local, with: server, options(mode: .continuous), in: simulation)
        simulation.run(for: .seconds(2))
        #expect(replication.isIdle)
        try expectSame()
        try local.save("later", #"{"from":"local"}"#)
        try server.save("afterwards", #"{"from":"server"}"#)
        try server.delete("a1")
        simulation.run(for: .seconds(2))
        try expectSame()
        #expect(replication.isIdle)
        #expect(!replication.hasEnded)
        replication.active.stop()
        try simulation.run { replication.hasEnded }
        #expect(replication.active.error == nil)
        try expectNothingLeft()
    }

    @Test("a session that is stopped while its connection is being opened ends without an error", arguments: [0, 1, 2, 3])
    func earlyStop(milliseconds: Int) throws {
        try fill(local, "a", 10)
        let replication = SimulatedReplication(local, with: server, options(mode: .continuous), in: simulation)
        simulation.run(for: .milliseconds(milliseconds))
        replication.active.stop()
        try simulation.run { replication.hasEnded }
        #expect(replication.active.error == nil)
    }

    @Test("two clients of one server get each other's changes")
    func twoClients() throws {
        let other = try SimulatedDatabase("other", in: simulation)
        let first = SimulatedReplication(local, with: server, options(mode: .continuous), in: simulation)
        let second = SimulatedReplication(other, with: server, options(mode: .continuous), in: simulation)
        for number in 0..<20 {
            try (number % 2 == 0 ? local : other).save("doc\(number % 7)", #"{"n":\#(number)}"#)
            simulation.run(for: .milliseconds(number % 3 == 0 ? 1 : 300))
        }
        simulation.run(for: .seconds(5))
        try expectSame()
        #expect(try other.content() == local.content())
        #expect(first.isIdle && second.isIdle)
    }
}
