#if Replication
import NIOCore
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import WebServer

@Suite("Last bytes of responses", .ownThreads)
struct LastBytesTests {
    private static let host = "Host: localhost\nConnection: close\n"

    /// Counts the objects that requests hold.
    private final class Held: Sendable {
        let count: Mutex<Int>

        init() { count = Mutex(0) }

        func acquire() -> Item { Item(self) }

        final class Item: Sendable {
            private let held: Held

            init(_ held: Held) {
                self.held = held
                held.count.withLock { $0 += 1 }
            }

            deinit { held.count.withLock { $0 -= 1 } }
        }
    }

    /// Takes all that a request can take: memory for its body, memory for the response, something that the response holds, and something that its
    /// closure holds.
    private struct Taker: WebHandler {
        let held = Held()

        func maximumBodyBytes(method: String, path: [String]) -> Int { 1 << 20 }

        func respond(to request: WebRequest) async throws -> WebResponse {
            let size = Int(request.path[1]) ?? 0
            _ = try await request.body.collect()
            let part = [UInt8](repeating: 0x61, count: size)
            var response: WebResponse
            let item = held.acquire()
            switch request.path[0] {
            case "chunked":
                response = WebResponse(headers: [("Content-Type", "text/plain")]) { writer in
                    for _ in 0..<3 { try await writer.write(part) }
                    withExtendedLifetime(item) {}
                }
            case "refused": throw WebError(403, "no")
            default:
                response = WebResponse(headers: [("Content-Type", "text/plain")], body: part)
                withExtendedLifetime(item) {}
            }
            response.held = held.acquire()
            return response
        }
    }

    private struct Observation {
        let byteCount: Int
        let bodies: Int
        let responses: Int
        let heldCount: Int
    }

    @Test(
        "everything that a request has taken is given back before the client has the whole response",
        arguments: ["GET", "POST"],
        ["whole", "chunked", "refused"]
    )
    func givenBack(_ method: String, _ kind: String) async throws {
        for size in [1, 1000, Responder.partSize, Responder.partSize + 1, 300_000] {
            for isCompressed in [false, true] {
                var options = WebServerOptions()
                options.usesGzip = true
                let handler = Taker()
                let observations = Recorder<Observation>()
                let server = try await ObservedServer(options, handler) { context, count in
                    observations.append(
                        Observation(
                            byteCount: count,
                            bodies: context.budget.used,
                            responses: context.responseBudget.used,
                            heldCount: handler.held.count.withLock { $0 }
                        )
                    )
                }
                let body = [UInt8](repeating: 0x62, count: method == "POST" ? 200_000 : 0)
                let accepted = isCompressed ? "Accept-Encoding: gzip\n" : ""
                let answer = try await server.answer(
                    to: "\(method) /\(kind)/\(size) HTTP/1.1\n\(Self.host)\(accepted)Content-Length: \(body.count)\n\n",
                    body: body
                )
                #expect(answer.starts(with: Array("HTTP/1.1 \(kind == "refused" ? 403 : 200) ".utf8)))
                let written = observations.all
                // What completes the response is the first moment at which as many bytes as the client has received were passed on.
                let last = try #require(written.first { $0.byteCount == answer.count })
                #expect((last.bodies, last.responses, last.heldCount) == (0, 0, 0), "\(method) \(kind) \(size) \(isCompressed)")
                // The test would see if something were held.
                if kind == "chunked", !isCompressed, size > Responder.partSize {
                    #expect(written.contains { $0.responses > 0 && $0.heldCount > 0 && ($0.bodies > 0) == (method == "POST") })
                }
                await server.stop()
            }
        }
    }
}
#endif
