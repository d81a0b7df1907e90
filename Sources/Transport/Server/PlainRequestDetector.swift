#if Replication
import SyncCore
import LogCore
import NIOCore

/// Stands before TLS in a listener's pipeline and looks at the first byte of a client: one that sends a request without TLS is told so in
/// plain text, as servers do, instead of finding the connection closed.
final class PlainRequestDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The words that clients know, this library's too; see ``ClientRoute/refusal(_:)``.
    static let reason = "Client sent an HTTP request to an HTTPS server."

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        // A record of TLS begins with a number that no name of a method does.
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
