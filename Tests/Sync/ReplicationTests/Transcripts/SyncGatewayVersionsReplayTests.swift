import ReplicationSimulation
import Testing

@testable import Replication

/// What a scripted client has sent to Sync Gateway 4.0.7 with protocol 4, and with protocol 3 to the same documents, is sent to a session that
/// stands in for Sync Gateway (Version vectors 7).
@Suite("Replay of a conversation with Sync Gateway 4 on protocol 4")
struct SyncGatewayVersionsReplayTests {
    private static let name = "sync-gateway-4.0.7-protocol4"
    private static let source = "EtZNN8MKD3taDRvy5i3FfQ"
    /// When Sync Gateway has made its first version.
    private static let time: UInt64 = 0x18EA_5859_D31B_0000

    @Test("a session that stands in for Sync Gateway answers a scripted client as Sync Gateway 4 does, except for the listed differences")
    func server() throws {
        let replay = try GatewayReplay(Self.source, at: Self.time)
        for connection in try Transcript.ofVersions(Self.name).connections { try replay.run(connection) }
        #expect(replay.answerCount == 68 && replay.revisionCount == 18, "\(replay.answerCount) \(replay.revisionCount)")
        #expect(replay.unrecordedCount == 1 && replay.blobCount == 1)
        #expect(replay.differences == Set(GatewayReplay.otherAnswers.keys).union(GatewayReplay.otherResults.keys))
    }

    @Test("of the protocols that a client offers, the database accepts the one first that Sync Gateway 4 has chosen")
    func handshakes() throws {
        let database = try ReplayedDatabase(Self.source, at: Self.time)
        let accepted = try Subprotocol.accepted(by: database.replica.file)
        let handshakes = try Transcript.ofVersions(Self.name).handshakes
        for handshake in handshakes { #expect(handshake.offered.first { accepted.contains($0) } == handshake.chosen) }
        #expect(handshakes.count > 10)
    }
}
