#if Replication
import Base
package import NIOCore
import NIOSSL
package import SyncCore

/// TLS for the connections of a server that requires no certificates of its clients. TLS 1.2 or newer is required.
package struct ServerTLS: Sendable {
    private let context: NIOSSLContext

    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the identity is invalid.
    package init(_ identity: TLSIdentityData) throws(SyncError) { context = try ListenerTLS(identity: identity).makeContext() }

    /// Adds TLS at the end of the pipeline of a new connection. A client that sends a request without TLS receives an error in plain text.
    /// Must be called on the event loop of the channel.
    package func add(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(PlainRequestDetector())
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}

/// Inspects a client's first byte before TLS does, and answers a request without TLS with an error in plain text, as other servers do,
/// instead of just closing the connection.
final class PlainRequestDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The text that clients, including this library's, recognize; see ``ClientRoute/refusal(_:)``.
    static let reason = "Client sent an HTTP request to an HTTPS server."

    /// Whether the first byte was refused; `nil` before it has been received.
    private var isRefused: Bool?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The handler is still in the pipeline if TLS responds to the first bytes, and more are received while that is sent.
        if let isRefused { return isRefused ? () : context.fireChannelRead(data) }
        // The first byte of a TLS record is never a character of an HTTP method.
        guard let first = unwrapInboundIn(data).readableBytesView.first, first.isTokenCharacter else {
            isRefused = false
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
