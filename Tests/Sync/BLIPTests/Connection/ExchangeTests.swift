import BLIP
import SyncCore
import Testing

@Suite("Requests and responses")
struct ExchangeTests {
    @Test("a request is delivered with its properties and body, and is answered", arguments: [false, true])
    func answer(isCompressed: Bool) throws {
        let client = Peer()
        let server = Peer()
        let body = Array("{\"a\":1}".utf8)
        let token = client.send(OutgoingMessage(["Profile": "x", "empty": ""], body: body, isCompressed: isCompressed))
        try exchange(client, server)
        let request = try #require(server.requests.first)
        #expect(request.properties == ["Profile": "x", "empty": ""])
        #expect(request.body == body)
        #expect(client.replies.isEmpty)
        #expect(client.awaitedCount == 1)

        server.respond(to: request, with: OutgoingMessage(["b": "c"], body: [1, 2, 3], isCompressed: isCompressed))
        try exchange(client, server)
        #expect(client.replies[token]?.properties == ["b": "c"])
        #expect(client.replies[token]?.body == [1, 2, 3])
        #expect(client.replies[token]?.error == nil)
        #expect(client.awaitedCount == 0)
        #expect(server.unansweredCount == 0)
    }

    @Test("a large message is sent in frames of at most 16 KiB", arguments: [false, true], [16_300, 16_384, 3 << 20])
    func largeMessage(isCompressed: Bool, size: Int) throws {
        let client = Peer()
        let server = Peer()
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        client.send(OutgoingMessage(["Profile": "x"], body: body, isCompressed: isCompressed))
        while let frame = client.nextFrame() {
            #expect(frame.count <= 16384)
            try server.receive(frame)
            while let acknowledgement = server.nextFrame() { try client.receive(acknowledgement) }
        }
        #expect(server.requests.first?.body == body)
    }

    @Test("a request is answered only once, and a no-reply request is not answered")
    func answerOnce() throws {
        let client = Peer()
        let server = Peer()
        client.send(OutgoingMessage(["Profile": "a"]))
        client.send(OutgoingMessage(["Profile": "b"], isNoReply: true))
        try exchange(client, server)
        for request in server.requests {
            server.respond(to: request, with: OutgoingMessage())
            server.respond(to: request, error: SyncError(.blip, 500))
        }
        #expect(server.frames().map { header(of: $0).flags } == [1])
    }

    @Test("a response is urgent if its request is urgent, and not urgent otherwise")
    func urgentResponse() throws {
        let client = Peer()
        let server = Peer()
        client.send(OutgoingMessage(isUrgent: true))
        client.send(OutgoingMessage(isUrgent: false))
        try exchange(client, server)
        server.respond(to: server.requests[0], with: OutgoingMessage(isUrgent: false))
        server.respond(to: server.requests[1], with: OutgoingMessage(isUrgent: true, isNoReply: true))
        #expect(server.frames().map { header(of: $0).flags } == [0x11, 0x01])
    }

    @Test("the queued byte count includes the bodies of queued messages")
    func queueSize() {
        let peer = Peer()
        peer.send(OutgoingMessage(body: noise(100)))
        peer.send(OutgoingMessage(body: noise(20_000)))
        #expect(peer.queuedMessageCount == 2)
        #expect(peer.queuedByteCount == 20_100)
        _ = peer.nextFrame()
        #expect(peer.queuedByteCount == 20_000)
        _ = peer.nextFrame()
        #expect(peer.queuedByteCount > 3000 && peer.queuedByteCount < 4000)
        _ = peer.nextFrame()
        #expect(peer.queuedByteCount == 0)
        #expect(peer.queuedMessageCount == 0)
        #expect(peer.statistics.sentFrames == 3)
    }
}
