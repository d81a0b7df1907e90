import DocumentStore
import Fleece
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Serving clients with revision trees from a database with version vectors")
struct ServingTreesTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let server: SimulatedDatabase
    /// A client with revision trees, and one with version vectors.
    private let old: SimulatedDatabase
    private let new: SimulatedDatabase

    init() throws {
        server = try SimulatedDatabase("server", in: simulation, .versionVectors)
        old = try SimulatedDatabase("old", in: simulation)
        new = try SimulatedDatabase("new", in: simulation, .versionVectors)
    }

    @discardableResult
    private func replicate(
        _ client: SimulatedDatabase,
        _ options: SimulatedReplication.Options = .init()
    ) throws -> SimulatedReplication {
        simulation.run(for: .seconds(1))
        let replication = try simulation.replicate(client, with: server, options)
        #expect(replication.active.error == nil)
        return replication
    }

    private func expectSame(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let contents = try [server, old, new].map { try $0.content() }
        for content in contents {
            #expect(content.hasSameDocuments(as: contents[0]), sourceLocation: sourceLocation)
            #expect(content.missingBlobs.isEmpty && content.conflicts.isEmpty, sourceLocation: sourceLocation)
        }
    }

    private func expectNothingLeft() throws {
        let databases = [server, old, new]
        let sequences = try databases.map { try $0.collection().lastSequence() }
        for client in [old, new] { #expect(try replicate(client).active.documents.isEmpty) }
        #expect(try databases.map { try $0.collection().lastSequence() } == sequences)
    }

    private func current(_ id: String, _ database: SimulatedDatabase) throws -> RevisionID {
        try #require(try database.collection().document(id, includingDeleted: true)).revision
    }

    @Test("both kinds of clients replicate the same documents in both directions, each with its protocol")
    func both() throws {
        for number in 0..<250 {
            try old.save("old\(number)", #"{"n":\#(number)}"#)
            try new.save("new\(number)", #"{"n":\#(number)}"#)
            try server.save("server\(number)", #"{"n":\#(number)}"#)
        }
        try old.save("blob", #"{"blob":\#(old.blob(Array("content".utf8)))}"#)
        #expect(try replicate(old).link.subprotocol == "BLIP_3+CBMobile_3")
        #expect(try replicate(new).link.subprotocol == "BLIP_3+CBMobile_4")
        #expect(try replicate(old).active.succeeded.count == 250)
        try expectSame()
        try expectNothingLeft()
        // What a client with trees has pushed is a version of the server, and the client has all revisions in trees.
        guard case .version(let version) = try current("old1", server) else { return #expect(Bool(false)) }
        #expect(version.source.isMe)
        #expect(try current("server1", old).description.hasPrefix("1-"))
        // Updates and deletions of documents that another one has made.
        try old.save("new1", #"{"n":"old"}"#)
        try old.delete("server2")
        try new.save("old1", #"{"n":"new"}"#)
        try new.delete("old2")
        try server.save("old3", #"{"n":"server"}"#)
        for client in [old, new, old] { #expect(try replicate(client).active.conflictCount == 0) }
        try expectSame()
        #expect(try server.json("new1") == #"{"n":"old"}"# && server.json("server2") == nil && server.json("old2") == nil)
        #expect(try old.json("old1") == #"{"n":"new"}"# && new.json("new1") == #"{"n":"old"}"#)
        try expectNothingLeft()
        // Created again by a client that knows the deletion, and by one that does not.
        try new.save("server2", #"{"again":1}"#)
        try old.save("old2", #"{"again":2}"#)
        for client in [new, old, new] { #expect(try replicate(client).active.conflictCount == 0) }
        try expectSame()
        try expectNothingLeft()
    }

    @Test("a conflict of a client with trees and one with version vectors is resolved once, in either order")
    func conflicts() throws {
        for (id, first, second) in [("a", old, new), ("b", new, old)] {
            for resolution in ["local", "remote"] {
                let id = id + resolution
                try server.save(id, #"{"n":1}"#)
                for client in [old, new] { try replicate(client) }
                try first.save(id, #"{"n":2}"#)
                try second.save(id, #"{"n":3}"#)
                try replicate(first)
                var options = SimulatedReplication.Options()
                options.resolve = { _ in resolution == "local" ? .local : .remote }
                #expect(try replicate(second, options).active.conflictCount == 1)
                #expect(try replicate(first).active.conflictCount == 0)
                try expectSame()
                #expect(try server.json(id) == (resolution == "local" ? #"{"n":3}"# : #"{"n":2}"#))
                try expectNothingLeft()
            }
        }
    }

    @Test("a client with trees that was away for several revisions goes on without a conflict")
    func manyRevisions() throws {
        try old.save("a", #"{"n":0}"#)
        for client in [old, new] { try replicate(client) }
        for number in 1...10 {
            try (number % 2 == 0 ? server : new).save("a", #"{"n":\#(number)}"#)
            try replicate(new)
        }
        #expect(try replicate(old).active.conflictCount == 0)
        try expectSame()
        try old.save("a", #"{"n":"old"}"#)
        try replicate(old)
        #expect(try replicate(new).active.conflictCount == 0)
        try expectSame()
        #expect(try server.json("a") == #"{"n":"old"}"#)
        // The client is behind its own unsent change.
        try server.save("a", #"{"n":11}"#)
        try old.save("a", #"{"n":12}"#)
        #expect(try replicate(old).active.conflictCount == 1)
    }

    @Test("a fleet is upgraded one database after the other, the server first, without a conflict or a loss")
    func fleet() throws {
        let server = try SimulatedDatabase("target", in: simulation)
        let clients = try (0..<3).map { try SimulatedDatabase("client\($0)", in: simulation) }
        func replicateAll(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
            for client in clients + clients {
                simulation.run(for: .seconds(1))
                let replication = try simulation.replicate(client, with: server)
                #expect(replication.active.error == nil && replication.active.conflictCount == 0, sourceLocation: sourceLocation)
                #expect(replication.active.documents.allSatisfy { $0.error == nil }, sourceLocation: sourceLocation)
            }
            let content = try server.content()
            for client in clients { #expect(try client.content().hasSameDocuments(as: content), sourceLocation: sourceLocation) }
        }
        for (number, client) in clients.enumerated() {
            for document in 0..<5 { try client.save("\(number) \(document)", #"{"n":0}"#) }
        }
        try replicateAll()
        for (step, database) in ([server] + clients).enumerated() {
            // A change that was not pushed before the upgrade, and others after it.
            try database.save("before\(step)", #"{"n":0}"#)
            try database.save("0 \(step)", #"{"n":"before"}"#)
            try database.file.upgradeToVersionVectors()
            try database.save("1 \(step)", #"{"n":"after"}"#)
            try replicateAll()
            for round in 0..<3 {
                for (number, client) in (clients + [server]).enumerated() {
                    try client.save("2 \(number)", #"{"n":"\#(step) \#(round)"}"#)
                    try client.save("\(round) 4", #"{"n":"\#(step) \#(number)"}"#)
                    try replicateAll()
                }
            }
        }
        #expect(try server.json("0 3") == #"{"n":"before"}"# && server.json("1 3") == #"{"n":"after"}"#)
    }

    @Test("an upgraded client pushes deltas against revisions that it has by their IDs in trees: its own, and the server's")
    func deltas() throws {
        let text = String(repeating: "Lorem ipsum dolor sit amet, consectetur. ", count: 100)
        var options = SimulatedReplication.Options()
        options.usesDeltas = true
        try old.save("client", #"{"n":1,"text":"\#(text)"}"#)
        try server.save("server", #"{"n":1,"text":"\#(text)"}"#)
        for _ in 0..<2 { try replicate(old, options) }
        try old.file.upgradeToVersionVectors()
        for id in ["client", "server"] { try old.save(id, #"{"n":2,"text":"\#(text)"}"#) }
        simulation.run(for: .seconds(1))
        var lines: [String] = []
        let replication = SimulatedReplication(old, with: server, options, in: simulation)
        let tap = MessageTap(replication.link) { lines.append($0) }
        try simulation.run { replication.hasEnded }
        withExtendedLifetime(tap) {}
        #expect(lines.filter { $0.contains("Profile=rev") && $0.contains("deltaSrc=1-") }.count == 2)
        #expect(replication.active.error == nil && replication.active.conflictCount == 0)
        #expect(replication.active.succeeded.sorted() == ["client", "server"])
        for id in ["client", "server"] { #expect(try server.json(id) == #"{"n":2,"text":"\#(text)"}"#) }
        #expect(try replicate(old, options).active.documents.allSatisfy { $0.error == nil })
    }

    @Test("a client without a handshake is served by the names in its messages")
    func withoutHandshake() throws {
        try server.save("a", #"{"n":1}"#)
        for client in [old, new] {
            try client.save(client.name, #"{"n":1}"#)
            var options = SimulatedReplication.Options()
            options.subprotocol = ""
            #expect(try replicate(client, options).active.succeeded.count >= 2)
        }
        try replicate(old)
        try expectSame()
    }

    @Test("clients with trees of collections are served")
    func collections() throws {
        let id = try CollectionID(name: "cities")
        for database in [server, old, new] { _ = try database.collection(id) }
        try server.save("a", #"{"n":1}"#, in: id)
        var options = SimulatedReplication.Options()
        options.collections = [CollectionOptions(id), CollectionOptions(.default)]
        try replicate(old, options)
        #expect(try old.json("a", in: id) == #"{"n":1}"#)
        try old.save("a", #"{"n":2}"#, in: id)
        try replicate(old, options)
        try replicate(new, options)
        #expect(try new.json("a", in: id) == #"{"n":2}"#)
    }

    @Test("a database that serves no client with trees stores no names, and the names of one that does survive a copy of the file")
    func names() throws {
        try server.save("a", #"{"n":1}"#)
        try replicate(new)
        try server.save("a", #"{"n":2}"#)
        #expect(try !hasNames("a"))
        try replicate(old)
        try server.save("a", #"{"n":3}"#)
        #expect(try hasNames("a"))
        try replicate(old)
        let name = try current("a", old)
        #expect(name.generation == 2)
        try server.takeSnapshot()
        try server.restoreSnapshot(isMarked: false)
        try server.save("a", #"{"n":4}"#)
        #expect(try replicate(old).active.conflictCount == 0)
        #expect(try old.json("a") == #"{"n":4}"# && current("a", old).generation == 3)
    }

    /// Whether the record of a document has names for clients with trees.
    private func hasNames(_ id: String) throws -> Bool {
        try #require(try server.collection().history(of: id)).contains { $0.tree != nil }
    }
}
