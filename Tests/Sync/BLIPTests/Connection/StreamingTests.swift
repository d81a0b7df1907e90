import BLIP
import SyncCore
import Testing

@Suite("Streamed bodies")
struct StreamingTests {
    /// A pair of peers, the first of which has sent a request to the second.
    private func ask(streamsReply: Bool) throws -> (Peer, Peer, RequestToken, IncomingRequest) {
        let client = Peer()
        let server = Peer()
        let token = client.send(OutgoingMessage(["Profile": "getAttachment"]), streamsReply: streamsReply)
        try exchange(client, server)
        return (client, server, token, try #require(server.requests.first))
    }

    @Test(
        "a body from a source arrives complete, whatever the size of its pieces",
        arguments: [0, 1, 16_378, 16_379, 65_536, 300_000],
        [1 << 20, 1000, 16_378]
    )
    func source(size: Int, pieceSize: Int) throws {
        for isCompressed in [false, true] {
            let (client, server, token, request) = try ask(streamsReply: true)
            let body = prose(size)
            let source = GeneratedSource(body, pieceSize: pieceSize)
            server.respond(to: request, with: .streaming(source, isCompressed: isCompressed))
            try exchange(client, server)
            #expect(client.parts[token, default: []].joined().elementsEqual(body))
            #expect(client.replies[token]?.body == [])
            #expect(client.replies[token]?.error == nil)
        }
    }

    @Test("the last frame of a streamed body is flagged as the last, and is not empty")
    func lastFrame() throws {
        let (_, server, _, request) = try ask(streamsReply: true)
        // Header and checksum take six bytes of a frame, the properties one of the first.
        server.respond(to: request, with: .streaming(GeneratedSource(noise(2 * 16_378 - 1))))
        let frames = server.frames()
        #expect(frames.map(\.count) == [16_384, 16_384])
        #expect(frames.map { header(of: $0).flags } == [0x41, 0x01])
    }

    @Test("a body source is read only as its frames are sent")
    func lazyReading() throws {
        let (_, server, _, request) = try ask(streamsReply: true)
        let source = GeneratedSource(noise(1 << 20))
        server.respond(to: request, with: .streaming(source))
        #expect(source.readByteCount == 0)
        for _ in 0..<4 { _ = server.nextFrame() }
        #expect(source.readByteCount <= 2 * 65_536)
        #expect(server.queuedByteCount <= 2 * 65_536)
        // Without acknowledgements the sender pauses.
        while server.nextFrame() != nil {}
        #expect(source.readByteCount <= 4 * 65_536)
    }

    @Test("a body source that fails ends the body at this point")
    func failingSource() throws {
        let (client, server, token, request) = try ask(streamsReply: true)
        let body = noise(20_000)
        server.respond(to: request, with: .streaming(GeneratedSource(body, failsAtEnd: true)))
        try exchange(client, server)
        #expect(client.parts[token, default: []].joined().elementsEqual(body))
        #expect(client.replies[token] != nil)
    }

    @Test("parts of a body are delivered frame by frame, and only with a correct checksum")
    func parts() throws {
        let (client, server, token, request) = try ask(streamsReply: true)
        server.respond(to: request, with: OutgoingMessage(["a": "b"], body: noise(40_000)))
        var frames = server.frames()
        try #require(frames.count == 3)
        try client.receive(frames[0])
        #expect(client.parts[token]?.count == 1)
        #expect(client.replies[token] == nil)
        frames[1][5000] ^= 1
        #expect(throws: BLIPError.badChecksum(message: 1)) { try client.receive(frames[1]) }
        #expect(client.parts[token]?.count == 1)
    }

    @Test("a response that is not streamed is delivered with its complete body")
    func whole() throws {
        let (client, server, token, request) = try ask(streamsReply: false)
        let body = noise(40_000)
        server.respond(to: request, with: .streaming(GeneratedSource(body)))
        try exchange(client, server)
        #expect(client.parts.isEmpty)
        #expect(client.replies[token]?.body == body)
    }

    @Test("an error response is delivered as a whole, even if streaming was requested")
    func error() throws {
        let (client, server, token, request) = try ask(streamsReply: true)
        let text = String(repeating: "no ", count: 10_000)
        server.respond(to: request, error: SyncError(.http, 404, text))
        try exchange(client, server)
        #expect(client.parts.isEmpty)
        #expect(client.replies[token]?.body.count == text.utf8.count)
        #expect(client.replies[token]?.error == SyncError(.http, 404, String(text.utf8.prefix(SyncError.longestReportedMessage)) ?? ""))
    }
}
