#if Replication
import Base
import NIOCore
import Transport

/// Calls the handler for one request and sends its response, in a task.
struct Responder: Sendable {
    private let connection: NIOLoopBound<WebConnection>
    private let shared: ServerContext
    private let hasBody: Bool

    /// The maximum size of a part of a body that is given to the socket.
    static let partSize = 64 << 10

    /// - Parameter hasBody: Whether the body is sent: not in the response to `HEAD`.
    init(_ connection: NIOLoopBound<WebConnection>, _ shared: ServerContext, hasBody: Bool) {
        self.connection = connection
        self.shared = shared
        self.hasBody = hasBody
    }

    func respond(to request: WebRequest) async {
        var response: WebResponse
        do {
            response = try await shared.handler.respond(to: request)
        } catch let error as WebError {
            response = WebResponse(error)
        } catch {
            EngineLog.log(.warning, .listener, "HTTP: \(request.method) failed: \(error)")
            response = WebResponse(WebError(500, "The server could not respond"))
        }
        if shared.options.usesGzip, ContentCoding.acceptsGzip(request.headers) { response = ContentCoding.compressed(response) }
        do {
            try await send(&response, to: request)
        } catch {
            giveBack(&response, request)
            // The client sees that the response is incomplete.
            try? await onLoop { $0.close() }
        }
    }

    /// Gives back what the request has taken, before the client has all of the response: it may send its next request as soon as it has.
    private func giveBack(_ response: inout WebResponse, _ request: WebRequest) {
        response.body = .bytes([])
        response.held = nil
        request.body.releaseMemory()
    }

    private func send(_ response: inout WebResponse, to request: WebRequest) async throws {
        switch response.body {
        case .bytes:
            guard let last = try await sendBeginning(of: response, to: request) else {
                response = WebResponse(WebError.tooManyLargeResponses)
                return try await send(&response, to: request)
            }
            giveBack(&response, request)
            if !last.isEmpty { try await write(last) }
        case .stream:
            try await sendStream(of: response, to: request)
            giveBack(&response, request)
        case .webSocket(let acceptance): return try await accept(acceptance, response, request)
        }
        try await onLoop { $0.endResponse() }
    }

    /// Sends a response whose body is streamed, without its end.
    private func sendStream(of response: WebResponse, to request: WebRequest) async throws {
        guard case .stream(let length, let produce) = response.body else { return }
        guard try await begin(response, length: length) else { throw ChannelError.alreadyClosed }
        guard hasBody else { return }
        var writer = WebResponseWriter { try await writeReserved($0, of: request) }
        writer.sendCounted = { try await write(parts: $0) }
        try await produce(writer)
    }

    /// Sends the head of a response whose body is in memory, and all of the body but its last part, which is returned. Returns `nil`, and sends
    /// nothing, if responses take too much memory.
    ///
    /// The part is a copy, so that the body is released before the part is sent: a client may never read it.
    private func sendBeginning(of response: WebResponse, to request: WebRequest) async throws -> [UInt8]? {
        guard case .bytes(let bytes) = response.body else { return nil }
        guard let memory = self.memory(of: bytes, request, isCounted: response.held != nil) else { return nil }
        defer { withExtendedLifetime(memory) {} }
        guard try await begin(response, length: bytes.count) else { throw ChannelError.alreadyClosed }
        guard hasBody else { return [] }
        let lastStart = max(bytes.count - 1, 0) / Self.partSize * Self.partSize
        for start in stride(from: 0, to: lastStart, by: Self.partSize) { try await write(Array(bytes[start..<start + Self.partSize])) }
        return lastStart == 0 ? bytes : Array(bytes[lastStart...])
    }

    private func accept(_ acceptance: WebResponse.WebSocketAcceptance, _ response: WebResponse, _ request: WebRequest) async throws {
        guard request.isWebSocketUpgrade, let key = request.headers["Sec-WebSocket-Key"] else {
            var refusal = WebResponse(WebError(426, "This is the address of a WebSocket"))
            refusal.headers.append("Upgrade", "websocket")
            refusal.headers.append("Sec-WebSocket-Version", "13")
            return try await send(&refusal, to: request)
        }
        var response = response
        // With the spelling that stock clients compare (Replication 1.2).
        response.headers.append("Connection", "Upgrade")
        response.headers.append("Upgrade", "websocket")
        response.headers.append("Sec-WebSocket-Accept", WebSocketHandshake.accept(for: key))
        if let subprotocol = acceptance.subprotocol { response.headers.append("Sec-WebSocket-Protocol", subprotocol) }
        let head = response
        request.body.releaseMemory()
        try await onLoop { connection in
            guard connection.write(head: head, length: 0, isWebSocket: true) else { return }
            try connection.becomeWebSocket(acceptance)
        }
    }

    private func begin(_ response: WebResponse, length: Int?) async throws -> Bool {
        try await onLoop { $0.write(head: response, length: length) }
    }

    /// Writes a part of a streamed body.
    ///
    /// - Throws: ``WebError`` 503 if responses take too much memory. The head has been sent, so the connection is closed.
    private func writeReserved(_ bytes: [UInt8], of request: WebRequest) async throws {
        guard let memory = self.memory(of: bytes, request) else { throw WebError.tooManyLargeResponses }
        defer { withExtendedLifetime(memory) {} }
        try await write(parts: bytes)
    }

    private func write(parts bytes: [UInt8]) async throws {
        guard bytes.count > Self.partSize else { return try await write(bytes) }
        for start in stride(from: 0, to: bytes.count, by: Self.partSize) {
            try await write(Array(bytes[start..<min(start + Self.partSize, bytes.count)]))
        }
    }

    /// Reserves the memory of a part of a response; `nil` if there is not enough. Small parts are not counted: the number of connections limits
    /// them.
    ///
    /// - Parameter isCounted: Whether the memory is counted already.
    private func memory(of bytes: [UInt8], _ request: WebRequest, isCounted: Bool = false) -> ReservedMemory? {
        shared.responseBudget.reserve(isCounted || bytes.count <= Self.partSize ? 0 : bytes.count, for: request.body.owner)
    }

    private func write(_ bytes: [UInt8]) async throws {
        let connection = connection
        let written = connection.eventLoop.flatSubmit {
            connection.value.write(bytes) ?? connection.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }
        try await written.get()
    }

    private func onLoop<Result: Sendable>(_ work: @escaping @Sendable (WebConnection) throws -> Result) async throws -> Result {
        let connection = connection
        return try await connection.eventLoop.submit { try work(connection.value) }.get()
    }
}
#endif
