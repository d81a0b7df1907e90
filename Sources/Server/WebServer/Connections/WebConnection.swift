#if Replication
import Base
import NIOCore
import NIOHTTP1
import Transport

/// One connection of a server, on its event loop: receives requests one after the other, each after the response to the one before.
///
/// Reading is suspended while a complete request has no response, and while a body is not read. What the client sends in the meantime
/// remains in the buffers of the operating system, apart from what one read may contain.
///
/// Any call of the channel may call this handler again before it returns: a write that fails reads the socket to its end, and then closes it.
/// So the state is complete before each call, and is examined again after it. Parts of requests are taken one at a time.
final class WebConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The maximum number of parts of the following requests that one read may contain.
    private static let maximumPipelinedParts = 4096

    private let shared: ServerContext
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    private var pipelined = CircularBuffer<HTTPServerRequestPart>()
    private var isHandling = false
    /// Whether nothing more is taken from this connection, because a request was refused, or the connection has ended.
    private var isClosing = false
    private var timer: Scheduled<Void>?
    private var writeTimer: Scheduled<Void>?
    /// The number of bytes received since the last part of a request.
    private(set) var undecodedCount = 0
    private var isWaitingForHead = true

    init(_ shared: ServerContext) { self.shared = shared }

    private var options: WebServerOptions { shared.options }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        closeAfter(options.headTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        writeTimer?.cancel()
        abandon()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        abandon()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard exchange == nil, !isClosing, error is HTTPParserError else { return context.close(promise: nil) }
        refuse(WebError(400, "The request is not valid HTTP/1.1"))
    }

    /// Ends and releases the current request, because the connection has ended.
    private func abandon() {
        isClosing = true
        pipelined.removeAll()
        let ended = exchange.take()
        ended?.body.fail(WebError(400, "The client has closed the connection"))
        ended?.task?.cancel()
    }

    // MARK: Receiving

    /// Counts received bytes, before they are decoded.
    func receive(byteCount: Int) {
        undecodedCount += byteCount
        guard exchange == nil, !isClosing, isWaitingForHead else { return }
        // The first bytes of the next head.
        isWaitingForHead = false
        closeAfter(options.headTimeout)
    }

    /// Refuses a head that is too long, or too many fields after a body.
    func refuseHead() {
        guard !isClosing else { return }
        guard exchange == nil else { return close() }
        refuse(.headTooLarge)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        undecodedCount = 0
        guard !isClosing else { return }
        pipelined.append(unwrapInboundIn(data))
        guard pipelined.count <= Self.maximumPipelinedParts else { return close() }
        handleParts()
    }

    /// Handles the parts that were received, up to the end of a request that has no response.
    private func handleParts() {
        guard !isHandling else { return }
        isHandling = true
        while exchange?.body.isFinished != true, !isClosing, let part = pipelined.popFirst() { handle(part) }
        isHandling = false
    }

    private func handle(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): begin(head)
        case .body(let buffer):
            guard let exchange else { return }
            if exchange.body.append(Array(buffer: buffer)) { pause(exchange) }
        case .end:
            timer?.cancel()
            // The connection reads again after the response.
            setReading(false)
            exchange?.body.finish()
        }
    }

    private func begin(_ head: NIOHTTP1.HTTPRequestHead) {
        guard let context else { return }
        let channel = context.channel
        guard shared.table.set(.busy, of: channel) else { return close() }
        let request: RequestHead
        do throws(WebError) {
            request = try RequestHead(head, options)
        } catch {
            return refuse(error)
        }
        let body = WebBody(
            maximumBytes: shared.handler.maximumBodyBytes(method: request.method, path: request.target.path),
            budget: shared.budget,
            decoder: request.decoder,
            owner: RequestOwner(ClientAddress(channel.remoteAddress))
        )
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        body.onResume { [weak body] in
            guard let body else { return }
            bound.eventLoop.execute { bound.value.resume(body) }
        }
        let exchange = Exchange(head, body)
        self.exchange = exchange
        let isTooLarge = head.headers.first(name: "Content-Length").flatMap { Int($0) }.map { $0 > body.maximumBytes } ?? false
        if isTooLarge { body.fail(.bodyTooLarge) }
        watchBody(of: exchange)
        let responder = Responder(bound, shared, hasBody: !request.isHead)
        let received = request.request(with: body, from: channel)
        exchange.task = Task(executorPreference: shared.threads) { await responder.respond(to: received) }
        guard !isTooLarge, head.headers.first(name: "Expect")?.lowercased() == "100-continue" else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    /// Stops reading a body, until the handler has taken what was received.
    private func pause(_ exchange: Exchange) {
        setReading(false)
        timer?.cancel()
        exchange.pause()
    }

    /// Reads a body again that is not complete.
    private func resume(_ body: WebBody) {
        guard let exchange, exchange.body === body, !exchange.body.isFinished else { return }
        exchange.resume()
        setReading(true)
        watchBody(of: exchange)
    }

    /// Refuses a body that arrives too slowly.
    private func watchBody(of exchange: Exchange) {
        timer?.cancel()
        guard let eventLoop = context?.eventLoop else { return }
        let bound = NIOLoopBound((self, exchange), eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(deadline: max(exchange.deadline(options), .now() + .milliseconds(10))) {
            let (connection, exchange) = bound.value
            guard connection.exchange === exchange, !exchange.body.isFinished, !exchange.isPaused else { return }
            guard NIODeadline.now() >= exchange.deadline(connection.options) else { return connection.watchBody(of: exchange) }
            exchange.body.fail(WebError(408, "The body of the request arrives too slowly"))
        }
    }

    private func setReading(_ isReading: Bool) {
        guard let channel = context?.channel, !isClosing || isReading else { return }
        try? channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    // MARK: Sending

    /// Writes the head of a response. Returns `false` if the request is not the current one any more.
    func write(head response: WebResponse, length: Int?, isWebSocket: Bool = false) -> Bool {
        guard let context, let exchange, context.channel.isActive else { return false }
        var headers = HTTPHeaders(response.headers.pairs.map { ($0.name, $0.value) })
        if let name = options.serverName { headers.replaceOrAdd(name: "Server", value: name) }
        exchange.isStreaming = length == nil
        if !isWebSocket {
            if let length { headers.replaceOrAdd(name: "Content-Length", value: String(length)) }
            if !keepsConnection(after: exchange) { headers.replaceOrAdd(name: "Connection", value: "close") }
        }
        // A client of HTTP/1.0 does not know chunks: for this version, the end of the connection is that of the body.
        let version: HTTPVersion = exchange.isStreaming && exchange.head.version.minor == 0 ? .http1_0 : .http1_1
        let head = HTTPResponseHead(version: version, status: .init(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        // A streamed body may begin much later, and the client must know that its request was accepted.
        if exchange.isStreaming { context.flush() }
        return true
    }

    private func keepsConnection(after exchange: Exchange) -> Bool {
        exchange.allowsAnother && !shared.table.isStopping && !isClosing
    }

    /// Writes a part of a body. The future completes when the socket has accepted it.
    func write(_ bytes: [UInt8]) -> EventLoopFuture<Void>? {
        guard let context, exchange != nil else { return nil }
        let written = promiseOfWriting(context)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: written)
        return written.futureResult
    }

    /// Ends a response, and continues with the next request or closes the connection.
    func endResponse() {
        guard let context, let exchange = exchange.take() else { return }
        let keepsConnection = self.keepsConnection(after: exchange)
        timer?.cancel()
        isWaitingForHead = true
        if keepsConnection {
            shared.table.set(.idle, of: context.channel)
            closeAfter(options.idleTimeout)
        } else {
            isClosing = true
        }
        let end = promiseOfWriting(context)
        // For `.end`, the encoder would write the end of a chunked body, which the response to HEAD does not have. An empty part writes
        // nothing. The channel must have no `HTTPServerPipelineHandler` therefore, which would wait for `.end` before the next request.
        let last: HTTPServerResponsePart = exchange.head.method == .HEAD ? .body(.byteBuffer(ByteBuffer())) : .end(nil)
        context.writeAndFlush(wrapOutboundOut(last), promise: end)
        if !keepsConnection || self.exchange == nil && shared.table.isStopping { return closeWhenRead(after: end.futureResult) }
        handleParts()
        // The rest of a head or of a body may still be on its way.
        if self.exchange?.body.isFinished != true, !isClosing { setReading(true) }
    }

    /// Returns a promise for a write. If it is not completed in time, because the client does not read, the connection is closed.
    private func promiseOfWriting(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        writeTimer?.cancel()
        writeTimer = context.eventLoop.scheduleTask(in: options.writeTimeout.timeAmount) { bound.value.close() }
        written.futureResult.whenComplete { _ in bound.value.writeTimer?.cancel() }
        return written
    }

    /// Responds to a request that cannot be passed to the handler, and closes the connection.
    private func refuse(_ error: WebError) {
        guard let context, !isClosing else { return }
        isClosing = true
        EngineLog.log(.info, .listener, "HTTP: a client is refused: \(error)")
        let response = WebResponse(error)
        var headers = HTTPHeaders(response.headers.pairs.map { ($0.name, $0.value) })
        let bytes = WebStatus.json(error)
        headers.replaceOrAdd(name: "Content-Length", value: String(bytes.count))
        headers.replaceOrAdd(name: "Connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: error.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
        let end = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: end)
        closeWhenRead(after: end.futureResult)
    }

    // MARK: Closing

    func close() { context?.close(promise: nil) }

    private func closeAfter(_ seconds: Double) {
        guard let context else { return }
        timer?.cancel()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: seconds.timeAmount) { bound.value.close() }
    }

    /// Closes the connection when the last response has been sent, and the client has received it.
    private func closeWhenRead(after end: EventLoopFuture<Void>) {
        isClosing = true
        // The connection may have ended while the response was written.
        guard let context, context.channel.isActive else { return }
        let channel = context.channel
        setReading(true)
        timer?.cancel()
        end.whenComplete { _ in channel.closeWhenRead() }
    }

    /// Ends a streamed response, because the server stops.
    func stopStreaming() {
        if exchange?.isStreaming == true { exchange?.task?.cancel() }
    }

    // MARK: WebSockets

    /// Turns the connection into a WebSocket, after the head of the response was written.
    func becomeWebSocket(_ acceptance: WebResponse.WebSocketAcceptance) throws {
        guard let context, let exchange, pipelined.isEmpty else { throw ChannelError.alreadyClosed }
        let channel = context.channel
        let pipeline = context.pipeline.syncOperations
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        guard channel.isActive, pipelined.isEmpty, shared.table.set(.webSocket, of: channel) else { throw ChannelError.alreadyClosed }
        let socket = try UpgradedWebSocket.add(to: channel, subprotocol: acceptance.subprotocol, options: acceptance.options)
        // The exchange is over, so that the removal of this handler does not cancel it.
        exchange.body.finish()
        self.exchange = nil
        let limiter = try pipeline.context(handlerType: HeadLimiter.self)
        let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
        // The decoder is removed last: it passes the bytes that follow the request to the WebSocket.
        let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        for handler in [context, limiter, encoder, decoder] { pipeline.removeHandler(context: handler, promise: nil) }
        acceptance.accept(socket, shared.responseBudget, exchange.body.owner, shared.threads)
    }
}
#endif
