import ReplicationSimulation
import Testing

@testable import Replication

/// Conversations of Couchbase Lite 4.0.4 with another database and with Sync Gateway 4.0.7 are repeated, with a session of this library in place of
/// either side. It must send what the original has sent (Version vectors 6, 7).
@Suite("Replay of conversations between releases 4")
struct VersionsReplayTests {
    private static let peers = "couchbase-lite-4.0.4-peers"
    private static let gateway = "couchbase-lite-4.0.4-with-sync-gateway-4.0.7"

    @Test("a passive session serves the recorded clients as Couchbase Lite 4.0.4 does")
    func passive() throws {
        let replay = try ReplayedServer("iAFIl53vQ6+0zDp3NGKOeA", standsInForSyncGateway: false)
        for block in try Conversation(ofVersions: Self.peers).blocks { try replay.run(block) }
        #expect(replay.requestCount > 45 && replay.revisionCount == 7, "\(replay.requestCount) \(replay.revisionCount)")
    }

    @Test("a session that stands in for Sync Gateway serves the recorded clients as Sync Gateway 4 does")
    func gatewayServer() throws {
        let replay = try ReplayedServer("EtZNN8MKD3taDRvy5i3FfQ", standsInForSyncGateway: true)
        for block in try Conversation(ofVersions: Self.gateway).blocks.prefix(9) { try replay.run(block) }
        #expect(replay.requestCount > 45 && replay.revisionCount == 5, "\(replay.requestCount) \(replay.revisionCount)")
    }

    @Test("an active session replicates with the recorded database as Couchbase Lite 4.0.4 does")
    func active() throws {
        let blocks = try Conversation(ofVersions: Self.peers).blocks
        let (a, c) = (try ReplayedClient("SOJnUHIfRHOOPjTgLjF5sQ"), try ReplayedClient("PKZXpaLkTICsViq9+KA27g"))
        for block in blocks.prefix(4) { try a.run(block) }
        for block in blocks.dropFirst(4) { try c.run(block) }
        #expect(a.sentCount == 4 && c.sentCount == 4, "\(a.sentCount) \(c.sentCount)")
    }

    @Test("an active session replicates with the recorded Sync Gateway as Couchbase Lite 4.0.4 does")
    func gatewayClient() throws {
        let blocks = try Conversation(ofVersions: Self.gateway).blocks
        let (a, b) = (try ReplayedClient("RkCrXdKsR32iLrz5V6ebTQ"), try ReplayedClient("+D2pAPS0RmCNcy4dw8L+qQ"))
        for (index, block) in blocks.prefix(9).enumerated() { try ([0, 1, 4, 6, 7].contains(index) ? a : b).run(block) }
        #expect(a.sentCount == 5 && b.sentCount == 2, "\(a.sentCount) \(b.sentCount)")
    }
}
