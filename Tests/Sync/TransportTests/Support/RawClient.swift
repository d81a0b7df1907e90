#if Replication
import NIOCore
import NIOPosix
import NIOSSL

/// A client that sends given bytes.
final class RawClient: Sendable {
    let channel: any Channel
    private let bytes: AsyncStream<[UInt8]>

    private init(_ channel: any Channel, _ bytes: AsyncStream<[UInt8]>) {
        self.channel = channel
        self.bytes = bytes
    }

    /// - Parameter usesTLS: Whether to use TLS; every server is accepted.
    static func connect(port: Int, usesTLS: Bool = false) async throws -> RawClient {
        let (bytes, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if usesTLS {
                        var configuration = TLSConfiguration.makeClientConfiguration()
                        configuration.certificateVerification = .none
                        let context = try NIOSSLContext(configuration: configuration)
                        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel, bytes)
    }

    func send(_ bytes: [UInt8]) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(.autoRead, value: isReading).get()
    }

    func close() {
        channel.close(promise: nil)
    }

    /// The head of a `101`, or all bytes up to the end.
    func readHeadOrAll() async -> [UInt8] {
        await read { $0.starts(with: "HTTP/1.1 101 ".utf8) && $0.suffix(4) == [13, 10, 13, 10] }
    }

    /// The next bytes, until the condition holds or the connection ends.
    func read(until isEnough: ([UInt8]) -> Bool) async -> [UInt8] {
        var read: [UInt8] = []
        for await part in bytes {
            read += part
            if isEnough(read) { break }
        }
        return read
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<[UInt8]>.Continuation

        init(_ continuation: AsyncStream<[UInt8]>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(Array(unwrapInboundIn(data).readableBytesView))
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
#endif
