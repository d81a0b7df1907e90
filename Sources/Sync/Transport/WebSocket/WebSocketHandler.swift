#if Replication
import SyncCore
import Base
import NIOCore

/// A WebSocket after its handshake, on its event loop: sends and receives frames, heartbeat, closing (Replication 1.7 and 1.8).
///
/// Any call of the channel may call this handler again before it returns: a write that fails reads the socket to its end, and then closes it.
/// So received data is parsed first, and the messages are handled when the parser is not in use anymore. Data and the end of the connection
/// that arrive while messages are handled wait for that, so that the owner receives everything in its order.
final class WebSocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// The connection has not been opened by its owner. If it ends before that, the reason is retained.
        case waiting(end: ChannelClosure?)
        case open
        /// The close frame has been sent, and the peer's is pending.
        case closing(ChannelClosure)
        /// The owner has been notified of the end. The connection may not be closed yet.
        case ended
    }

    /// The connection. The reference cycle is broken when the handler is removed.
    var connection: WebSocketConnection?

    private let options: WebSocketOptions
    private var parser: WebSocketFrameParser
    private var writer: WebSocketFrameWriter
    private var context: ChannelHandlerContext?
    private var state = State.waiting(end: nil)
    private var receiver: (@Sendable (FrameChannelEvent) -> Void)?
    private var isReading = true
    private let heartbeat: WebSocketHeartbeat
    private let messageTimeouts: WebSocketMessageTimeouts
    /// The pending response to the last ping while the peer does not read. Only the latest is retained (RFC 6455, 5.5.3), so that pings
    /// cannot accumulate.
    private var pendingPong: [UInt8]?
    /// Data that has not been parsed: it was received while messages are handled, or before the owner opened the connection. Then it is limited
    /// to the data in transit when reading was stopped.
    private var received = CircularBuffer<ByteBuffer>()
    /// The messages of the data that is being handled. Kept for its memory.
    private var messages: [WebSocketMessage] = []
    private var isHandling = false
    /// How the connection has ended while messages are handled.
    private var endAfterHandling: ChannelClosure?
    private var needsFlush = false
    /// Whether messages are sent as text, see ``WebSocketOptions/sendsText``.
    private var sendsText: Bool
    private var closeTimer: Scheduled<Void>?

    init(isClient: Bool, options: WebSocketOptions) {
        self.options = options
        sendsText = options.sendsText
        parser = WebSocketFrameParser(expectsMask: !isClient, maximumMessageBytes: options.maximumMessageBytes)
        writer = WebSocketFrameWriter(isMasking: isClient)
        heartbeat = WebSocketHeartbeat(interval: options.heartbeat, timeout: options.pongTimeout)
        messageTimeouts = WebSocketMessageTimeouts(first: options.firstMessageTimeout, idle: options.idleTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(WebSocketHandler.lost)
        heartbeat.stop()
        messageTimeouts.stop()
        closeTimer?.cancel()
        self.context = nil
        connection = nil
    }

    // MARK: Calls from the owner

    func open(_ handshake: ChannelHandshake, _ receiver: @escaping @Sendable (FrameChannelEvent) -> Void) {
        guard case .waiting(let end) = state else { return }
        self.receiver = receiver
        state = .open
        receiver(.opened(handshake))
        handleReceived()
        flushIfNeeded()
        // The data may have ended the connection.
        guard case .open = state else { return }
        if let end { return finish(end) }
        guard let context else { return finish(WebSocketHandler.lost) }
        heartbeat.start(on: context.eventLoop, ping: { [weak self] in self?.ping() }, timedOut: { [weak self] in self?.pongTimedOut() })
        messageTimeouts.start(on: context.eventLoop) { [weak self] in self?.messageTimedOut(hasReceivedMessage: $0) }
        setReading(isReading)
        sendQueuedFrames()
    }

    /// Sends the queued frames, and notifies the owner when there is room again.
    func sendQueuedFrames() {
        guard let context, case .open = state else { return }
        writeQueuedFrames(context)
        if connection?.endWaitIfRoom() == true { receiver?(.writable) }
    }

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        heartbeat.isReading = isReading
        if case .open = state { setAutoRead(isReading) }
    }

    func close(code: Int, reason: String) {
        switch state {
        case .waiting(nil):
            state = .waiting(end: ChannelClosure(code: code, reason: reason, isByPeer: false))
            sendClose(code: code, reason: reason)
        case .open:
            if let context { writeQueuedFrames(context) }
            // Writing may have ended the connection.
            guard case .open = state else { return }
            state = .closing(ChannelClosure(code: code, reason: reason, isByPeer: false))
            heartbeat.stop()
            messageTimeouts.stop()
            setAutoRead(true)
            sendClose(code: code, reason: reason)
        case .waiting, .closing, .ended: break
        }
    }

    func cancel() { abort(.aborted) }

    // MARK: Events from the peer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heartbeat.noteBytes()
        // Data after the end is read and dropped, because the connection would be reset otherwise and the peer could lose the close frame.
        if case .ended = state { return }
        received.append(unwrapInboundIn(data))
        handleReceived()
    }

    /// Handles the data that was received, unless the connection is not open yet, or a caller of this function does it already.
    private func handleReceived() {
        if case .waiting = state { return }
        guard !isHandling else { return }
        isHandling = true
        while let buffer = received.popFirst() {
            let violation = parse(buffer)
            for index in messages.indices { handle(messages[index]) }
            messages.removeAll(keepingCapacity: true)
            if let violation { fail(violation) }
        }
        isHandling = false
        if let end = endAfterHandling.take() { finish(end) }
    }

    /// Adds the messages of the data to ``messages``. Nothing may be called in the meantime that could call this handler.
    private func parse(_ buffer: ByteBuffer) -> WebSocketViolation? {
        if case .ended = state { return nil }
        do throws(WebSocketViolation) {
            try buffer.withUnsafeReadableBytes { bytes throws(WebSocketViolation) in
                try parser.parse(bytes) { messages.append($0) }
            }
        } catch {
            return error
        }
        return nil
    }

    func channelReadComplete(context: ChannelHandlerContext) { flushIfNeeded() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        connection?.noteWritable(isWritable)
        if isWritable, let pong = pendingPong {
            pendingPong = nil
            write(.pong, pong)
        }
        if isWritable { sendQueuedFrames() }
        flushIfNeeded()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isHandling { endAfterHandling = endAfterHandling ?? Self.lost } else { finish(Self.lost) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let end = NetworkFailure.ofEstablished(error).map { ChannelClosure(code: nil, isByPeer: true, error: $0) } ?? Self.lost
        guard isHandling else { return abort(end) }
        endAfterHandling = endAfterHandling ?? end
        context.close(promise: nil)
    }

    private func handle(_ message: WebSocketMessage) {
        switch (message, state) {
        case (.ping(let payload), .open):
            if context?.channel.isWritable == true {
                write(.pong, payload)
            } else {
                pendingPong = payload
            }
        case (.pong, _):
            heartbeat.notePong()
        case (.data(let frame), .open):
            connection?.noteMessage()
            messageTimeouts.noteMessage(isFromPeer: true)
            receiver?(.frame(frame))
        case (.close(let code, let reason), .open):
            // A close frame never contains this code, so the answer to a frame without a code has none either.
            let code = code ?? CloseCode.noCode.rawValue
            finish(ChannelClosure(code: code, reason: reason, isByPeer: true))
            sendClose(code: code, reason: reason, endsConnection: true)
        case (.close, .closing(let closure)): abort(closure)
        default: break
        }
    }

    // MARK: Closing

    /// The connection ended without a close frame.
    private static let lost = ChannelClosure(
        code: CloseCode.abnormal.rawValue,
        isByPeer: true,
        error: SyncError(webSocket: .abnormal, "the connection was lost")
    )

    private func fail(_ violation: WebSocketViolation) {
        EngineLog.log(.warning, .network, "WebSocket: the peer violated the protocol: \(violation)")
        if case .closing(let closure) = state { return abort(closure) }
        let error = SyncError(.webSocket, violation.code, violation.description)
        finish(ChannelClosure(code: violation.code, reason: violation.description, isByPeer: false, error: error))
        sendClose(code: violation.code, reason: violation.description)
    }

    private func pongTimedOut() {
        abort(ChannelClosure(code: nil, isByPeer: false, error: SyncError(network: .timeout, "the peer did not respond to a ping")))
    }

    private func messageTimedOut(hasReceivedMessage: Bool) {
        guard case .open = state else { return }
        let reason = hasReceivedMessage ? "no message has been sent for a long time" : "no message has been received in time"
        EngineLog.log(.info, .network, "WebSocket: closing a connection: \(reason)")
        close(code: (hasReceivedMessage ? CloseCode.retry : .policyViolation).rawValue, reason: reason)
    }

    /// Notifies the owner of the end, and closes the connection without a close frame.
    private func abort(_ closure: ChannelClosure) {
        finish(closure)
        context?.close(promise: nil)
    }

    /// Notifies the owner of the end, once.
    private func finish(_ closure: ChannelClosure) {
        connection?.closeQueue()
        heartbeat.stop()
        messageTimeouts.stop()
        switch state {
        case .waiting(nil): state = .waiting(end: closure)
        case .open: end(closure)
        case .closing(let planned): end(planned)
        case .waiting, .ended: break
        }
    }

    private func end(_ closure: ChannelClosure) {
        state = .ended
        received.removeAll()
        receiver.take()?(.closed(closure))
    }

    /// Sends the close frame. The connection is closed after sending it, when the peer has closed it, or after the timeout.
    ///
    /// - Parameter endsConnection: Whether the frame answers the peer's.
    private func sendClose(code: Int, reason: String, endsConnection: Bool = false) {
        guard let context else { return }
        connection?.closeQueue()
        let payload = WebSocketFrameWriter.closePayload(code: code, reason: reason)
        var buffer = context.channel.allocator.buffer(capacity: payload.count + WebSocketFrameWriter.maximumHeadBytes)
        writer.write(.close, payload, to: &buffer)
        needsFlush = false
        let written = context.writeAndFlush(wrapOutboundOut(buffer))
        let channel = context.channel
        if endsConnection { written.whenComplete { _ in channel.close(promise: nil) } }
        setAutoRead(true)
        // The channel may be closed already, and with it the timers.
        guard channel.isActive else { return }
        closeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: options.closeTimeout.secondsAsTime) {
            self.finish(WebSocketHandler.lost)
            channel.close(promise: nil)
        }
    }

    // MARK: Writing

    private func ping() {
        guard case .open = state else { return }
        write(.ping, [])
        flushIfNeeded()
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        guard let context else { return }
        var buffer = context.channel.allocator.buffer(capacity: payload.count + WebSocketFrameWriter.maximumHeadBytes)
        writer.write(opcode, payload, to: &buffer)
        needsFlush = true
        context.write(wrapOutboundOut(buffer), promise: nil)
    }

    /// Sends all queued frames in one buffer, which takes one system call and, if they fit, one TLS record.
    private func writeQueuedFrames(_ context: ChannelHandlerContext) {
        guard let (frames, byteCount) = connection?.drainFrames(), !frames.isEmpty else { return }
        messageTimeouts.noteMessage(isFromPeer: false)
        var buffer = context.channel.allocator.buffer(capacity: byteCount)
        for frame in frames { writer.write(opcode(of: frame), frame, to: &buffer) }
        needsFlush = false
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    private func opcode(of frame: [UInt8]) -> WebSocketOpcode {
        if sendsText, frame.starts(with: [0x1F, 0x8B]) { sendsText = false }
        return sendsText ? .text : .binary
    }

    private func flushIfNeeded() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }

    private func setAutoRead(_ isOn: Bool) {
        // Fails if the channel is closed already, which is reported as a separate event.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}
#endif
