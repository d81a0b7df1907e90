#if Replication
import SyncCore
import TestSupport
import TestTraits
import Testing
import Transport

@Suite("Client handshake", .ownThreads)
struct ClientHandshakeTests {
    private func connect(
        to server: RawServer,
        path: String = "/db",
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> ChannelRecorder {
        let url = "ws://127.0.0.1:\(server.port)\(path)"
        return ChannelRecorder(WebSocketClientChannel(try Loopback.configuration(url, change)))
    }

    private func failure(of server: RawServer, _ change: (inout ClientConfiguration) -> Void = { _ in }) async throws -> SyncError {
        let closure = try await connect(to: server, change).closed()
        #expect(closure.code == nil && !closure.isByPeer)
        return try #require(closure.error)
    }

    @Test("the client's upgrade request has exactly the bytes that stock listeners expect")
    func request() async throws {
        let server = try RawServer { _, request in .switching(request) }
        let client = try connect(to: server, path: "/app/db") { configuration in
            configuration.authentication = .basic(BasicCredentials(username: "jöe", password: "p:w"))
            configuration.userAgent = "Test/1"
            configuration.headers = [("X-One", "1"), ("Cookie", "a=b"), ("Connection", "close"), ("x-two", "")]
            configuration.cookies = CookieStore()
            configuration.cookies?.store(["s=1; Path=/app"], from: configuration.url)
        }
        let handshake = try await client.opened()
        #expect(handshake.subprotocol == "BLIP_3+CBMobile_3")
        #expect(handshake.responseHeaders.map(\.name).contains("Upgrade"))
        let request = try #require(server.requests.first)
        let key = try #require(RawServer.field("Sec-WebSocket-Key", of: request))
        #expect(key.count == 24)
        let expected = """
            GET /app/db/_blipsync HTTP/1.1
            Host: 127.0.0.1:\(server.port)
            User-Agent: Test/1
            Authorization: Basic asO2ZTpwOnc=
            Cookie: s=1; a=b
            X-One: 1
            x-two: 
            Connection: Upgrade
            Upgrade: websocket
            Sec-WebSocket-Version: 13
            Sec-WebSocket-Key: \(key)
            Sec-WebSocket-Protocol: BLIP_3+CBMobile_3,BLIP_3+CBMobile_2


            """
        #expect(request == expected.replacing("\n", with: "\r\n"))
        client.channel.cancel()
        await server.stop()
    }

    @Test("the accept hash matches the example of RFC 6455")
    func accept() {
        #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("custom headers override the client's own, and a session is sent as a cookie")
    func headers() async throws {
        let server = try RawServer { _, request in .switching(request) }
        let client = try connect(to: server) { configuration in
            configuration.authentication = .session(id: "abc", cookieName: "SyncGatewaySession")
            configuration.cookies = CookieStore()
            configuration.cookies?.store(["SyncGatewaySession=old; Path=/", "x=y; Path=/"], from: configuration.url)
            configuration.headers = [("user-agent", "App"), ("Authorization", "Bearer t")]
        }
        _ = try await client.opened()
        let request = try #require(server.requests.first)
        #expect(RawServer.field("Cookie", of: request) == "x=y; SyncGatewaySession=abc")
        #expect(RawServer.field("User-Agent", of: request) == "App")
        #expect(RawServer.field("Authorization", of: request) == "Bearer t")
        #expect(!request.lowercased().contains("origin") && !request.lowercased().contains("extensions"))
        client.channel.cancel()
        await server.stop()
    }

    @Test("a header or session with a line break or another invalid character is refused, and nothing is sent")
    func injection() async throws {
        let server = try RawServer { _, request in .switching(request) }
        for headers in [[("X", "1\r\nEvil: 1")], [("X\r\nEvil", "1")], [("X Y", "1")], [("X", "\u{0}")]] {
            let error = try await failure(of: server) { $0.headers = headers }
            #expect(error.domain == .liteCore && error.code == 9)
        }
        let session = try await failure(of: server) { $0.authentication = .session(id: "a\r\nb", cookieName: "c") }
        #expect(session.code == 9)
        #expect(server.requests.isEmpty)
        await server.stop()
    }

    @Test("a refused upgrade is reported with its status and the reason from the response body")
    func refusal() async throws {
        let server = try RawServer { index, _ in
            switch index {
            case 0: .text("HTTP/1.1 401 Unauthorized\nContent-Length: 0\n\n")
            case 1:
                .text("HTTP/1.1 404 Not Found\nContent-Type: application/json\nContent-Length: 29\n\n{\"error\":1,\"reason\":\"no db\"}\n")
            case 2:
                .text(
                    """
                    HTTP/1.1 503 Offline
                    Content-Type: application/json; charset=utf-8
                    Transfer-Encoding: chunked

                    8
                    {"reason
                    9;x=y
                    ":"later"
                    1
                    }
                    0


                    """,
                    closes: false
                )
            case 3: .text("HTTP/1.1 500 Oh\nContent-Type: application/json\n\n{\"reason\":7}")
            default: .text("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", closes: false)
            }
        }
        let unauthorized = try await failure(of: server)
        #expect(unauthorized == SyncError(.webSocket, 401, "Unauthorized"))
        #expect(try await failure(of: server) == SyncError(.webSocket, 404, "no db"))
        #expect(try await failure(of: server) == SyncError(.webSocket, 503, "later"))
        #expect(try await failure(of: server) == SyncError(.webSocket, 500, "Oh"))
        #expect(try await failure(of: server).code == 1002)
        await server.stop()
    }

    @Test("an invalid upgrade response is rejected")
    func improper() async throws {
        let server = try RawServer { index, request in
            let good = String(decoding: RawServer.Reply.switching(request).bytes, as: UTF8.self)
            let bad =
                switch index {
                case 0: good.replacing("Connection: Upgrade", with: "Connection: keep-alive")
                case 1: good.replacing("Upgrade: websocket", with: "Upgrade: h2c")
                case 2: good.replacing("Sec-WebSocket-Accept: ", with: "Sec-WebSocket-Accept: x")
                case 3: good.replacing("Sec-WebSocket-Protocol", with: "X-Protocol")
                case 4: good.replacing("BLIP_3+CBMobile_3", with: "BLIP_3+CBMobile_9")
                case 5: "HTTP/1.1 1o1 x\r\n\r\n"
                default: "SSH-2.0-OpenSSH\r\n\r\n"
                }
            return RawServer.Reply(bytes: Array(bad.utf8), closes: false)
        }
        for code in [1002, 1002, 1002, 1002, 403, 1002, 1002] {
            let error = try await failure(of: server)
            #expect(error.domain == .webSocket && error.code == code)
        }
        await server.stop()
    }

    @Test("a server that closes without a response gives a reset error, and a silent server times out")
    func silence() async throws {
        let server = try RawServer { index, _ in RawServer.Reply(bytes: [], closes: index == 0) }
        let closed = try await failure(of: server)
        #expect(closed.domain == .posix && closed.code == 104 || closed.code == 54)
        let silent = try await failure(of: server) { $0.connectTimeout = 0.05 }
        #expect(silent.domain == .network && silent.code == 3)
        await server.stop()
    }

    @Test("interim responses are ignored, and bytes directly after the response head belong to the WebSocket")
    func interim() async throws {
        let server = try RawServer { _, request in
            var reply = RawServer.Reply.switching(request)
            reply.bytes = Array("HTTP/1.1 103 Early\r\nA: b\r\n\r\n".utf8) + reply.bytes + [0x82, 2, 7, 8]
            return reply
        }
        let client = try connect(to: server)
        _ = try await client.opened()
        #expect(try await client.frame() == [7, 8])
        client.channel.cancel()
        await server.stop()
    }

    @Test("a closed port, an unknown host and an unknown network interface give different errors")
    func unreachable() async throws {
        let server = try RawServer("")
        await server.stop()
        let refused = try await failure(of: server)
        #expect(refused.domain == .posix && refused.code == 111 || refused.code == 61)
        let unknown = try Loopback.configuration("ws://no-such-host.invalid/db")
        let error = try await ChannelRecorder(WebSocketClientChannel(unknown)).closed().error
        #expect(error?.domain == .network && (error?.code == 2 || error?.code == 1))
        let interface = try await failure(of: server) { $0.networkInterface = "nonet9" }
        #expect(interface.domain == .network && interface.code == 27)
    }

    @Test("a client connects through the configured network interface")
    func interface() async throws {
        let server = try RawServer { _, request in .switching(request) }
        for name in ["127.0.0.1", "lo"] {
            let client = try connect(to: server) { $0.networkInterface = name }
            let closure = await client.next()
            if case .closed(let end) = closure {
                // The loopback interface has another name on other systems.
                #expect(name == "lo" && end.error?.code == 27)
            }
            client.channel.cancel()
        }
        await server.stop()
    }

    @Test("closing a client while it connects ends it at once")
    func closedEarly() async throws {
        let server = try RawServer { _, _ in RawServer.Reply(bytes: [], closes: false) }
        let client = try connect(to: server)
        client.channel.close(code: 1001, reason: "enough")
        let closure = try await client.closed()
        #expect(closure.code == 1001 && closure.error == nil)
        #expect(client.channel.send([1]) == false)
        await server.stop()
    }

    @Test("the last sequence is requested from a Sync Gateway if configured, with the same credentials")
    func lastSequence() async throws {
        for (answer, expected) in [
            (#"{"db_name":"db","update_seq":4711,"state":"Online"}"#, UInt64(4711)),
            (#"{"update_seq":"12:13"}"#, nil),
            ("{}", nil), ("nonsense", nil),
        ] {
            let server = try RawServer { _, request in
                request.hasPrefix("GET /a/db/ ")
                    ? .text("HTTP/1.1 200 OK\nContent-Length: \(answer.utf8.count)\n\n\(answer)")
                    : .switching(request)
            }
            let configuration = try Loopback.configuration("ws://127.0.0.1:\(server.port)/a/db") {
                $0.asksForLastSequence = true
                $0.authentication = .basic(BasicCredentials(username: "u", password: "p"))
            }
            let client = ChannelRecorder(WebSocketClientChannel(configuration))
            #expect(try await client.opened().lastSequence == expected)
            #expect(server.requests.count == 2)
            #expect(RawServer.field("Authorization", of: server.requests[1]) == "Basic dTpw")
            client.channel.cancel()
            await server.stop()
        }
    }

    @Test("a client connects although the connection on which it requests the last sequence is not accepted")
    func unacceptedLastSequence() async throws {
        let server = try OneClientServer { RawServer.Reply.switching($0).bytes }
        let configuration = try Loopback.configuration("ws://127.0.0.1:\(server.port)/db") {
            $0.asksForLastSequence = true
            $0.connectTimeout = 300
        }
        let client = ChannelRecorder(WebSocketClientChannel(configuration))
        #expect(try await client.opened().lastSequence == nil)
        client.channel.cancel()
    }

    @Test("a client connects although the time for connecting ends while it waits for the last sequence")
    func lateLastSequence() async throws {
        let server = try RawServer { index, request in
            index == 0 ? .switching(request) : RawServer.Reply(bytes: [], closes: false)
        }
        let configuration = try Loopback.configuration("ws://127.0.0.1:\(server.port)/db") {
            $0.asksForLastSequence = true
            // A little less than the time that the client waits for the last sequence.
            $0.connectTimeout = 1.9
        }
        let client = ChannelRecorder(WebSocketClientChannel(configuration))
        #expect(try await client.opened().lastSequence == nil)
        client.channel.cancel()
        await server.stop()
    }

    @Test("a server that refuses to report its last sequence can be used, and no request is made unless configured")
    func noLastSequence() async throws {
        for asks in [false, true] {
            let server = try RawServer { index, request in
                index == 0 ? .switching(request) : .text("HTTP/1.1 401 No\nContent-Length: 0\n\n")
            }
            let configuration = try Loopback.configuration("ws://127.0.0.1:\(server.port)/db") {
                $0.asksForLastSequence = asks
            }
            let client = ChannelRecorder(WebSocketClientChannel(configuration))
            #expect(try await client.opened().lastSequence == nil)
            #expect(server.requests.count == (asks ? 2 : 1))
            client.channel.cancel()
            await server.stop()
        }
    }
}
#endif
