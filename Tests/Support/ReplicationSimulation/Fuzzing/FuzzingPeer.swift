import BLIP
import Replication
import SyncCore

/// The peer of a fuzzed session.
final class FuzzingPeer {
    private var connection = BLIPConnection()
    private let end: SimulatedLink.End
    private var requests: [IncomingRequest] = []
    private(set) var errorCount = 0

    init(on end: SimulatedLink.End) {
        self.end = end
        end.open { [unowned self] event in
            guard case .frame(let frame) = event else { return }
            for event in (try? connection.receive(frame)) ?? [] {
                switch event {
                case .request(let request): requests.append(request)
                case .reply(_, let reply): if reply.error != nil { errorCount += 1 }
                case .replyPart, .disconnected: break
                }
            }
            sendFrames()
        }
    }

    func drainRequests() -> [IncomingRequest] {
        defer { requests.removeAll() }
        return requests
    }

    /// Removes and returns the oldest pending request.
    func dequeueRequest() -> IncomingRequest? {
        requests.isEmpty ? nil : requests.removeFirst()
    }

    func send(_ request: OutgoingMessage) {
        connection.send(request)
        sendFrames()
    }

    /// - Parameter response: The response; `nil` sends an error.
    func answer(_ request: IncomingRequest, with response: OutgoingMessage?) {
        guard let response else {
            return answer(request, error: SyncError(.http, [403, 404, 409, 422, 500][Int(request.number % 5)], "no"))
        }
        guard !request.isNoReply else { return }
        connection.respond(to: request, with: response)
        sendFrames()
    }

    func answer(_ request: IncomingRequest, error: SyncError) {
        guard !request.isNoReply else { return }
        connection.respond(to: request, error: error)
        sendFrames()
    }

    private func sendFrames() {
        while let frame = connection.nextFrame() { end.send(frame) }
    }
}
