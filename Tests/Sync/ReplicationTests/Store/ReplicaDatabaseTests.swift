import DocumentStore
import Synchronization
import TestSupport
import Testing

@testable import Replication

@Suite("Replica databases")
struct ReplicaDatabaseTests {
    @Test("a database stores its own checkpoints")
    func checkpoints() throws {
        let replica = try TestReplica()
        #expect(try replica.database.checkpoint("cp-x") == nil)
        try replica.database.setCheckpoint("cp-x", Array(#"{"local":1}"#.utf8))
        try replica.database.setCheckpoint("cp-x", Array(#"{"local":2}"#.utf8))
        #expect(try replica.database.checkpoint("cp-x") == Array(#"{"local":2}"#.utf8))
        #expect(try replica.database.peerCheckpoint("cp-x") == nil)
        try replica.database.setCheckpoint("cp-x", nil)
        #expect(try replica.database.checkpoint("cp-x") == nil)
        try replica.checkAndClose()
    }

    @Test("a peer checkpoint can be overwritten only with its current revision")
    func peerCheckpoints() throws {
        let replica = try TestReplica()
        let database = replica.database
        #expect(try database.setPeerCheckpoint("cp-x", expecting: "1-cc", body: [1]) == nil)
        #expect(try database.peerCheckpoint("cp-x") == nil)
        #expect(try database.setPeerCheckpoint("cp-x", expecting: "", body: [1]) == "1-cc")
        #expect(try database.setPeerCheckpoint("cp-x", expecting: "", body: [2]) == nil)
        #expect(try database.setPeerCheckpoint("cp-x", expecting: "1-cc", body: [3]) == "2-cc")
        let stored = try #require(try database.peerCheckpoint("cp-x"))
        #expect(stored == ("2-cc", [3]))
        try replica.checkAndClose()
    }

    @Test("the checkpoint of a peer for an earlier collection of the same name counts as missing, and is replaced")
    func ownedPeerCheckpoints() throws {
        let replica = try TestReplica()
        let database = replica.database
        #expect(try database.setPeerCheckpoint("cp-x", expecting: "", body: [1], owner: 1) == "1-cc")
        #expect(try database.peerCheckpoint("cp-x", owner: 1)?.body == [1])
        for owner: UInt64 in [0, 2] {
            #expect(try database.peerCheckpoint("cp-x", owner: owner) == nil)
            #expect(try database.setPeerCheckpoint("cp-x", expecting: "1-cc", body: [2], owner: owner) == nil)
        }
        #expect(try database.setPeerCheckpoint("cp-x", expecting: "", body: [3], owner: 2) == "1-cc")
        #expect(try database.peerCheckpoint("cp-x", owner: 2)?.body == [3])
        #expect(try database.peerCheckpoint("cp-x", owner: 1) == nil)
        try replica.checkAndClose()
    }

    @Test("the number and total size of peer checkpoints are limited, and the least recently written are deleted")
    func boundedPeerCheckpoints() throws {
        let replica = try TestReplica()
        let database = replica.database
        func set(_ name: String, _ token: String = "", size: Int = 10, total: (Int, Int)) throws {
            let body = [UInt8](repeating: 1, count: size)
            let next = try database.setPeerCheckpoint(name, expecting: token, body: body, maximumTotal: total)
            #expect(next != nil)
        }
        func names() throws -> [String] {
            try (1...9).map { "c\($0)" }.filter { try database.peerCheckpoint($0) != nil }
        }
        // As written by an earlier version.
        for number in 1...6 { try set("c\(number)", total: (.max, .max)) }
        #expect(try names().count == 6)
        try set("c1", "1-cc", total: (4, .max))
        #expect(try names() == ["c1", "c4", "c5", "c6"])
        try set("c7", total: (4, .max))
        #expect(try names() == ["c1", "c5", "c6", "c7"])
        try set("c8", size: 50, total: (4, 75))
        #expect(try names() == ["c1", "c7", "c8"])
        try set("c9", size: 100, total: (4, 75))
        #expect(try names() == ["c9"])
        try replica.checkAndClose()
    }

    @Test("limits on checkpoints may apply to those of one client, and may refuse new ones instead of dropping old ones")
    func peerCheckpointsOfOneClient() throws {
        let replica = try TestReplica()
        let database = replica.database
        func set(_ name: String, _ prefix: String, size: Int = 10, total: (Int, Int) = (2, 100), drops: Bool = true) throws -> String? {
            let body = [UInt8](repeating: 1, count: size)
            return try database.setPeerCheckpoint(name, expecting: "", body: body, maximumTotal: total, of: prefix, dropsOldest: drops)
        }
        let others = ["c", "c9", "b:1", "c;", "c;1", "d"]
        for name in others { #expect(try set(name, name) != nil) }
        // The second one has the largest code point in its name.
        for name in ["c:1", "c:\u{10FFFF}", "c:2", "c:3"] { #expect(try set(name, "c:") != nil) }
        #expect(try ["c:1", "c:\u{10FFFF}", "c:2", "c:3"].map { try database.peerCheckpoint($0) != nil } == [false, false, true, true])
        #expect(throws: PeerCheckpointsFull.self) { _ = try set("c:4", "c:", drops: false) }
        #expect(throws: PeerCheckpointsFull.self) { _ = try set("c:4", "c:", size: 81, total: (9, 100), drops: false) }
        #expect(try database.peerCheckpoint("c:4") == nil)
        #expect(try set("c:4", "c:", size: 80, total: (3, 100), drops: false) != nil)
        for name in others + ["c:2", "c:3"] { #expect(try database.peerCheckpoint(name) != nil, "\(name)") }
        try replica.checkAndClose()
    }

    @Test("an overlong peer checkpoint from an earlier version counts as missing")
    func longPeerCheckpoint() throws {
        let database = try TestReplica()
        let long = [UInt8](repeating: 1, count: 101)
        #expect(try database.database.setPeerCheckpoint("cp", expecting: "", body: long) == "1-cc")
        let refused = try database.database.setPeerCheckpoint("cp", expecting: "1-cc", body: [1], maximumSize: 100)
        #expect(refused == nil)
        let token = try database.database.setPeerCheckpoint("cp", expecting: "", body: [1], maximumSize: 100)
        #expect(token == "1-cc")
    }

    @Test("a database stores cookies")
    func cookies() throws {
        let replica = try TestReplica()
        #expect(try replica.database.cookies() == nil)
        try replica.database.setCookies([1, 2])
        #expect(try replica.database.cookies() == [1, 2])
        try replica.database.setCookies(nil)
        #expect(try replica.database.cookies() == nil)
        try replica.checkAndClose()
    }

    @Test("a copied database has its own ID and knows the ID of the original")
    func copy() throws {
        let replica = try TestReplica()
        let id = try replica.database.file.ensuredPrivateUUID()
        let path = replica.directory.path("copy.cblite2")
        try DatabaseCopy.copy(replica.file.bundle, to: BundlePath(path))
        let file = try DatabaseRegistry.open(path)
        defer { try? DatabaseRegistry.close(file) }
        let copy = ReplicaDatabase(file)
        #expect(try copy.file.ensuredPrivateUUID() != id)
        #expect(try copy.file.previousPrivateUUID() == id)
    }

    @Test("a collection that does not exist is nil")
    func missingCollection() throws {
        let replica = try TestReplica()
        #expect(try replica.database.collection(CollectionID(name: "none")) == nil)
        #expect(try replica.collection().id == .default)
    }

    @Test("a crash before a commit discards the commit, and a crash after a commit keeps it")
    func commitHook() throws {
        struct Death: Error {}
        let moment = Mutex<ReplicaDatabase.CommitPhase?>(nil)
        let replica = try TestReplica { if moment.withLock({ $0 }) == $0 { throw Death() } }
        let collection = try replica.collection()
        for (death, isStored) in [(ReplicaDatabase.CommitPhase.before, false), (.after, true)] {
            moment.withLock { $0 = death }
            let revision = try replica.received("a", ["1-aa"])
            #expect(throws: Death.self) { try collection.insert([revision], remote: 1) }
            #expect(try collection.isEmpty() != isStored)
            #expect(throws: Death.self) { try replica.database.setCheckpoint("cp-x", [1]) }
            #expect(try replica.database.checkpoint("cp-x") == (isStored ? [1] : nil))
        }
        try replica.checkAndClose()
    }
}
