#if Replication
import NIOCore
import NIOPosix
import TestSupport

@testable import WebServer

/// A web server that calls a closure whenever it passes bytes to a socket, before the client can have them.
final class ObservedServer: Sendable {
    let context: ServerContext
    private let channel: any Channel

    /// - Parameter observe: Called with the server's state and the number of bytes that the connection has passed to its socket, on an event loop.
    init(
        _ options: WebServerOptions = WebServerOptions(),
        _ handler: any WebHandler,
        _ observe: @escaping @Sendable (ServerContext, Int) -> Void
    ) async throws {
        let context = ServerContext(options, handler)
        self.context = context
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try context.serve(channel, nil)
                    let observer = SocketObserver { observe(context, $0) }
                    try channel.pipeline.syncOperations.addHandler(observer, position: .first)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func connect() async throws -> RawClient { try await RawClient.connect(port: channel.localAddress?.port ?? 0) }

    /// Sends a request. Returns what the server sends until the connection ends.
    func answer(to lines: String, body: [UInt8] = []) async throws -> [UInt8] {
        let client = try await connect()
        client.send(lines: lines)
        client.send(body)
        return await client.readBytes()
    }

    func stop() async {
        try? await channel.close()
        for channel in context.table.all { try? await channel.close() }
    }
}

/// Calls a closure at each write, with the number of bytes that were passed to the socket.
private final class SocketObserver: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let observe: (Int) -> Void
    private var count = 0

    init(_ observe: @escaping (Int) -> Void) { self.observe = observe }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        count += unwrapOutboundIn(data).readableBytes
        observe(count)
        context.write(data, promise: promise)
    }
}
#endif
