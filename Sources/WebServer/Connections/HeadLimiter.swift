#if Replication
import NIOCore

/// Stands before the decoder and limits the bytes that it may hold: those of an incomplete head, or of the fields after a chunked body.
final class HeadLimiter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let connection: WebConnection
    private let maximumBytes: Int

    /// - Parameter connection: The handler after the decoder, which resets the count with each part of a request.
    init(_ connection: WebConnection, maximumBytes: Int) {
        self.connection = connection
        self.maximumBytes = maximumBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receive(byteCount: unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
        if connection.undecodedCount > maximumBytes { connection.refuseHead() }
    }
}
#endif
