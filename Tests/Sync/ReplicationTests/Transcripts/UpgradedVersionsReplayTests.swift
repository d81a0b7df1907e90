import ReplicationSimulation
import Testing

@testable import Replication

/// The parts of the conversation of Couchbase Lite 4.0.4 with Sync Gateway 4.0.7 in which documents have been revisions of trees before: in a
/// database of release 3.2, and in a bucket of Sync Gateway 3.3.7. A session of this library is in place of either side (Version vectors 3.7, 6, 7).
@Suite("Replay of conversations between releases 4 about documents that had trees")
struct UpgradedVersionsReplayTests {
    private static let name = "couchbase-lite-4.0.4-with-sync-gateway-4.0.7"
    /// The time of the last version in the parts with the bucket of Sync Gateway 3.3.7.
    private static let lastVersion: UInt64 = 0x18EA_586C_9000_0000
    private static let oldTree = "1-50133ddd8e49efad34ad9ecae4cb9907"

    @Test("a session that stands in for Sync Gateway serves documents with trees to clients with versions as Sync Gateway 4 does")
    func server() throws {
        let replay = try ReplayedServer("EtZNN8MKD3taDRvy5i3FfQ", standsInForSyncGateway: true)
        replay.ignoresOrder = true
        replay.generatedIDs = ["2-32feba4f36244ea7ce23c06e32d32f87", "4-fc4b136f63e4c455b7b87dd89bd0c068"]
        for block in try Conversation(ofVersions: Self.name).blocks[9..<17] { try replay.run(block) }
        #expect(replay.requestCount == 56 && replay.revisionCount == 7, "\(replay.requestCount) \(replay.revisionCount)")
    }

    @Test("a session that stands in for Sync Gateway serves the documents of an older Sync Gateway as Sync Gateway 4 does")
    func serverOfOldDocuments() throws {
        let replay = try ReplayedServer("kTm1j5AsHbsBhuVXut+ilA", standsInForSyncGateway: true, at: Self.lastVersion)
        try replay.store("old1", "2-d2111723d973efbcc415aab0ade25a45", after: Self.oldTree, #"{"n":2}"#)
        for id in ["old2", "old3"] { try replay.store(id, Self.oldTree, #"{"n":1}"#) }
        for block in try Conversation(ofVersions: Self.name).blocks[17...] { try replay.run(block) }
        #expect(replay.requestCount == 31 && replay.revisionCount == 3, "\(replay.requestCount) \(replay.revisionCount)")
    }

    @Test("a database that had trees replicates as Couchbase Lite 4.0.4 does, and has no conflicts where the original has")
    func client() throws {
        let blocks = try Conversation(ofVersions: Self.name).blocks
        let a = try ReplayedClient("5Yzc8vk7SVWoy3NkeMW7hw")
        try a.store("one", "1-6b1ccd815504bdc118033214b67018360704b84f", #"{"n":1}"#)
        try a.store("three", "3-30b16fec190ce5b400a06d07d2e1976f41725a5d", #"{"n":3}"#)
        try a.store("edit4", "2-01c1a48abadac396fa3910b830e69691f25f1da8", #"{"n":2}"#)
        try a.store("tomb", "2-8dad8e411db4297ff03b0d3178ffd3640b16118a", isDeleted: true)
        for index in [9, 10, 13, 15] { try a.run(blocks[index]) }
        #expect(a.sentCount == 5)
        #expect(try a.replica.collection().conflictedDocuments() == [])
        let stored = try ["one", "three", "edit4"].map { try a.replica.json($0) }
        #expect(stored == [#"{"n":2}"#, #"{"n":5}"#, #"{"n":4}"#])
    }

    @Test("a client of documents that were pushed from trees replicates with the recorded Sync Gateway as Couchbase Lite 4.0.4 does")
    func clientOfVersions() throws {
        let c = try ReplayedClient("cmc7Z3qISyeB4zZq1iNEGw")
        for index in [11, 12, 14] { try c.run(try Conversation(ofVersions: Self.name).blocks[index]) }
        #expect(c.sentCount == 4)
    }

    @Test("documents of an older Sync Gateway are replicated as recorded, and their later versions are requested where the original fails")
    func clientOfOldDocuments() throws {
        let blocks = try Conversation(ofVersions: Self.name).blocks[17...]
        let a = try ReplayedClient("/k5yCV+DQ0KUjQSff9HoJA", at: Self.lastVersion)
        for block in blocks.prefix(3) { try a.run(block) }
        #expect(a.sentCount == 2)
        // The original has answered with an error, and Sync Gateway has sent nothing.
        for block in blocks.dropFirst(3).prefix(2) { try a.run(block, answering: #"[0,["\#(Self.oldTree)"],["\#(Self.oldTree)"]]"#) }
        let edited = "18ea586c80aa0000@/k5yCV+DQ0KUjQSff9HoJA"
        try a.store("old3", edited, after: Self.oldTree, #"{"n":2}"#)
        try a.run(try #require(blocks.last), answering: #"[0,["\#(Self.oldTree)"],["\#(edited)","\#(Self.oldTree)"]]"#)
        #expect(a.sentCount == 2)
    }
}
