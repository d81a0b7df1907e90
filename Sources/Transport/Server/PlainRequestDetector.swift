#if Replication
import SyncCore
import LogCore
import NIOCore

/// Inspects a client's first byte before TLS does, and answers a request without TLS with an error in plain text, as other servers do,
/// instead of just closing the connection.
final class PlainRequestDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The text that clients, including this library's, recognize; see ``ClientRoute/refusal(_:)``.
    static let reason = "Client sent an HTTP request to an HTTPS server."

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        // The first byte of a TLS record is never a character of an HTTP method.
        guard let first = unwrapInboundIn(data).readableBytesView.first, first.isTokenCharacter else {
            context.fireChannelRead(data)
            return context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
        isRefused = true
        EngineLog.log(.info, .listener, "Listener: a client has sent a request without TLS")
        let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
        let response = head + "Content-Length: \(Self.reason.utf8.count)\r\n\r\n" + Self.reason
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(string: response)))
            .whenComplete { _ in channel.close(mode: .all, promise: nil) }
    }
}
#endif
