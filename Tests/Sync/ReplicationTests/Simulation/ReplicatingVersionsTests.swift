import DocumentStore
import Fleece
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Replication of databases with version vectors")
struct ReplicatingVersionsTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let local: SimulatedDatabase
    private let server: SimulatedDatabase

    init() throws {
        local = try SimulatedDatabase("local", in: simulation, .versionVectors)
        server = try SimulatedDatabase("server", in: simulation, .versionVectors)
    }

    private func options(push: Bool = true, pull: Bool = true) -> SimulatedReplication.Options {
        var options = SimulatedReplication.Options()
        options.push = push ? .oneShot : .disabled
        options.pull = pull ? .oneShot : .disabled
        return options
    }

    @discardableResult
    private func replicate(
        _ options: SimulatedReplication.Options = .init(),
        of client: SimulatedDatabase? = nil,
        with target: SimulatedDatabase? = nil
    ) throws -> SimulatedReplication {
        let replication = try simulation.replicate(client ?? local, with: target ?? server, options)
        #expect(replication.active.error == nil)
        return replication
    }

    private func expectSame(_ databases: [SimulatedDatabase]? = nil) throws {
        let contents = try (databases ?? [local, server]).map { try $0.content() }
        for content in contents {
            #expect(content == contents[0])
            #expect(content.missingBlobs.isEmpty && content.conflicts.isEmpty)
        }
    }

    private func expectNothingLeft() throws {
        let sequences = try [local, server].map { try $0.collection().lastSequence() }
        #expect(try replicate().active.documents.isEmpty)
        #expect(try [local, server].map { try $0.collection().lastSequence() } == sequences)
    }

    /// A version of a database as others know it.
    private func revision(_ id: String, _ database: SimulatedDatabase) throws -> String {
        let revision = try #require(try database.collection().document(id, includingDeleted: true)).revision
        return try #require(try database.file.versionSource().map(revision.absolute)).description
    }

    @Test("documents, changes, deletions and blobs are replicated in both directions by protocol 4")
    func both() throws {
        for number in 0..<450 {
            try local.save("a\(number)", #"{"n":\#(number)}"#)
            try server.save("b\(number)", #"{"n":\#(number)}"#)
        }
        let replication = try replicate()
        #expect(replication.link.subprotocol == "BLIP_3+CBMobile_4")
        #expect(replication.active.succeeded.count == 900)
        try expectSame()
        try expectNothingLeft()
        try local.save("a1", #"{"changed":"here"}"#)
        try local.delete("a2")
        try local.save("blob", #"{"blob":\#(local.blob(Array("content".utf8)))}"#)
        try server.save("b1", #"{"changed":"there","blob":\#(server.blob(Array("other".utf8)))}"#)
        try server.delete("b2")
        try server.delete("a3")
        try replicate()
        try expectSame()
        #expect(try server.json("a1") == #"{"changed":"here"}"# && server.json("a2") == nil && local.json("a3") == nil)
        try expectNothingLeft()
        // A deleted document that is created again continues its vector.
        try local.save("b2", #"{"again":true}"#)
        try replicate()
        try expectSame()
        #expect(try server.json("b2") == #"{"again":true}"#)
    }

    @Test("a conflict is resolved once, and both databases have the result, whose vector includes both revisions")
    func conflicts() throws {
        let other = try SimulatedDatabase("other", in: simulation, .versionVectors)
        for resolution in ["local", "remote", "merged", "deleted"] {
            try local.save(resolution, #"{"n":1}"#)
            try replicate()
            try local.save(resolution, #"{"n":2}"#)
            try server.save(resolution, #"{"n":3}"#)
            let both = try [revision(resolution, local), revision(resolution, server)]
            var options = options()
            options.resolve = { [local] _ in
                switch resolution {
                case "local": .local
                case "remote": .remote
                case "deleted": .deleted
                default: .merged(try OwnedBody.parsing(#"{"n":4}"#, in: local.file))
                }
            }
            #expect(try replicate(options).active.conflictCount == 1)
            try expectSame()
            let json = ["local": #"{"n":2}"#, "remote": #"{"n":3}"#, "merged": #"{"n":4}"#][resolution]
            #expect(try server.json(resolution) == json)
            let source = try #require(try server.file.versionSource())
            let history = try #require(try server.collection().history(of: resolution)).map { $0.absolute(source).description }
            // The remote revision is not changed at the server, which need not know the one that has lost.
            #expect(history.contains(both[1]) && (resolution == "remote" || history.contains(both[0])))
            try expectNothingLeft()
        }
        // A third database gets the results without conflicts.
        #expect(try replicate(of: other).active.conflictCount == 0)
        #expect(try replicate(of: local).active.conflictCount == 0)
        try expectSame([local, server])
    }

    @Test("the later revision wins by default, whatever the number of changes is")
    func defaultResolver() throws {
        try local.save("a", #"{"n":0}"#)
        try replicate()
        for number in 1...5 { try server.save("a", #"{"n":\#(number)}"#) }
        simulation.run(for: .seconds(1))
        try local.save("a", #"{"n":"later"}"#)
        try replicate()
        try expectSame()
        #expect(try server.json("a") == #"{"n":"later"}"#)
    }

    @Test("deltas are sent and received between versions")
    func deltas() throws {
        let text = String(repeating: "Lorem ipsum dolor sit amet, consectetur. ", count: 100)
        try local.save("a", #"{"n":1,"text":"\#(text)"}"#)
        var options = options()
        options.usesDeltas = true
        let whole = try replicate(options).link.client.sentBytes
        try local.save("a", #"{"n":2,"text":"\#(text)"}"#)
        let delta = try replicate(options).link.client.sentBytes
        try expectSame()
        #expect(try server.json("a")?.hasPrefix(#"{"n":2,"#) == true)
        #expect(delta < whole)
    }

    @Test("the conversation of two databases is that of the original, without asterisks")
    func conversation() throws {
        try local.save("a", #"{"n":1}"#)
        try server.save("b", #"{"n":1}"#)
        try replicate()
        try local.save("b", #"{"n":2}"#)
        try server.save("a", #"{"n":2}"#)
        var lines: [String] = []
        let replication = SimulatedReplication(local, with: server, options(), in: simulation)
        let tap = MessageTap(replication.link) { lines.append($0) }
        try simulation.run { replication.hasEnded }
        withExtendedLifetime(tap) {}
        let (mine, theirs) = (try revision("b", local), try revision("a", server))
        let parents = [theirs, mine].map { $0.suffix(22) }
        #expect(!lines.contains { $0.contains("@*") })
        let collections = try #require(lines.first { $0.contains("Profile=getCollections") })
        #expect(collections.contains("uuid=") && collections.contains(#""collections":["_default"]"#))
        #expect(lines.contains { $0.contains("Profile=subChanges") && $0.contains("versioning=version-vectors") })
        #expect(
            lines.contains { $0.contains("Profile=proposeChanges") && $0.contains(#"[["b","\#(mine); "#) && $0.contains("@\(parents[0])") }
        )
        #expect(lines.contains { $0.contains("Profile=changes") && $0.contains(#""a","\#(theirs)""#) })
        for (id, revision, source) in [("b", mine, parents[0]), ("a", theirs, parents[1])] {
            #expect(lines.contains { $0.contains("Profile=rev") && $0.contains(" id=\(id) rev=\(revision) ") && $0.contains("@\(source)") })
        }
        #expect(!lines.contains { $0.contains("maxHistory") })
    }

    @Test("a database with version vectors does not replicate with a server that has trees, and the error says what to do")
    func mixed() throws {
        let old = try SimulatedDatabase("old", in: simulation)
        try old.save("a", #"{"n":1}"#)
        try server.save("b", #"{"n":1}"#)
        for (client, target) in [(old, server), (server, old)] {
            var options = options(push: false)
            options.collections = [CollectionOptions(.default)]
            options.subprotocol = "BLIP_3+CBMobile_4"
            let error = try #require(try simulation.replicate(client, with: target, options).active.error)
            #expect(error.domain == .liteCore && error.code == 501)
            #expect(error.message.hasPrefix("Incompatible document versioning.") && error.message.contains("upgrade"))
        }
        #expect(try old.json("b") == nil && server.json("a") == nil)
    }

    @Test("databases that were upgraded go on without conflicts, and resolve those that occur")
    func upgrade() throws {
        let (client, target) = (try SimulatedDatabase("client", in: simulation), try SimulatedDatabase("target", in: simulation))
        for id in ["here", "there", "both", "same", "deleted", "unsent"] { try client.save(id, #"{"n":1}"#) }
        try replicate(of: client, with: target)
        try client.save("unsent", #"{"n":2}"#)
        for database in [client, target] { try database.file.upgradeToVersionVectors() }
        try client.save("here", #"{"n":2}"#)
        try target.save("there", #"{"n":2}"#)
        try target.delete("deleted")
        try client.save("both", #"{"n":2}"#)
        simulation.run(for: .seconds(1))
        try target.save("both", #"{"n":3}"#)
        let replication = try replicate(of: client, with: target)
        #expect(replication.active.conflictCount == 1)
        // The revision of a tree that was pushed is a version there, which the client gets with the next replication.
        #expect(try client.content().hasSameDocuments(as: target.content()))
        #expect(try target.json("both") == #"{"n":3}"# && target.json("here") == #"{"n":2}"# && client.json("there") == #"{"n":2}"#)
        #expect(try target.json("unsent") == #"{"n":2}"# && client.json("deleted") == nil)
        #expect(try client.collection().document("same")?.revision.tree != nil)
        for round in 3...5 {
            for id in ["here", "there", "same"] { try (round % 2 == 0 ? client : target).save(id, #"{"n":\#(round)}"#) }
            #expect(try replicate(of: client, with: target).active.conflictCount == 0)
            try expectSame([client, target])
        }
    }

    @Test("a revision whose acknowledgement was lost before an upgrade makes no conflict after it")
    func lostAcknowledgement() throws {
        let (client, target) = (try SimulatedDatabase("client", in: simulation), try SimulatedDatabase("target", in: simulation))
        for id in ["known", "new"] {
            if id == "known" {
                try client.save(id, #"{"n":1}"#)
                try replicate(of: client, with: target)
            }
            try client.save(id, #"{"n":2}"#)
        }
        let replication = SimulatedReplication(client, with: target, options(), in: simulation)
        try simulation.run { (try? target.json("known")) == #"{"n":2}"# && (try? target.json("new")) == #"{"n":2}"# }
        replication.link.cut()
        try simulation.run { replication.hasEnded }
        #expect(replication.active.succeeded == [])
        for id in ["known", "new"] { try client.save(id, #"{"n":3}"#) }
        for database in [client, target] { try database.file.upgradeToVersionVectors() }
        for id in ["known", "new"] { try client.save(id, #"{"n":4}"#) }
        #expect(try replicate(of: client, with: target).active.conflictCount == 0)
        #expect(try client.content().hasSameDocuments(as: target.content()))
        for id in ["known", "new"] { #expect(try target.json(id) == #"{"n":4}"#) }
    }

    @Test("a session ends when its database gets version vectors")
    func upgradeWhileRunning() throws {
        let (client, target) = (try SimulatedDatabase("client", in: simulation), try SimulatedDatabase("target", in: simulation))
        var options = options()
        (options.push, options.pull) = (.continuous, .continuous)
        try client.save("first", #"{"n":1}"#)
        let replication = SimulatedReplication(client, with: target, options, in: simulation)
        try simulation.run { (try? target.json("first")) != nil && replication.isIdle }
        try client.file.upgradeToVersionVectors()
        try client.save("a", #"{"n":1}"#)
        try simulation.run { replication.hasEnded }
        #expect(replication.active.error?.code == 19)
        #expect(try target.json("a") == nil)
    }

    @Test("a version that is too far in the future is refused by both sides, and the rest is replicated")
    func future() throws {
        try server.save("early", #"{"n":1}"#)
        server.clockOffset = 500
        try server.save("late", #"{"n":1}"#)
        server.clockOffset = 0
        let replication = try simulation.replicate(local, with: server, options())
        #expect(replication.active.documents.filter { $0.error != nil }.map(\.documentID) == ["late"])
        #expect(replication.active.documents.compactMap(\.error?.code) == [4])
        #expect(try local.json("early") == #"{"n":1}"# && local.json("late") == nil)
        local.clockOffset = 500
        try local.save("mine", #"{"n":1}"#)
        let pushed = try simulation.replicate(local, with: server, options(pull: false))
        #expect(pushed.active.documents.map(\.error?.code) == [4])
        #expect(try server.json("mine") == nil)
    }
}

extension OwnedBody {
    /// Encodes a body for a database.
    fileprivate static func parsing(_ json: String, in file: DatabaseFile) throws -> OwnedBody {
        try file.withBodyEncoder { encoder in
            try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder.encoder) }
            return try encoder.finishOwned()
        }
    }
}
