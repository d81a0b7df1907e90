#if Replication
package import SyncCore
package import Transport

/// The response to a request.
package struct WebResponse: Sendable {
    /// What follows the head.
    package enum Body: Sendable {
        /// A body that is complete; empty for a response without one.
        case bytes([UInt8])
        /// A body that is sent while it is produced, with the connection's own flow control. If its length in bytes is known, the closure must
        /// send exactly as much, or throw; otherwise the body is chunked, and ends when the closure returns. If the closure throws, the
        /// connection is closed, so that the client notices that the body is incomplete.
        case stream(length: Int?, @Sendable (WebResponseWriter) async throws -> Void)
        /// No body: the connection becomes a WebSocket.
        case webSocket(WebSocketAcceptance)
    }

    /// How an accepted WebSocket continues.
    package struct WebSocketAcceptance: Sendable {
        let subprotocol: String?
        let options: WebSocketOptions
        /// Called with the connection, the memory for its messages, who has sent the request, and the threads for its task.
        let accept: @Sendable (any FrameChannel, BodyBudget, RequestOwner, any TaskExecutor) -> Void
    }

    /// The status code, which is 101 for a WebSocket.
    package var status: Int
    /// The header fields, without those that the server sets: `Content-Length`, `Transfer-Encoding`, `Connection` and `Date`.
    package var headers: HTTPFields
    /// What is sent after the header fields. For `HEAD`, only its length is sent.
    package var body: Body
    /// What the response needs until it has been sent, or cannot be sent anymore: its turn, with the memory of the body, which the server does not
    /// count then.
    package var held: (any Sendable)?

    /// Creates a response with a body in memory.
    package init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = HTTPFields(headers)
        self.body = .bytes(body)
    }

    /// Creates a response with JSON.
    package init(status: Int = 200, headers: [(name: String, value: String)] = [], json: [UInt8]) {
        self.init(status: status, headers: [("Content-Type", "application/json")] + headers, body: json)
    }

    /// Creates a response whose body is produced while it is sent.
    ///
    /// - Parameter length: The length of the body in bytes; `nil` if it is not known. When the server stops, a response whose length is known
    ///   may be completed, and others are cancelled.
    package init(
        status: Int = 200,
        headers: [(name: String, value: String)] = [],
        length: Int? = nil,
        stream: @escaping @Sendable (WebResponseWriter) async throws -> Void
    ) {
        self.status = status
        self.headers = HTTPFields(headers)
        body = .stream(length: length, stream)
    }

    /// Creates the response that describes an error as JSON.
    package init(_ error: WebError) {
        self.init(status: error.status, headers: error.headers, json: WebStatus.json(error))
    }

    /// Accepts a WebSocket.
    ///
    /// - Parameters:
    ///   - subprotocol: The sub-protocol, one of those that the client offers; `nil` for none.
    ///   - options: The timeouts and limits of the WebSocket.
    ///   - accept: Receives the connection, on an event loop. It must open it, here or later.
    package static func webSocket(
        subprotocol: String?,
        options: WebSocketOptions,
        accept: @escaping @Sendable (any FrameChannel) -> Void
    ) -> WebResponse {
        var response = WebResponse(status: 101)
        response.body = .webSocket(WebSocketAcceptance(subprotocol: subprotocol, options: options) { channel, _, _, _ in accept(channel) })
        return response
    }

    /// Accepts a WebSocket without a sub-protocol, and serves it with a task on the threads of the server.
    ///
    /// - Parameters:
    ///   - options: The timeouts and limits of the WebSocket.
    ///   - run: Serves the client, and closes the WebSocket at the end. When the server stops, it closes the WebSocket.
    package static func textSocket(options: WebSocketOptions, run: @escaping @Sendable (TextSocket) async -> Void) -> WebResponse {
        var response = WebResponse(status: 101)
        response.body = .webSocket(
            WebSocketAcceptance(subprotocol: nil, options: options) { channel, memory, owner, threads in
                let socket = TextSocket(channel, memory, owner)
                Task(executorPreference: threads) { await run(socket) }
            }
        )
        return response
    }
}

/// Sends the parts of a streamed body.
package struct WebResponseWriter: Sendable {
    let send: @Sendable ([UInt8]) async throws -> Void
    /// Sends bytes whose memory is counted already; `nil` if ``send`` does not count any.
    var sendCounted: (@Sendable ([UInt8]) async throws -> Void)?

    /// - Parameter send: Sends a part of the response, and returns when the socket has accepted it.
    package init(send: @escaping @Sendable ([UInt8]) async throws -> Void) { self.send = send }

    /// Sends bytes. Returns when the socket has accepted them, so that no more than one part is in memory.
    ///
    /// - Parameter isCounted: Whether the handler limits the memory that such parts take. Otherwise the server does.
    /// - Throws: An error if the connection is closed, or the client has not read for the time of the server's write timeout.
    package func write(_ bytes: [UInt8], isCounted: Bool = false) async throws {
        guard !bytes.isEmpty else { return }
        try Task.checkCancellation()
        if isCounted, let sendCounted { try await sendCounted(bytes) } else { try await send(bytes) }
    }
}
#endif
