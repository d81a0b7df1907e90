#if Replication
import NIOCore
import NIOPosix
import NIOSSL
import Transport

/// A proxy that opens a tunnel to a port of this machine, whatever host is requested.
final class TunnelProxy: Sendable {
    let port: Int
    private let channel: any Channel

    init(identity: TLSIdentityData? = nil) throws {
        let context = try identity.map { identity in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: identity.certificates.map {
                        .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
                    },
                    privateKey: .privateKey(NIOSSLPrivateKey(bytes: identity.privateKey, format: .der))
                )
            )
        }
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(TunnelHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async {
        try? await channel.close()
    }
}

/// Reads a `CONNECT`, connects, and then transfers bytes in both directions.
private final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var request: [UInt8] = []
    private var other: (any Channel)?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if let other { return other.writeAndFlush(buffer, promise: nil) }
        request += buffer.readableBytesView
        guard request.suffix(4) == [13, 10, 13, 10] else { return }
        let authority = String(decoding: request, as: UTF8.self).split(separator: " ")[1]
        let port = Int(authority.split(separator: ":").last ?? "") ?? 0
        let near = context.channel
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(Relay(to: near)) }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                bound.value.other = try? result.get()
                near.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) {
        other?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let near: any Channel

        init(to near: any Channel) {
            self.near = near
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            near.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            near.close(promise: nil)
        }
    }
}
#endif
