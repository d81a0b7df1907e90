#if Replication
import NIOCore
import NIOEmbedded
import SyncCore
import Synchronization
import Transport
import TransportFuzzing
import WebServer

extension HandlerFuzzing {
    /// Sends requests to a web server, and lets its tasks and its event loop run in any order.
    mutating func runServer(isSecure: Bool) throws {
        let tasks = WaitingTasks()
        let handler = EchoHandler()
        var options = WebServerOptions()
        options.usesGzip = true
        if isSecure { options.identity = try SecurePeer.serverIdentity() }
        let (socket, peer) = try client(requests(), isSecure: isSecure)
        let server = WebServer(options, handler: handler, threads: tasks)
        try server.serve(socket.channel)
        for _ in 0..<300 where !socket.isClosed {
            switch input.number(0...6) {
            case 0...2: _ = socket.deliver()
            case 3, 4: tasks.runNext()
            case 5: socket.loop.run()
            default: if input.number(0...30) == 0 { socket.loop.advanceTime(by: .milliseconds(Int64(input.number(1...20_000)))) }
            }
        }
        socket.end()
        repeat { socket.loop.run() } while tasks.runNext()
        if server.connectionCount > 0 { fail("a connection is counted after its end") }
        if server.usedMemory != (0, 0) { fail("memory is reserved after the end: \(server.usedMemory)") }
        if handler.runningCount > 0 { fail("\(handler.runningCount) requests run after the end") }
        if handler.bodyCount > 0 { fail("\(handler.bodyCount) bodies are in memory after the end") }
        if isSecure, peer == nil { return checkPlain(socket, isAccepted: handler.count > 0) }
        count(handler.count > 0)
    }

    /// Returns requests, some of them altered, which a client sends without waiting for the responses.
    private mutating func requests() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<input.number(1...6) { bytes += request() }
        return input.altered(bytes)
    }

    private mutating func request() -> [UInt8] {
        let path = input.pick(["echo", "parts", "ignore", "stream", "fail", "echo", "large"])
        let method = input.pick(["POST", "PUT", "GET", "HEAD"])
        var head = "\(method) /\(path) HTTP/1.\(input.pick([1, 1, 1, 1, 0]))\r\nHost: localhost\r\n"
        if input.number(0...5) == 0 { head += "Expect: 100-continue\r\n" }
        if input.number(0...5) == 0 { head += "Accept-Encoding: gzip\r\n" }
        if input.number(0...9) == 0 { head += "Connection: close\r\n" }
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: input.pick([0, 1, 100, 5000, 70_000]))
        switch input.number(0...7) {
        case 0:
            let key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(GoodInputs.key)\r\n"
            let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n\(key)\r\n"
            return Array("GET /socket HTTP/1.1\r\nHost: localhost\r\n\(upgrade)".utf8) + frames(isMasked: true)
        case 1...2:
            let chunk = Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8)
            return Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + (body.isEmpty ? [] : chunk) + Array("0\r\n\r\n".utf8)
        case 3...5: return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        default: return Array("\(head)\r\n".utf8)
        }
    }
}

/// Responds in all ways in which handlers do.
private final class EchoHandler: WebHandler {
    private struct State {
        var count = 0
        var runningCount = 0
        var bodies: [WeakBody] = []
    }

    private struct WeakBody {
        weak var body: WebBody?
    }

    private struct Failure: Error {}

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }
    var runningCount: Int { state.withLock { $0.runningCount } }
    var bodyCount: Int { state.withLock { $0.bodies.count { $0.body != nil } } }

    func respond(to request: WebRequest) async throws -> WebResponse {
        let body = request.body
        state.withLock { state in
            state.count += 1
            state.runningCount += 1
            state.bodies.append(WeakBody(body: body))
        }
        defer { state.withLock { $0.runningCount -= 1 } }
        switch request.path.first {
        case "echo": return WebResponse(headers: [("Content-Type", "text/plain")], body: try await body.collect())
        case "large":
            return WebResponse(headers: [("Content-Type", "text/plain")], body: [UInt8](repeating: UInt8(ascii: "a"), count: 200_000))
        case "parts":
            var size = 0
            while let part = try await body.next() { size += part.count }
            return WebResponse(body: Array("\(size)".utf8))
        case "stream":
            return WebResponse { writer in
                while let part = try await body.next() { try await writer.write(part) }
            }
        case "socket":
            return .webSocket(subprotocol: nil, options: SocketOwner.options) { channel in
                channel.open { [weak channel] event in
                    if case .frame(let bytes) = event { channel?.send(bytes) }
                }
            }
        case "fail": throw Failure()
        default: return WebResponse(body: Array("ignored".utf8))
        }
    }
}
#endif
