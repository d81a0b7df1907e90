#if Replication
import SyncCore
import Base
import NIOCore

/// Reads the request of a client that has connected to a listener, and sends the response.
final class ServerHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let listener: ListenerCore
    private let peer: TLSPeer
    private var parser: HTTPHeadParser
    private var timer: Scheduled<Void>?
    private var isAnswering = false
    private var isRefused = false

    /// - Parameter peer: Contains the client's certificates after the TLS handshake.
    init(_ listener: ListenerCore, _ peer: TLSPeer) {
        self.listener = listener
        self.peer = peer
        var limits = HTTPHeadParser.Limits()
        limits.bytes = 16 * 1024
        parser = HTTPHeadParser(limits: limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: listener.configuration.handshakeTimeout.secondsAsTime) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Data that follows a rejected request is ignored.
        guard !isRefused else { return }
        do throws(HTTPSyntaxError) {
            guard try parser.append(unwrapInboundIn(data).readableBytesView), !isAnswering else { return }
            isAnswering = true
            timer?.cancel()
            // Reading is paused until the client has received the response; then the WebSocket controls reading.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            answer(try parser.request(), context)
        } catch {
            isAnswering = true
            refuse(.init(status: 400, reason: error.description), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        EngineLog.log(.info, .listener, "Listener: \(Self.name(of: context)): handshake failed: \(NetworkFailure.ofConnecting(error))")
        context.close(promise: nil)
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        context.leavePipeline(removalToken, handingOn: parser.rest)
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let address = ClientAddress(context.remoteAddress)
        listener.perform { [listener] in
            do throws(ServerHandshake.Refusal) {
                let handshake = ServerHandshake(listener.configuration, throttle: listener.throttle)
                let accepted = try handshake.answer(head, from: address)
                eventLoop.execute { bound.value.0.accept(accepted, bound.value.1) }
            } catch {
                eventLoop.execute { bound.value.0.refuse(error, bound.value.1) }
            }
        }
    }

    private func accept(_ accepted: ServerHandshake.Accepted, _ context: ChannelHandlerContext) {
        let channel = context.channel
        guard channel.isActive, let response = try? accepted.response.encoded() else { return context.close(promise: nil) }
        let handshake = ChannelHandshake(subprotocol: accepted.subprotocol, responseHeaders: [], peerCertificate: peer.chain.first)
        guard
            let connection = try? WebSocketConnection(
                channel: channel,
                isClient: false,
                options: listener.configuration.webSocket,
                handshake: handshake
            )
        else { return context.close(promise: nil) }
        guard listener.connections.establish(connection, on: channel) else {
            return refuse(.init(status: 503, reason: "Too many connections, or the listener is stopping"), context)
        }
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(bytes: response)), promise: nil)
        channel.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        let incoming = IncomingConnection(
            channel: connection,
            databaseName: accepted.databaseName,
            subprotocol: accepted.subprotocol,
            username: accepted.username,
            certificates: peer.chain,
            remoteAddress: channel.remoteAddress.map(NetworkInterfaces.name) ?? "unknown"
        )
        listener.perform { [listener] in listener.accept(incoming) }
    }

    /// Returns the client's address, for the log.
    private static func name(of context: ChannelHandlerContext) -> String {
        context.remoteAddress.map(NetworkInterfaces.name) ?? "a client of an unknown address"
    }

    private func refuse(_ refusal: ServerHandshake.Refusal, _ context: ChannelHandlerContext) {
        guard !isRefused else { return }
        isRefused = true
        EngineLog.log(.info, .listener, "Listener: \(Self.name(of: context)) is refused: \(refusal.status) \(refusal.reason)")
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: true)
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(bytes: refusal.encoded())))
            .whenComplete { _ in channel.closeWhenRead() }
    }
}
#endif
