#if Replication
import SyncCore
import NIOCore
import NIOPosix
import TestSupport
import TestTraits
import Testing
import Transport

@Suite("Listener handshake", .ownThreads)
struct ListenerTests {
    private static let upgrade =
        "Connection: keep-alive, upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: X, BLIP_3+CBMobile_2, BLIP_3+CBMobile_3\r\n"

    private func listener(
        _ change: (inout ListenerConfiguration) -> Void = { _ in },
        accept: @escaping @Sendable (IncomingConnection) -> Void = { _ in }
    ) throws -> WebSocketListener {
        try Loopback.startListener(change, accept: accept)
    }

    /// The answer of a listener to these bytes, up to the end of the connection, or of the head of a `101`.
    private func answer(_ bytes: some Sequence<UInt8>, of listener: WebSocketListener) async throws -> String {
        let client = try await RawClient.connect(port: listener.port ?? 0)
        client.send(Array(bytes))
        return String(decoding: await client.readHeadOrAll(), as: UTF8.self)
    }

    private func answer(_ text: String, of listener: WebSocketListener) async throws -> String {
        try await answer(text.utf8, of: listener)
    }

    @Test("the listener's response has exactly the bytes that stock clients expect, with the first common subprotocol of the client")
    func accepted() async throws {
        let arrivals = Arrivals()
        let listener = try listener(accept: { arrivals.add($0) })
        let answer = try await answer("GET /db/_blipsync?client=x HTTP/1.1\r\nHost: x\r\n\(Self.upgrade)\r\n", of: listener)
        #expect(
            answer
                == "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_2\r\n\r\n"
        )
        let incoming = try await arrivals.next()
        #expect(incoming.username == nil && incoming.certificates == [] && incoming.remoteAddress.contains("127.0.0.1"))
        await listener.stop()
    }

    @Test("a database name in a request may be percent-encoded")
    func encoded() async throws {
        let arrivals = Arrivals()
        let listener = try listener {
            $0.servesDatabase = { $0 == "my db/ü" }
        } accept: {
            arrivals.add($0)
        }
        let answer = try await answer("GET /my%20db%2F%c3%bc/_blipsync HTTP/1.1\r\n\(Self.upgrade)\r\n", of: listener)
        #expect(answer.hasPrefix("HTTP/1.1 101 "))
        #expect(try await arrivals.next().databaseName == "my db/ü")
        await listener.stop()
    }

    @Test("invalid requests are refused in the order of the specification")
    func refused() async throws {
        let listener = try listener { $0.authenticator = { $0.username == "u" && $0.password == "p:ä" } }
        let good = "Authorization: Basic dTpww6Q=\r\n"
        let authorization = "Authorization: basic dTpwOsOk\r\n"
        let cases = [
            ("GET /nodb/_blipsync HTTP/1.1\r\n\r\n", 401),
            ("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade)\(good)\r\n", 401),
            ("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade)Authorization: Bearer x\r\n\r\n", 401),
            ("GET /nodb/_blipsync HTTP/1.1\r\n\(Self.upgrade)\(authorization)\r\n", 404),
            ("GET /db HTTP/1.1\r\n\(Self.upgrade)\(authorization)\r\n", 404),
            ("GET /%ff/_blipsync HTTP/1.1\r\n\(Self.upgrade)\(authorization)\r\n", 404),
            ("GET /db/_blipsync HTTP/1.1\r\n\(authorization)\r\n", 426),
            ("POST /db/_blipsync HTTP/1.1\r\n\(Self.upgrade)\(authorization)\r\n", 426),
            ("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade.replacing("13", with: "8"))\(authorization)\r\n", 426),
            ("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade)Sec-WebSocket-Version: 13\r\n\(authorization)\r\n", 426),
            ("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade.replacing("BLIP", with: "PILB"))\(authorization)\r\n", 400),
            ("GET /db/_blipsync\r\n\r\n", 400), ("\u{16}\u{3}\u{1}", 400),
            ("GET / HTTP/1.1\r\n folded: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 101))\r\n", 400),
        ]
        for (request, status) in cases {
            let answer = try await answer(request, of: listener)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(80)): \(answer)")
            #expect(answer.contains("WWW-Authenticate: Basic charset=\"UTF-8\"") == (status == 401))
            #expect(!answer.contains(": \r\n"))
        }
        let accepted = try await answer("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade)\(authorization)\r\n", of: listener)
        #expect(accepted.hasPrefix("HTTP/1.1 101 "))
        await listener.stop()
    }

    @Test("a request with an Origin header is refused, even with valid credentials")
    func webPages() async throws {
        let listener = try listener { $0.authenticator = { _ in true } }
        for origin in ["https://evil.example", "http://127.0.0.1:\(listener.port ?? 0)", "null", ""] {
            let answer = try await answer(
                "GET /db/_blipsync HTTP/1.1\r\nHost: x\r\norigin: \(origin)\r\n\(Self.upgrade)"
                    + "Authorization: Basic dTpw\r\n\r\n",
                of: listener
            )
            #expect(answer.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(origin): \(answer)")
        }
        await listener.stop()
    }

    @Test("a refused client gets the status and the reason")
    func reason() async throws {
        let listener = try listener { $0.authenticator = { $0.password == "right" } }
        func error(_ path: String, _ password: String) async throws -> SyncError? {
            let configuration = try Loopback.configuration(for: listener, path: path) {
                $0.authentication = .basic(BasicCredentials(username: "u", password: password))
            }
            return try await ChannelRecorder(WebSocketClientChannel(configuration)).closed().error
        }
        #expect(try await error("/db", "wrong") == SyncError(.webSocket, 401, "Unauthorized"))
        #expect(try await error("/other", "right") == SyncError(.webSocket, 404, "Not found"))
        await listener.stop()
    }

    @Test("a client over the connection limit gets status 503, and can connect after another has disconnected")
    func limit() async throws {
        let arrivals = Arrivals()
        let listener = try listener {
            $0.maximumConnections = 1
            $0.webSocket.now = { 0 }
        } accept: {
            arrivals.add($0)
        }
        let first = ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(for: listener)))
        _ = try await first.opened()
        let server = ChannelRecorder(try await arrivals.next().channel)
        _ = try await server.opened()
        #expect(listener.connectionCount == 1)
        let second = ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(for: listener)))
        #expect(try await second.closed().error?.code == 503)
        first.channel.close(code: 1000, reason: "")
        _ = try await server.closed()
        _ = try await first.closed()
        // The listener detects the end after the recorders do.
        while listener.connectionCount > 0 { await Task.yield() }
        let third = ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(for: listener)))
        _ = try await third.opened()
        await listener.stop()
    }

    @Test("a client that does not finish its request before the timeout is disconnected")
    func slow() async throws {
        let listener = try listener { $0.handshakeTimeout = 0.05 }
        let client = try await RawClient.connect(port: listener.port ?? 0)
        client.send(Array("GET /db".utf8))
        #expect(await client.readHeadOrAll() == [])
        await listener.stop()
    }

    @Test("a port in use and an unknown network interface give errors, and a released port can be used again")
    func ports() async throws {
        let first = try listener()
        let port = try #require(first.port)
        let busy = #expect(throws: SyncError.self) { try listener { $0.port = port } }
        #expect(busy?.domain == .posix && (busy?.code == 98 || busy?.code == 48))
        let unknown = #expect(throws: SyncError.self) { try listener { $0.networkInterface = "nonet9" } }
        #expect(unknown?.domain == .network && unknown?.code == 27)
        #expect(first.hosts == ["127.0.0.1"])
        await first.stop()
        let again = try listener { $0.port = port }
        #expect(again.port == port)
        await again.stop()
        let all = try listener { $0.networkInterface = nil }
        #expect(!all.hosts.isEmpty)
        let client = ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(for: all)))
        _ = try await client.opened()
        await all.stop()
    }

    @Test("bytes directly after the upgrade request belong to the WebSocket")
    func early() async throws {
        let arrivals = Arrivals()
        let listener = try listener(accept: { arrivals.add($0) })
        let client = try await RawClient.connect(port: listener.port ?? 0)
        let frame: [UInt8] = [0x82, 0x83, 1, 2, 3, 4, 5 ^ 1, 6 ^ 2, 7 ^ 3]
        client.send(Array("GET /db/_blipsync HTTP/1.1\r\n\(Self.upgrade)\r\n".utf8) + frame)
        let server = ChannelRecorder(try await arrivals.next().channel)
        _ = try await server.opened()
        #expect(try await server.frame() == [5, 6, 7])
        client.close()
        #expect(try await server.closed().code == 1006)
        await listener.stop()
    }
}
#endif
