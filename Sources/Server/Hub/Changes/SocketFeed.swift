#if Replication
import SyncCore
import Transport
import WebServer

/// Responds to `_changes?feed=websocket`: the client's first message contains the options as a JSON object; then each message of the hub is
/// an array of changes, as in Sync Gateway.
struct SocketFeed: Sendable {
    private let options: ChangesRequest
    private let feeds: SocketFeeds
    private let feed: @Sendable (ChangesRequest) -> ChangesFeed

    /// - Parameters:
    ///   - options: The options in the URL.
    ///   - feeds: The WebSockets that are told when the hub stops.
    ///   - feed: Returns the feed for the options of the URL and of the first message together.
    init(_ options: ChangesRequest, _ feeds: SocketFeeds, _ feed: @escaping @Sendable (ChangesRequest) -> ChangesFeed) {
        (self.options, self.feeds, self.feed) = (options, feeds, feed)
    }

    /// - Throws: ``WebError`` 400 if the request does not ask for a WebSocket.
    func response(to request: WebRequest) throws -> WebResponse {
        guard request.method == "GET", request.isWebSocketUpgrade else {
            throw HubError.badRequest("The feed websocket requires a WebSocket")
        }
        var webSocket = WebSocketOptions()
        webSocket.firstMessageTimeout = 15
        webSocket.heartbeat = 60
        // As large as the body of a request for changes may be.
        webSocket.maximumMessageBytes = 1 << 20
        webSocket.sendsText = true
        // Ends when the feed ends or the client closes; the server closes all WebSockets when it stops.
        return .textSocket(options: webSocket) { socket in await feeds.with(socket) { await run(on: socket) } }
    }

    private func run(on socket: TextSocket) async {
        guard let message = await socket.firstMessage() else { return }
        // As for any text (RFC 6455, 8.1), also in a binary message.
        guard String(validating: message, as: UTF8.self) != nil else {
            return socket.close(code: CloseCode.invalidText.rawValue, reason: "The options are not UTF-8")
        }
        do {
            let feed = try self.feed(options.adding(message))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await feed.run(on: socket) }
                group.addTask { await socket.closed() }
                defer { group.cancelAll() }
                try await group.next()
            }
            socket.close(code: CloseCode.normal.rawValue, reason: "")
        } catch is TextSocket.Closed, is CancellationError {
            // The client has closed.
        } catch {
            let error = HubError.of(error)
            socket.close(code: Self.closeCode(of: error).rawValue, reason: error.reason)
        }
    }

    /// Returns the code for an error that would be a response otherwise: whether the client is to connect again, or not with the same request.
    static func closeCode(of error: WebError) -> CloseCode {
        switch error.status {
        case 503: .retry
        case 500...: .internalError
        default: .policyViolation
        }
    }
}
#endif
