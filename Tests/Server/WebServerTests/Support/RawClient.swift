#if Replication
import NIOCore
import NIOPosix

/// A client that sends given bytes and returns what it receives.
final class RawClient: Sendable {
    private let channel: any Channel
    private let bytes: AsyncStream<[UInt8]>

    private init(_ channel: any Channel, _ bytes: AsyncStream<[UInt8]>) {
        self.channel = channel
        self.bytes = bytes
    }

    static func connect(port: Int) async throws -> RawClient {
        let (bytes, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Collector(continuation)) }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel, bytes)
    }

    /// Sends text in which a line feed stands for the end of a line of HTTP.
    func send(lines text: String) { send(Array(text.replacing("\n", with: "\r\n").utf8)) }

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil) }

    func setReading(_ isReading: Bool) async throws { try await channel.setOption(.autoRead, value: isReading).get() }

    func close() { channel.close(promise: nil) }

    /// Waits until the server has closed the connection.
    func waitForEnd() async { try? await channel.closeFuture.get() }

    /// Returns what the server sends until the text contains another, or until the connection ends.
    func read(until end: String) async -> String {
        var read: [UInt8] = []
        for await part in bytes {
            read += part
            if String(decoding: read, as: UTF8.self).contains(end) { break }
        }
        return String(decoding: read, as: UTF8.self)
    }

    /// Returns what the server sends until the connection ends.
    func readAll() async -> String { String(decoding: await readBytes(), as: UTF8.self) }

    /// Returns the bytes that the server sends until the connection ends.
    func readBytes() async -> [UInt8] {
        var read: [UInt8] = []
        for await part in bytes { read += part }
        return read
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<[UInt8]>.Continuation

        init(_ continuation: AsyncStream<[UInt8]>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(Array(unwrapInboundIn(data).readableBytesView))
        }

        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
#endif
