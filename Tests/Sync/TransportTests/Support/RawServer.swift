#if Replication
import SyncCore
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Transport

/// A server that answers requests with given bytes, so that a test can check a client's bytes and choose the answer.
final class RawServer: Sendable {
    /// The answer to a request.
    struct Reply: Sendable {
        var bytes: [UInt8]
        var closes: Bool

        static func text(_ text: String, closes: Bool = true) -> Reply {
            Reply(bytes: Array(text.replacing("\n", with: "\r\n").utf8), closes: closes)
        }

        /// The answer that accepts the WebSocket.
        static func switching(_ request: String, more: String = "") -> Reply {
            text(
                """
                HTTP/1.1 101 Switching Protocols
                Connection: Upgrade
                Upgrade: websocket
                Sec-WebSocket-Accept: \(WebSocketHandshake.accept(for: field("Sec-WebSocket-Key", of: request) ?? ""))
                Sec-WebSocket-Protocol: BLIP_3+CBMobile_3
                \(more)

                """,
                closes: false
            )
        }
    }

    /// A client's connection after its request.
    struct Connection: Sendable {
        let channel: any Channel
        /// The bytes after the request.
        let bytes: AsyncStream<[UInt8]>

        func send(_ bytes: [UInt8]) {
            channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
        }

        /// The next `count` bytes, or fewer if the connection ends.
        func read(_ count: Int) async -> [UInt8] {
            var read: [UInt8] = []
            for await part in bytes {
                read += part
                if read.count >= count { break }
            }
            return read
        }
    }

    /// The answer to the request with this number, counted from 0.
    typealias Responder = @Sendable (Int, String) -> Reply

    let port: Int
    let connections: AsyncStream<Connection>
    private let channel: any Channel
    private let log: Log

    /// The received requests, each with its empty line.
    var requests: [String] { log.requests.withLock { $0 } }

    convenience init(tls: TLSConfiguration? = nil, _ reply: String) throws {
        try self.init(tls: tls) { _, _ in .text(reply) }
    }

    /// - Parameter answersAnything: Whether any first bytes are answered, not only a complete request.
    init(tls: TLSConfiguration? = nil, answersAnything: Bool = false, respond: @escaping Responder) throws {
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let (connections, continuation) = AsyncStream.makeStream(of: Connection.self)
        let log = Log()
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        RawServerHandler(log: log, answersAnything: answersAnything, respond: respond) {
                            continuation.yield($0)
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
        self.connections = connections
        self.log = log
    }

    func connection() async throws -> Connection {
        for await connection in connections { return connection }
        throw Unexpected(description: "nobody has come")
    }

    func stop() async {
        try? await channel.close()
    }

    /// The value of a header field of a request.
    static func field(_ name: String, of request: String) -> String? {
        for line in request.split(separator: "\r\n") where line.hasPrefix(name + ": ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }
}

private final class Log: Sendable {
    let requests = Mutex<[String]>([])
}

private final class RawServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let log: Log
    private let answersAnything: Bool
    private let respond: RawServer.Responder
    private let arrived: (RawServer.Connection) -> Void
    private let bytes: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private var request: [UInt8] = []
    private var isAnswered = false

    init(log: Log, answersAnything: Bool, respond: @escaping RawServer.Responder, arrived: @escaping (RawServer.Connection) -> Void) {
        self.log = log
        self.answersAnything = answersAnything
        self.respond = respond
        self.arrived = arrived
        (bytes, continuation) = AsyncStream.makeStream()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if isAnswered {
            continuation.yield(Array(buffer.readableBytesView))
            return
        }
        request += buffer.readableBytesView
        guard answersAnything || request.suffix(4) == [13, 10, 13, 10] else { return }
        let text = String(decoding: request, as: UTF8.self)
        request = []
        let index = log.requests.withLock { requests in
            requests.append(text)
            return requests.count - 1
        }
        let reply = respond(index, text)
        // The answer to a CONNECT is followed by another request.
        isAnswered = !text.hasPrefix("CONNECT")
        if isAnswered { arrived(RawServer.Connection(channel: context.channel, bytes: bytes)) }
        let channel = context.channel
        context.writeAndFlush(NIOAny(channel.allocator.buffer(bytes: reply.bytes))).whenComplete { _ in
            if reply.closes { channel.close(promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
#endif
