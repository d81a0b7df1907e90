#if Replication
import BLIP
import SyncCore
import Transport

/// A client that sends single messages of the replication protocol to the database `db` of a hub.
final class MessageClient {
    /// The connection has ended.
    struct Ended: Error {}

    private var connection = BLIPConnection()
    private let channel: WebSocketClientChannel
    private var events: AsyncStream<FrameChannelEvent>.Iterator
    /// The requests of the hub so far. They are not answered, except for those for attachments if there are ``contents``.
    private(set) var requests: [IncomingRequest] = []
    /// The contents of attachments by their digests; `nil` to leave requests for them without an answer.
    var contents: [String: [UInt8]]?

    init(port: Int, user: String) async throws {
        let url = try EndpointURL(endpoint: "ws://127.0.0.1:\(port)/db").effective
        var configuration = ClientConfiguration(url: url, subprotocols: ["BLIP_3+CBMobile_3"])
        configuration.authentication = .basic(BasicCredentials(username: user, password: "secret"))
        // Host names are looked up on queues that all tests share, which may take long.
        configuration.connectTimeout = 300
        channel = WebSocketClientChannel(configuration)
        let (stream, continuation) = AsyncStream.makeStream(of: FrameChannelEvent.self)
        events = stream.makeAsyncIterator()
        channel.open { event in
            continuation.yield(event)
            if case .closed = event { continuation.finish() }
        }
        guard case .opened = await events.next() else { throw Ended() }
    }

    deinit { channel.cancel() }

    /// Sends a request, and returns the response.
    func ask(_ profile: String, _ properties: [(name: String, value: String)], _ body: String = "") async throws -> IncomingReply {
        let all = [(name: "Profile", value: profile)] + properties
        let token = connection.send(OutgoingMessage(Properties(pairs: all), body: Array(body.utf8)))
        while true {
            while let frame = connection.nextFrame() { channel.send(frame) }
            guard let event = await events.next() else { throw Ended() }
            guard case .frame(let frame) = event else { continue }
            for event in try connection.receive(frame) {
                switch event {
                case .reply(token, let reply): return reply
                case .request(let request):
                    requests.append(request)
                    answer(request)
                default: break
                }
            }
        }
    }

    private func answer(_ request: IncomingRequest) {
        guard let contents, request.profile == "getAttachment" || request.profile == "proveAttachment" else { return }
        if request.profile == "getAttachment", let content = contents[request.properties["digest"] ?? ""] {
            connection.respond(to: request, with: OutgoingMessage(body: content))
        } else {
            connection.respond(to: request, error: SyncError(.http, 404, "none"))
        }
    }
}
#endif
