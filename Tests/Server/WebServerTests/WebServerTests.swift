#if Replication
import Testing
import TestTraits
import WebServer

@Suite("HTTP server", .ownThreads)
struct WebServerTests {
    private let host = "Host: localhost\n"

    @Test("a connection serves requests one after the other, also those that are sent in advance")
    func pipelining() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(
                lines: "POST /echo HTTP/1.1\n\(host)Content-Length: 3\n\nabcGET /target/a%2Fb/c/?x=1+2&y=%C3%A4 HTTP/1.1\n\(host)\n"
            )
            let text = await client.read(until: "y=ä")
            #expect(text.contains("\r\n\r\nabcHTTP/1.1 200 OK"))
            #expect(text.hasSuffix("GET target|a/b|c x=1 2&y=ä"))
            client.send(lines: "GET /count HTTP/1.1\n\(host)Connection: close\n\n")
            let rest = await client.readAll()
            #expect(rest.contains("transfer-encoding: chunked"))
            #expect(rest.hasSuffix("2\r\n1\n\r\n2\r\n2\n\r\n2\r\n3\n\r\n0\r\n\r\n"))
        }
    }

    @Test("a body may follow in parts when its head was sent in advance")
    func pipelinedParts() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            // The first response is not complete before the second head has been received.
            client.send(lines: "GET /count HTTP/1.1\n\(host)\nPOST /echo HTTP/1.1\n\(host)Content-Length: 9\nConnection: close\n\nabc")
            #expect(await client.read(until: "0\r\n\r\n").hasPrefix("HTTP/1.1 200 OK"))
            client.send(lines: "def")
            client.send(lines: "ghi")
            #expect(await client.readAll().hasSuffix("abcdefghi"))
        }
    }

    @Test("a body may arrive in many small chunks")
    func smallChunks() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            let chunks = String(repeating: "1\na\n", count: 70_000)
            client.send(lines: "POST /large HTTP/1.1\n\(host)Transfer-Encoding: chunked\nConnection: close\n\n\(chunks)0\n\n")
            #expect(await client.readAll().hasSuffix("\r\n\r\n" + String(repeating: "a", count: 70_000)))
        }
    }

    @Test("responses share a limit of memory, except for small ones")
    func responseMemory() async throws {
        try await withServer {
            $0.responseMemory.all = 150_000
        } _: { port, _, _ in
            for (size, status) in [(200_000, 503), (120_000, 200), (60_000, 200), (120_000, 200)] {
                let client = try await RawClient.connect(port: port)
                client.send(lines: "GET /size/\(size) HTTP/1.1\n\(host)Connection: close\n\n")
                let answer = await client.readAll()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                #expect(answer.utf8.count > size || status == 503)
            }
            // A streamed part that is too large ends the connection before the end of the response.
            let client = try await RawClient.connect(port: port)
            client.send(lines: "GET /parts/200000 HTTP/1.1\n\(host)Connection: close\n\n")
            #expect(await !client.readAll().hasSuffix("0\r\n\r\n"))
            let other = try await RawClient.connect(port: port)
            other.send(lines: "GET /parts/120000 HTTP/1.1\n\(host)Connection: close\n\n")
            #expect(await other.readAll().hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("the limits on connections follow from the number of descriptors")
    func descriptors() {
        for (count, connections, perAddress, unused) in [(.max, 1024, 768, 256), (200, 100, 75, 50), (0, 16, 12, 8), (-9, 16, 12, 8)] {
            var options = WebServerOptions()
            options.limit(descriptors: count)
            #expect(options.maximumConnections == connections && options.maximumConnectionsPerAddress == perAddress)
            #expect(options.maximumUnusedConnections == unused)
        }
    }

    @Test("the head of a streamed response is sent before its body begins")
    func earlyHead() async throws {
        try await withServer { port, log, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "GET /silent HTTP/1.1\n\(host)\n")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK"))
            client.close()
            for await _ in log.cancelled.stream { break }
        }
    }

    @Test("the response to HEAD has no body, and errors are JSON")
    func headsAndErrors() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(
                lines: "HEAD /target HTTP/1.1\n\(host)\nGET /nothing HTTP/1.1\n\(host)\nGET /failing HTTP/1.1\n\(host)Connection: close\n\n"
            )
            let text = await client.readAll()
            #expect(text.contains("Content-Length: 11\r\n\r\nHTTP/1.1 404 Not Found"))
            #expect(text.contains(#"{"error":"Not Found","reason":"missing"}HTTP/1.1 500"#))
        }
    }

    @Test("the response to HEAD for a streamed body ends with its head, and another request may follow")
    func headOfStream() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "HEAD /count HTTP/1.1\n\(host)\nGET /target HTTP/1.1\n\(host)Connection: close\n\n")
            let text = await client.readAll()
            #expect(text.contains("transfer-encoding: chunked\r\n\r\nHTTP/1.1 200 OK"))
            #expect(text.hasSuffix("\r\n\r\nGET target "))
        }
    }

    @Test("a client of HTTP/1.0 receives a streamed body without chunks, until the end of the connection")
    func oldClient() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "GET /count HTTP/1.0\n\(host)Connection: keep-alive\n\n")
            let text = await client.readAll()
            #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"))
            #expect(!text.lowercased().contains("transfer-encoding"))
            #expect(text.hasSuffix("\r\n\r\n1\n2\n3\n"))
        }
    }

    @Test(
        "malformed requests, other host names and heads that are too large are refused",
        arguments: [
            ("GET /%zz HTTP/1.1\nHost: localhost\n\n", 400), ("GET /%ff HTTP/1.1\nHost: localhost\n\n", 400),
            ("nonsense\n\n", 400), ("GET / HTTP/1.1\nHost: example.com\n\n", 403), ("GET / HTTP/1.0\n\n", 403),
            ("GET / HTTP/1.1\nHost: localhost\nX: \(String(repeating: "x", count: 40_000))", 431),
            ("GET /\(String(repeating: "x", count: 40_000))", 431),
            ("GET / HTTP/1.1\nHost: localhost\n\((0..<200).map { "X-\($0): 1\n" }.joined())\n", 431),
            ("POST /echo HTTP/1.1\nHost: localhost\nContent-Length: 101\n\n", 413),
            ("POST /echo HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n65\n\(String(repeating: "x", count: 101))\n0\n\n", 413),
            ("POST /echo HTTP/1.1\nHost: localhost\nContent-Length: -1\n\n", 400),
            ("GET /socket HTTP/1.1\nHost: localhost\nConnection: close\n\n", 426),
            (
                "HEAD /socket HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n", 426
            ),
            (
                "GET /socket HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
                    + String(repeating: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n", count: 2) + "\n", 426
            ),
        ]
    )
    func refusals(request: String, status: Int) async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: request)
            #expect(await client.readAll().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("the client is asked for its body when it waits for that")
    func expectation() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "POST /echo HTTP/1.1\n\(host)Content-Length: 2\nExpect: 100-continue\n\n")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue"))
            client.send(lines: "ok")
            #expect(await client.read(until: "ok").hasSuffix("\r\n\r\nok"))
        }
    }

    // Each server has one short timeout only, so that a slow machine does not meet another one first.
    @Test("heads and bodies that arrive too slowly, and idle connections, are closed")
    func slowClients() async throws {
        try await withServer {
            $0.headTimeout = 0.2
        } _: { port, _, _ in
            let silent = try await RawClient.connect(port: port)
            #expect(await silent.readAll().isEmpty)
            let slowHead = try await RawClient.connect(port: port)
            slowHead.send(lines: "GET / HTTP/1.1\nHost: local")
            #expect(await slowHead.readAll().isEmpty)
        }
        try await withServer {
            $0.bodyTimeout = 0.2
        } _: { port, _, _ in
            let slowBody = try await RawClient.connect(port: port)
            slowBody.send(lines: "POST /echo HTTP/1.1\n\(host)Content-Length: 20\n\nab")
            #expect(await slowBody.readAll().hasPrefix("HTTP/1.1 408 "))
        }
        try await withServer {
            $0.idleTimeout = 0.2
        } _: { port, _, _ in
            let idle = try await RawClient.connect(port: port)
            idle.send(lines: "GET /target HTTP/1.1\n\(host)\n")
            #expect(await idle.readAll().hasSuffix("GET target "))
        }
    }

    @Test("a client that does not read its response is closed, and the handler ends")
    func unreadResponse() async throws {
        try await withServer {
            $0.writeTimeout = 0.3
        } _: { port, log, _ in
            let client = try await RawClient.connect(port: port)
            try await client.setReading(false)
            client.send(lines: "GET /endless HTTP/1.1\n\(host)\n")
            for await _ in log.cancelled.stream { break }
            client.close()
        }
    }

    @Test("a handler is cancelled when its client closes the connection")
    func clientGone() async throws {
        try await withServer { port, log, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "GET /waiting HTTP/1.1\n\(host)\n")
            _ = await client.read(until: "started")
            client.close()
            for await _ in log.cancelled.stream { break }
        }
    }

    @Test("connections that do nothing are closed for new ones")
    func crowds() async throws {
        try await withServer {
            $0.maximumConnectionsPerAddress = 3
        } _: { port, _, server in
            let first = try await RawClient.connect(port: port)
            first.send(lines: "GET /target HTTP/1.1\n\(host)\n")
            _ = await first.read(until: "GET target")
            var others: [RawClient] = []
            for _ in 1...3 {
                let client = try await RawClient.connect(port: port)
                client.send(lines: "GET /waiting HTTP/1.1\n\(host)\n")
                _ = await client.read(until: "started")
                others.append(client)
            }
            await first.waitForEnd()
            // All are busy now.
            let refused = try await RawClient.connect(port: port)
            #expect(await refused.readAll().isEmpty)
            #expect(server.connectionCount == 3)
            others.forEach { $0.close() }
        }
    }

    @Test("bodies of several requests share a limit of memory")
    func bodyMemory() async throws {
        try await withServer {
            $0.bodyMemory.all = 200_000
        } _: { port, _, _ in
            for (count, status) in [(300_000, 503), (150_000, 200), (150_000, 200)] {
                let client = try await RawClient.connect(port: port)
                client.send(lines: "POST /large HTTP/1.1\n\(host)Connection: close\nContent-Length: \(count)\n\n")
                client.send([UInt8](repeating: 0x61, count: count))
                #expect(await client.readAll().hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }

    @Test("a WebSocket receives what follows its request")
    func webSocket() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            client.send(
                lines: """
                    GET /socket HTTP/1.1
                    \(host)Connection: Upgrade
                    Upgrade: websocket
                    Sec-WebSocket-Version: 13
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                    Sec-WebSocket-Protocol: sample


                    """
            )
            // A masked message with the mask 0.
            client.send([0x82, 0x83, 0, 0, 0, 0] + Array("abc".utf8))
            let text = await client.read(until: "cba")
            #expect(text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            #expect(text.contains("Sec-WebSocket-Protocol: sample"))
            #expect(text.hasSuffix("cba"))
            client.close()
        }
    }

    @Test("the task of a WebSocket runs on the threads of the server, because it blocks them while it uses a database")
    func textSocket() async throws {
        try await withServer { port, _, _ in
            let client = try await RawClient.connect(port: port)
            let key = "Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
            client.send(lines: "GET /executor HTTP/1.1\n\(host)Connection: Upgrade\nUpgrade: websocket\n\(key)\n")
            #expect(await client.read(until: "threads: true").contains("threads: true"))
            client.close()
        }
    }

    @Test("a head that is too large is refused although it arrives at once", arguments: [-100, 1])
    func largeHead(excess: Int) async throws {
        try await withServer {
            $0.maximumHeadBytes = 1000
        } _: { port, _, _ in
            // Together with the path and the other field, so many bytes are the limit.
            let count = 1000 - "/target".utf8.count - "Hostlocalhost".utf8.count - 4 - "X".utf8.count - 4
            let client = try await RawClient.connect(port: port)
            client.send(lines: "HEAD /target HTTP/1.0\nHost: localhost\nX: \(String(repeating: "x", count: count + excess))\n\n")
            #expect(await client.readAll().hasPrefix("HTTP/1.1 \(excess < 0 ? 200 : 431) "))
        }
    }

    @Test("the length of a streamed body is announced if it is known")
    func knownLength() async throws {
        try await withServer { port, _, _ in
            for method in ["GET", "HEAD"] {
                let client = try await RawClient.connect(port: port)
                client.send(lines: "\(method) /sized/7 HTTP/1.1\n\(host)Connection: close\n\n")
                let answer = await client.readAll()
                #expect(answer.lowercased().contains("content-length: 21\r\n"))
                #expect(!answer.lowercased().contains("transfer-encoding"))
                #expect(answer.hasSuffix("\r\n\r\n" + String(repeating: "a", count: method == "GET" ? 21 : 0)))
            }
        }
    }

    @Test("a stop ends streams and waiting connections")
    func stop() async throws {
        try await withServer { port, log, server in
            let streaming = try await RawClient.connect(port: port)
            streaming.send(lines: "GET /waiting HTTP/1.1\n\(host)\n")
            _ = await streaming.read(until: "started")
            let waiting = try await RawClient.connect(port: port)
            await server.stop()
            #expect(server.connectionCount == 0)
            #expect(server.port == nil)
            for await _ in log.cancelled.stream { break }
            await waiting.waitForEnd()
        }
    }
}
#endif
