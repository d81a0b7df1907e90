#if Replication
import SyncCore
import LogCore
import NIOCore

/// A WebSocket after its handshake, on its event loop: sends and receives frames, heartbeat, closing (Replication 1.7 and 1.8).
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
    /// Data received before the owner opened the connection. It is limited to the data in transit when reading was stopped.
    private var earlyData: [ByteBuffer] = []
    private var needsFlush = false
    private var closeTimer: Scheduled<Void>?

    init(isClient: Bool, options: WebSocketOptions) {
        self.options = options
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
        let early = earlyData
        earlyData = []
        early.forEach(parse)
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
        case .waiting:
            state = .waiting(end: ChannelClosure(code: code, reason: reason, isByPeer: false))
            sendClose(code: code, reason: reason)
        case .open:
            if let context { writeQueuedFrames(context) }
            state = .closing(ChannelClosure(code: code, reason: reason, isByPeer: false))
            heartbeat.stop()
            messageTimeouts.stop()
            setAutoRead(true)
            sendClose(code: code, reason: reason)
        case .closing, .ended: break
        }
    }

    func cancel() { abort(.aborted) }

    // MARK: Events from the peer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        heartbeat.noteBytes()
        if case .waiting = state {
            earlyData.append(buffer)
        } else {
            parse(buffer)
        }
    }

    private func parse(_ buffer: ByteBuffer) {
        // Data after the end is read and dropped, because the connection would be reset otherwise and the peer could lose the close frame.
        if case .ended = state { return }
        do throws(WebSocketViolation) {
            try buffer.withUnsafeReadableBytes { bytes throws(WebSocketViolation) in
                try parser.parse(bytes) { handle($0) }
            }
        } catch {
            fail(error)
        }
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
        finish(WebSocketHandler.lost)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let error = NetworkFailure.ofEstablished(error)
        abort(error.map { ChannelClosure(code: nil, isByPeer: true, error: $0) } ?? Self.lost)
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
        case .open:
            state = .ended
            receiver?(.closed(closure))
        case .closing(let planned):
            state = .ended
            receiver?(.closed(planned))
        case .waiting, .ended: return
        }
        if case .ended = state { receiver = nil }
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
        let written = context.writeAndFlush(wrapOutboundOut(buffer))
        needsFlush = false
        let channel = context.channel
        if endsConnection { written.whenComplete { _ in channel.close(promise: nil) } }
        setAutoRead(true)
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
        context.write(wrapOutboundOut(buffer), promise: nil)
        needsFlush = true
    }

    /// Sends all queued frames in one buffer, which takes one system call and, if they fit, one TLS record.
    private func writeQueuedFrames(_ context: ChannelHandlerContext) {
        guard let (frames, byteCount) = connection?.takeFrames(), !frames.isEmpty else { return }
        messageTimeouts.noteMessage(isFromPeer: false)
        var buffer = context.channel.allocator.buffer(capacity: byteCount)
        for frame in frames { writer.write(options.sendsText ? .text : .binary, frame, to: &buffer) }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        needsFlush = false
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
