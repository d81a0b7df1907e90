import BLIP
import Testing

@Suite("Disconnection")
struct DisconnectTests {
    @Test("on disconnection all requests that await a response end, in the order they were sent")
    func order() throws {
        let client = Peer()
        let server = Peer()
        let answered = client.send(OutgoingMessage(["Profile": "a"]))
        let awaited = client.send(OutgoingMessage(["Profile": "b"]))
        client.send(OutgoingMessage(["Profile": "c"], isNoReply: true))
        try exchange(client, server)
        server.respond(to: server.requests[0], with: OutgoingMessage())
        try exchange(client, server)
        // One request waits for acknowledgements, one has been started, and two have not been started.
        let parked = client.send(OutgoingMessage(["Profile": "d"], body: noise(400_000)))
        while client.nextFrame() != nil {}
        let begun = client.send(OutgoingMessage(["Profile": "e"], body: noise(40_000)))
        _ = client.nextFrame()
        let queued = client.send(OutgoingMessage(["Profile": "f"]))
        client.send(OutgoingMessage(["Profile": "g"], isNoReply: true))

        client.disconnect()
        #expect(client.replies.keys.map(\.self) == [answered])
        #expect(client.disconnected == [awaited, parked, begun, queued])
        #expect(!client.hasFrames)
        #expect(client.queuedByteCount == 0 && client.queuedMessageCount == 0 && client.awaitedCount == 0)

        client.disconnect()
        client.send(OutgoingMessage(["Profile": "h"]))
        #expect(client.disconnected.count == 4)
        #expect(!client.hasFrames)
    }

    @Test("unanswered requests are dropped on disconnection")
    func unanswered() throws {
        let client = Peer()
        let server = Peer()
        for _ in 0..<3 { client.send(OutgoingMessage()) }
        try exchange(client, server)
        #expect(server.unansweredCount == 3)
        server.disconnect()
        #expect(server.unansweredCount == 0)
        server.respond(to: server.requests[0], with: OutgoingMessage())
        #expect(!server.hasFrames)
    }

    @Test("a request sent after a protocol error ends on disconnection")
    func afterFailure() throws {
        let peer = Peer()
        #expect(throws: BLIPError.badHeader) { try peer.receive([]) }
        let token = peer.send(OutgoingMessage())
        peer.disconnect()
        #expect(peer.disconnected == [token])
    }

    @Test("a request whose response has a wrong checksum ends on disconnection", arguments: [0x01, 0x41] as [UInt8])
    func badResponse(flags: UInt8) throws {
        let peer = Peer()
        let token = peer.send(OutgoingMessage())
        _ = peer.frames()
        var raw = RawFrames()
        if flags == 0x41 { try peer.receive(raw.frame(1, flags, [0])) }
        #expect(throws: BLIPError.badChecksum(message: 1)) { try peer.receive(raw.frame(1, 1, [0], checksumError: 1)) }
        peer.disconnect()
        #expect(peer.disconnected == [token])
    }
}
