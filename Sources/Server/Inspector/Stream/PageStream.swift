#if Replication
import Base
import Fleece
import QueryEngine
import SyncCore
import Transport
import WebServer

/// A WebSocket of a page. The first message of the page names what it shows; then the inspector sends this, now and whenever it changes.
///
/// A browser opens at most six connections of HTTP/1.1 to a server, for all its pages together, so streams of other kinds would block the
/// seventh page. WebSockets are not counted.
struct PageStream: Sendable {
    let databases: [InspectedDatabase]
    /// The database of the page; `nil` for the list of databases.
    let database: InspectedDatabase?
    /// The users of the databases; `nil` if they have none.
    let users: InspectedUsers?
    let streams: PageStreams
    let access: InspectorAccess
    let session: String

    /// A page that does not read does not respond to pings either, and its stream is closed.
    private static var options: WebSocketOptions {
        var options = WebSocketOptions()
        options.firstMessageTimeout = 15
        options.heartbeat = 20
        // As large as the body of a call.
        options.maximumMessageBytes = 1 << 20
        options.sendsText = true
        return options
    }

    /// The response that accepts the WebSocket. A request for something else receives an error.
    var response: WebResponse { .textSocket(options: Self.options) { await run(on: $0) } }

    private func run(on socket: TextSocket) async {
        // Given back when the page has closed, does not read, or sends no first message.
        guard let permit = streams.open(for: session) else {
            return await end(socket, APIError(.busy, "too many pages are open: close one of them"))
        }
        defer { withExtendedLifetime(permit) {} }
        guard let message = await socket.firstMessage() else { return }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await send(topic(message), on: socket) }
                group.addTask { await socket.closed() }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch is TextSocket.Closed, is CancellationError {
            // The page has closed.
        } catch {
            await end(socket, APIError(error))
        }
    }

    /// Sends an error as the last message. The page may try again later, unless its request was wrong.
    private func end(_ socket: TextSocket, _ error: APIError) async {
        try? await socket.send(JSONWriter.text(of: error.value))
        let isWrong = [.badRequest, .unauthorized].contains(error.reason)
        socket.close(code: (isWrong ? CloseCode.noRetry : .retry).rawValue, reason: "")
    }

    private func topic(_ message: [UInt8]) throws -> any StreamTopic {
        let request = try JSONObject(message)
        let name = try request.required("topic")
        if name == "databases" { return DatabasesTopic(databases) }
        if name == "users" {
            guard let users else { throw APIError(.badRequest, "these databases have no users") }
            return UsersTopic(users)
        }
        guard let database else { throw APIError(.notFound, "there is no such database") }
        // Numbers of JavaScript are exact up to there.
        let last = UInt64(try request.number("after", in: 0...0x1F_FFFF_FFFF_FFFF, default: 0))
        switch name {
        case "counters": return CountersTopic(database)
        case "log": return LogTopic(database.log, after: Int(clamping: last))
        case "documents": return DocumentsTopic(database, try database.collection(named: request.required("collection")), after: last)
        case "query": return try QueryTopic(request, of: database)
        default: throw APIError(.badRequest, "there is no topic \"\(name)\"")
        }
    }

    /// Sends the messages of a topic until the page closes. After each message it rests as a live query does, so that a page takes a small part
    /// of the processor's time while very much changes; a change after the rest is sent at once.
    private func send(_ topic: any StreamTopic, on socket: TextSocket) async throws {
        var topic = topic
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try topic.observe { continuation.yield() }
        var iterator = changes.makeAsyncIterator()
        repeat {
            guard access.isOpen(session) else { throw APIError(.unauthorized, "other browsers have been given access instead") }
            let start = ContinuousClock.now
            let message = try topic.next().map { JSONWriter.text(of: $0) }
            let duration = Int64((ContinuousClock.now - start) / .milliseconds(1))
            if let message { try await socket.send(message) }
            try await Task.sleep(for: .milliseconds(RunPacing.rest(after: duration)))
        } while await iterator.next() != nil
    }
}
#endif
