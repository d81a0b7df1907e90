import BLIP
import SyncCore
import Testing

@Suite("Error responses")
struct ErrorResponseTests {
    /// The received error when a request is answered with an error.
    private func arrived(_ error: SyncError) throws -> IncomingReply {
        let client = Peer()
        let server = Peer()
        let token = client.send(OutgoingMessage(["Profile": "x"]))
        try exchange(client, server)
        server.respond(to: try #require(server.requests.first), error: error)
        try exchange(client, server)
        return try #require(client.replies[token])
    }

    @Test("an error response transfers the domain, the code and the text")
    func report() throws {
        let reply = try arrived(SyncError(.http, 409, "Document update conflict"))
        #expect(reply.error == SyncError(.http, 409, "Document update conflict"))
        #expect(reply.properties == ["Error-Domain": "HTTP", "Error-Code": "409"])
        #expect(reply.body == Array("Document update conflict".utf8))
        #expect(try arrived(SyncError(.blip, 404)).error == SyncError(.blip, 404))
        #expect(try arrived(SyncError(.liteCore, 8, "conflict")).error == SyncError(.liteCore, 8, "conflict"))
    }

    @Test("the text of a peer's error is limited to 1 KiB, and not cut inside of a character")
    func longText() throws {
        let text = String(repeating: "a", count: 1023) + "é" + String(repeating: "b", count: 100_000)
        #expect(try arrived(SyncError(.http, 500, text)).error?.message == String(repeating: "a", count: 1023))
    }

    @Test("WebSocket statuses and delta errors are sent as HTTP errors")
    func translation() throws {
        #expect(try arrived(SyncError(.webSocket, 503, "later")).error == SyncError(.http, 503, "later"))
        #expect(try arrived(SyncError(.webSocket, 1001)).error == SyncError(.webSocket, 1001))
        #expect(try arrived(SyncError(.liteCore, 31)).error == SyncError(.http, 422))
        #expect(try arrived(SyncError(.liteCore, 32)).error == SyncError(.http, 422))
    }

    @Test(
        "an unknown error becomes a remote error, and an error without a domain is a BLIP error",
        arguments: [
            (["Error-Domain", "Forestdb", "Error-Code", "3"], SyncError(.liteCore, 26, "text")),
            (["Error-Domain", "HTTP", "Error-Code", "0"], SyncError(.liteCore, 26, "text")),
            (["Error-Domain", "HTTP"], SyncError(.liteCore, 26, "text")),
            (["Error-Code", "99999999999999999999"], SyncError(.liteCore, 26, "text")),
            (["Error-Code", "404"], SyncError(.blip, 404, "text")),
        ]
    )
    func unknown(properties: [String], error: SyncError) throws {
        let peer = Peer()
        let token = peer.send(OutgoingMessage(["Profile": "x"]))
        _ = peer.frames()
        var raw = RawFrames()
        try peer.receive(raw.frame(1, 2, block(properties) + Array("text".utf8)))
        #expect(peer.replies[token]?.error == error)
    }
}
