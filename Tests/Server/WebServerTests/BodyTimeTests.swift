#if Replication
import TestTraits
import Testing

@testable import WebServer

@Suite("The time for the bodies of requests", .ownThreads)
struct BodyTimeTests {
    @Test("a body that the server does not read is not too slow")
    func unread() async throws {
        try await withServer {
            $0.bodyTimeout = 2
            $0.minimumBodyRate = .max
        } _: { port, log, _ in
            let size = 500_000
            let client = try await RawClient.connect(port: port)
            client.send(lines: "PUT /held HTTP/1.1\nHost: localhost\nConnection: close\nContent-Length: \(size)\n\n")
            client.send([UInt8](repeating: 0x61, count: size))
            for await _ in log.started.stream { break }
            // Its time begins later, so the time of the first request is over when it is refused.
            let slow = try await RawClient.connect(port: port)
            slow.send(lines: "PUT /echo HTTP/1.1\nHost: localhost\nContent-Length: 10\n\n")
            #expect(await slow.readAll().hasPrefix("HTTP/1.1 408 "))
            log.released.continuation.finish()
            let answer = await client.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("500000 bytes"), "\(answer)")
        }
    }

    @Test("a body whose rest does not arrive is refused also after the server did not read it for some time")
    func resumed() async throws {
        try await withServer {
            $0.bodyTimeout = 0.5
            $0.minimumBodyRate = .max
        } _: { port, log, _ in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "PUT /held HTTP/1.1\nHost: localhost\nContent-Length: 500000\n\n")
            client.send([UInt8](repeating: 0x61, count: 400_000))
            for await _ in log.started.stream { break }
            // Its time begins later, so the time of the first request would be over when it is refused.
            let slow = try await RawClient.connect(port: port)
            slow.send(lines: "PUT /echo HTTP/1.1\nHost: localhost\nContent-Length: 10\n\n")
            #expect(await slow.readAll().hasPrefix("HTTP/1.1 408 "))
            log.released.continuation.finish()
            #expect(await client.readAll().hasPrefix("HTTP/1.1 408 "))
        }
    }
}
#endif
