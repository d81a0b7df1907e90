import BLIP
import SyncCore
import Testing

@testable import Replication

@Suite("The order of lists of changes")
struct ListOrderTests {
    @Test("a list that is complete before an earlier one is not counted as progress")
    func overtakingList() throws {
        let side = try PushingSide(.disabled, pull: .oneShot)
        let revision = try side.replica.save("known", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        func message(_ rows: [String]) -> OutgoingMessage {
            OutgoingMessage(["Profile": "changes"], body: Array("[\(rows.joined(separator: ","))]".utf8), isUrgent: true)
        }
        let padding = String(repeating: "x", count: 200)
        peer.connection.send(message((1...200).map { "[\($0),\"\(padding)\($0)\",\"1-aa\"]" }))
        let short = peer.connection.send(message(["[201,\"known\",\"\(revision)\"]"]))
        var frames: [[UInt8]] = []
        while let frame = peer.connection.nextFrame() { frames.append(frame) }
        try #require(frames.count > 2)
        peer.tell(frames: frames.dropLast())
        #expect(peer.reply(to: short) == nil)
        peer.tell(.stop)
        #expect(try peer.dequeue("setCheckpoint").isEmpty && side.storedCheckpoint() == nil)
        peer.disconnect()
        #expect(try side.connect().first("subChanges").properties["since"] == nil)
    }
}
