#if Replication
import SyncCore
import NIOCore
import TestSupport
import TestTraits
import Testing
import Transport
import TransportFuzzing

/// A client of this library and a server that the test implements.
private final class Played {
    let server: RawServer
    let client: ChannelRecorder
    let peer: RawServer.Connection
    private var parser = WebSocketFrameParser(expectsMask: true, maximumMessageBytes: 1 << 24)

    init(_ change: (inout ClientConfiguration) -> Void = { _ in }) async throws {
        server = try RawServer { _, request in .switching(request) }
        client = ChannelRecorder(
            WebSocketClientChannel(try Loopback.configuration("ws://127.0.0.1:\(server.port)/db", change))
        )
        _ = try await client.opened()
        peer = try await server.connection()
    }

    /// Returns the client's frames up to one of this kind, unmasked.
    func frames(until opcode: UInt8) async throws -> [WebSocketMessage] {
        var messages: [WebSocketMessage] = []
        for await part in peer.bytes {
            try part.withUnsafeBytes { try parser.parse($0) { messages.append($0) } }
            switch (opcode, messages.last) {
            case (2, .data), (8, .close), (9, .ping), (10, .pong): return messages
            default: continue
            }
        }
        return messages
    }

    func end() async {
        client.channel.cancel()
        peer.channel.close(promise: nil)
        await server.stop()
    }
}

@Suite("WebSocket behaviour", .ownThreads)
struct WebSocketBehaviourTests {
    private func frame(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true) -> [UInt8] {
        FrameBytes.frame(opcode, payload, isFinal: isFinal, isMasked: false)
    }

    @Test("a ping is answered by a pong with the same payload")
    func pong() async throws {
        let played = try await Played()
        played.peer.send(frame(9, [1, 2, 3]))
        #expect(try await played.frames(until: 10) == [.pong([1, 2, 3])])
        await played.end()
    }

    @Test("fragmented messages are accepted, and messages are sent as single masked binary frames")
    func fragments() async throws {
        let played = try await Played()
        played.peer.send(frame(2, [1], isFinal: false) + frame(0, [2], isFinal: false) + frame(0, [3]))
        #expect(try await played.client.frame() == [1, 2, 3])
        played.client.channel.send([4, 5, 6])
        let sent = await played.peer.read(9)
        #expect(sent.count == 9 && sent[0] == 0x82 && sent[1] == 0x83)
        #expect((0..<3).map { sent[6 + $0] ^ sent[2 + $0] } == [4, 5, 6])
        await played.end()
    }

    @Test("a server that disconnects in the middle of a message is reported as a lost connection")
    func lost() async throws {
        let played = try await Played()
        played.peer.send(frame(2, [7]) + frame(2, [UInt8](repeating: 1, count: 1000)).dropLast(500))
        #expect(try await played.client.frame() == [7])
        played.peer.channel.close(promise: nil)
        let closure = try await played.client.closed()
        #expect(
            closure.code == 1006 && closure.isByPeer
                && closure.error == SyncError(.webSocket, 1006, "the connection was lost")
        )
        await played.end()
    }

    @Test("a protocol violation is answered by a close frame with its code, and later frames are ignored")
    func violation() async throws {
        for (bytes, code) in [
            (frame(3), 1002), (FrameBytes.frame(2, [1]), 1002),
            (frame(2, [UInt8](repeating: 0, count: 2000)), 1009),
        ] {
            let played = try await Played { $0.webSocket.maximumMessageBytes = 1999 }
            played.peer.send(bytes + frame(2, [1]))
            let closure = try await played.client.closed()
            #expect(closure.code == code && !closure.isByPeer && closure.error?.code == code)
            guard case .close(let sent, _) = try await played.frames(until: 8).last else {
                Issue.record("no close frame")
                return
            }
            #expect(sent == code)
            await played.end()
        }
    }

    @Test("a close frame of the peer is echoed, and the connection is closed", arguments: [1000, 1001, 4001, nil])
    func echo(code: Int?) async throws {
        let played = try await Played()
        let payload = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array("why".utf8) } ?? []
        played.peer.send(frame(8, payload))
        let closure = try await played.client.closed()
        #expect(closure.code == code ?? 1005 && closure.reason == (code == nil ? "" : "why") && closure.isByPeer)
        let expected = WebSocketMessage.close(code: code, reason: code == nil ? "" : "why")
        #expect(try await played.frames(until: 8) == [expected])
        // The connection ends without an action of this side.
        #expect(await played.peer.read(1) == [])
        await played.end()
    }

    @Test("a connection is closed after a timeout when the peer does not answer a close frame")
    func closeTimeout() async throws {
        let played = try await Played { $0.webSocket.closeTimeout = 0.05 }
        played.client.channel.close(code: 1000, reason: "")
        let closure = try await played.client.closed()
        #expect(closure.code == 1000 && !closure.isByPeer && closure.error == nil)
        #expect(try await played.frames(until: 8) == [.close(code: 1000, reason: "")])
        #expect(await played.peer.read(1) == [])
        await played.end()
    }

    @Test("a connection is closed when the peer does not answer pings")
    func silence() async throws {
        let played = try await Played {
            $0.webSocket.heartbeat = 0.02
            $0.webSocket.pongTimeout = 0.05
        }
        #expect(try await played.frames(until: 9) == [.ping([])])
        let closure = try await played.client.closed()
        #expect(closure.code == nil && closure.error?.domain == .network && closure.error?.code == 3)
        await played.end()
    }

    @Test("a connection stays open while the peer answers pings or keeps sending", arguments: [10, 2] as [UInt8])
    func heartbeat(opcode: UInt8) async throws {
        let played = try await Played {
            $0.webSocket.heartbeat = 0.1
            $0.webSocket.pongTimeout = 3
        }
        // This number of pings takes longer than the timeout of one answer.
        for _ in 0..<32 {
            #expect(try await played.frames(until: 9).last == .ping([]))
            played.peer.send(frame(opcode))
        }
        played.client.channel.close(code: 1000, reason: "")
        #expect(try await played.frames(until: 8).last == .close(code: 1000, reason: ""))
        played.peer.send(frame(8, [0x03, 0xE8]))
        #expect(try await played.client.closed().code == 1000)
        await played.end()
    }

    @Test("a missing pong does not close the connection while reading is paused")
    func notReading() async throws {
        let played = try await Played {
            $0.webSocket.heartbeat = 0.02
            $0.webSocket.pongTimeout = 0.01
        }
        played.client.channel.setReading(false)
        // The first may be an earlier one; each further one comes after the timeout of the answer to the previous one.
        for _ in 0..<4 { #expect(try await played.frames(until: 9).last == .ping([])) }
        played.client.channel.setReading(true)
        #expect(try await played.client.closed().error?.code == 3)
        await played.end()
    }

    @Test("a listener closes a connection whose client does not answer pings")
    func halfOpen() async throws {
        let arrivals = Arrivals()
        let listener = try Loopback.startListener {
            $0.webSocket.heartbeat = 0.02
            $0.webSocket.pongTimeout = 0.05
        } accept: {
            arrivals.add($0)
        }
        let client = try await RawClient.connect(port: listener.port ?? 0)
        client.send(
            Array(
                ("GET /db/_blipsync HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n\r\n")
                    .utf8
            )
        )
        let server = ChannelRecorder(try await arrivals.next().channel)
        _ = try await server.opened()
        #expect(try await server.closed().error == SyncError(.network, 3, "the peer did not respond to a ping"))
        await listener.stop()
    }

    @Test("a sender is paused when the peer does not read, and notified when it can send again")
    func sendingPressure() async throws {
        let loopback = try await Loopback.make()
        loopback.server.channel.setReading(false)
        let frame = [UInt8](repeating: 1, count: 16 * 1024)
        var sent = 0
        // The buffers of the system, which have some megabytes, are filled first.
        while loopback.client.channel.send(frame) {
            sent += 1
            #expect(sent < 4096)
            if sent >= 4096 { break }
            await Task.yield()
        }
        sent += 1
        loopback.server.channel.setReading(true)
        for _ in 0..<sent { _ = try await loopback.server.frame() }
        guard case .writable = await loopback.client.next() else {
            Issue.record("not told that there is room")
            return
        }
        #expect(loopback.client.channel.send([2]))
        #expect(try await loopback.server.frame() == [2])
        await loopback.listener.stop()
    }

    @Test("a sender that waits for each writable notification transmits all frames")
    func pacing() async throws {
        let loopback = try await Loopback.make()
        let frame = [UInt8](repeating: 1, count: 3000)
        let total = 20_000
        let received = Task {
            for index in 0..<total {
                let frame = try await loopback.server.frame()
                guard frame.count == 3000 else { throw Unexpected(description: "frame \(index)") }
            }
        }
        for _ in 0..<total where !loopback.client.channel.send(frame) {
            guard case .writable = await loopback.client.next() else {
                Issue.record("not told that there is room")
                break
            }
        }
        try await received.value
        await loopback.listener.stop()
    }

    @Test("nothing is read while reading is paused, so that the sender is paused")
    func readingPressure() async throws {
        let loopback = try await Loopback.make()
        loopback.client.channel.setReading(false)
        let frame = [UInt8](repeating: 1, count: 16 * 1024)
        var sent = 1
        while loopback.server.channel.send(frame), sent < 4096 {
            sent += 1
            await Task.yield()
        }
        #expect(sent < 4096, "the sender is never asked to wait")
        loopback.client.channel.setReading(true)
        for _ in 0..<sent { #expect(try await loopback.client.frame().count == frame.count) }
        loopback.client.channel.close(code: 1000, reason: "")
        #expect(try await loopback.client.closed().code == 1000)
        await loopback.listener.stop()
    }

    @Test("queued frames are sent before the close frame")
    func closeAfterLine() async throws {
        let played = try await Played()
        for index in 0..<50 { played.client.channel.send([UInt8(index)]) }
        played.client.channel.close(code: 1000, reason: "done")
        played.client.channel.send([99])
        let messages = try await played.frames(until: 8)
        #expect(messages == (0..<50).map { .data([$0]) } + [.close(code: 1000, reason: "done")])
        // Data that arrives during the close handshake is ignored.
        played.peer.send(frame(2, [1]) + frame(8, [0x03, 0xE8]))
        #expect(try await played.client.closed().code == 1000)
        await played.end()
    }

    @Test("pings of a peer that does not read do not accumulate as queued pongs")
    func pingFlood() async throws {
        let played = try await Played()
        try await played.peer.channel.setOption(.autoRead, value: false).get()
        // More than the capacity of the system's buffers.
        let frame = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<16 { played.client.channel.send(frame) }
        // More than is read at a time: the first frames may arrive before reading is paused.
        let payloads = (0..<10_000).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + [UInt8](repeating: 0, count: 100) }
        played.peer.send(payloads.flatMap { self.frame(9, $0) } + self.frame(2, [7]))
        var event = await played.client.next()
        while case .writable = event { event = await played.client.next() }
        guard case .frame([7]) = event else {
            Issue.record("the frame behind the pings has not come")
            return
        }
        try await played.peer.channel.setOption(.autoRead, value: true).get()
        // The last ping is answered, and most of the others are not.
        var pongs = 0
        var last: WebSocketMessage?
        while last != .pong(payloads[9999]) {
            let messages = try await played.frames(until: 10)
            guard !messages.isEmpty else { break }
            for case .pong in messages { pongs += 1 }
            last = messages.last
        }
        #expect(pongs < 9000)
        #expect(last == .pong(payloads[9999]))
        await played.end()
    }
}
#endif
