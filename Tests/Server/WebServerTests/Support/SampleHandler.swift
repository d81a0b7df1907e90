#if Replication
import SyncCore
import Synchronization
import Transport
import WebServer

/// A handler with one path for each kind of response.
struct SampleHandler: WebHandler {
    /// What the handler has seen.
    final class Log: Sendable {
        let cancelled = AsyncStream.makeStream(of: Void.self)
        let started = AsyncStream.makeStream(of: Void.self)
        let released = AsyncStream.makeStream(of: Void.self)
    }

    let log = Log()

    func maximumBodyBytes(method: String, path: [String]) -> Int { ["large", "held"].contains(path.first) ? 1 << 20 : 100 }

    func respond(to request: WebRequest) async throws -> WebResponse {
        switch request.path.first {
        case "echo", "large":
            let body = try await request.body.collect()
            return WebResponse(headers: [("Content-Type", "text/plain")], body: body)
        case "held":
            log.started.continuation.yield()
            for await _ in log.released.stream {}
            return WebResponse(body: Array("\(try await request.body.collect().count) bytes".utf8))
        case "ranges":
            let headers = [("Content-Type", "text/plain"), ("Accept-Ranges", "bytes")]
            return WebResponse(headers: headers, body: [UInt8](repeating: 0x61, count: 10_000))
        case "size": return WebResponse(body: Self.bytes(request))
        case "parts":
            let part = Self.bytes(request)
            return WebResponse { writer in
                for _ in 1...3 { try await writer.write(part) }
            }
        case "sized":
            let part = Self.bytes(request)
            return WebResponse(headers: [("Content-Type", "image/png")], length: part.count * 3) { writer in
                for _ in 1...3 { try await writer.write(part) }
            }
        case "executor":
            return .textSocket(options: WebSocketOptions()) { socket in
                let hasThreads = withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
                try? await socket.send(Array("threads: \(hasThreads)".utf8))
                socket.close(code: 1000, reason: "")
            }
        case "target":
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            return WebResponse(body: Array("\(request.method) \(request.path.joined(separator: "|")) \(query)".utf8))
        case "host": return WebResponse(body: Array("\(request.headers.values(of: "Host")) \(request.target)".utf8))
        case "count":
            return WebResponse(headers: [("Content-Type", "text/plain")]) { writer in
                for number in 1...3 { try await writer.write(Array("\(number)\n".utf8)) }
            }
        case "endless":
            return WebResponse { writer in
                log.started.continuation.yield()
                defer { log.cancelled.continuation.yield() }
                while true { try await writer.write([UInt8](repeating: 0x2E, count: 64 << 10)) }
            }
        case "waiting":
            return WebResponse { writer in
                try await writer.write(Array("started\n".utf8))
                defer { log.cancelled.continuation.yield() }
                try await Task.sleep(for: .seconds(3600))
            }
        case "silent":
            return WebResponse { _ in
                defer { log.cancelled.continuation.yield() }
                try await Task.sleep(for: .seconds(3600))
            }
        case "failing": throw Failure()
        case "socket":
            return .webSocket(subprotocol: request.webSocketSubprotocols.first, options: WebSocketOptions()) { channel in
                channel.open { event in
                    guard case .frame(let bytes) = event else { return }
                    channel.send(bytes.reversed())
                }
            }
        default: throw WebError(404, "missing")
        }
    }

    /// Returns as many bytes as the second segment of the path says.
    private static func bytes(_ request: WebRequest) -> [UInt8] { [UInt8](repeating: 0x61, count: Int(request.path[1]) ?? 0) }

    private struct Failure: Error {}
}

/// Starts a server with the sample handler, passes its port, and stops it.
func withServer(
    _ change: (inout WebServerOptions) -> Void = { _ in },
    _ body: (Int, SampleHandler.Log, WebServer) async throws -> Void
) async throws {
    var options = WebServerOptions()
    options.stopTimeout = 0.2
    change(&options)
    let handler = SampleHandler()
    let server = WebServer(options, handler: handler)
    try server.start()
    guard let port = server.port else { throw SyncError(engine: .unexpectedError, "the server has no port") }
    do {
        try await body(port, handler.log, server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
#endif
