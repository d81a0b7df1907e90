import SyncCore

@testable import BLIP

/// A connection in an object, so that expectations can access it, with the events that it has reported.
final class Peer {
    private var connection: BLIPConnection
    private(set) var requests: [IncomingRequest] = []
    private(set) var replies: [RequestToken: IncomingReply] = [:]
    private(set) var parts: [RequestToken: [[UInt8]]] = [:]
    private(set) var disconnected: [RequestToken] = []

    init(_ options: BLIPOptions = BLIPOptions()) {
        connection = BLIPConnection(options: options)
    }

    var hasFrames: Bool { connection.hasFrames }
    var queuedByteCount: Int { connection.queuedByteCount }
    /// The number of messages that are queued, or have been sent partly.
    var queuedMessageCount: Int { connection.outbox.count + connection.unfinishedOutgoing.values.count { $0.awaitsAcknowledgement } }
    var unansweredCount: Int { connection.unansweredCount }
    /// The number of requests that were sent completely and await a response.
    var awaitedCount: Int { connection.awaited.count }
    var unfinishedByteCount: Int { connection.unfinishedByteCount }
    var statistics: BLIPStatistics { connection.statistics }

    /// Handles the received requests.
    func forgetRequests() {
        requests = []
    }

    @discardableResult
    func send(_ request: OutgoingMessage, streamsReply: Bool = false) -> RequestToken {
        connection.send(request, streamsReply: streamsReply)
    }

    func respond(to request: IncomingRequest, with response: OutgoingMessage) {
        connection.respond(to: request, with: response)
    }

    func respond(to request: IncomingRequest, error: SyncError) {
        connection.respond(to: request, error: error)
    }

    func noteChannelIsFull() {
        connection.noteChannelIsFull()
    }

    func nextFrame() -> [UInt8]? {
        connection.nextFrame()
    }

    /// Returns all queued frames.
    func frames() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let frame = nextFrame() { frames.append(frame) }
        return frames
    }

    /// Receives a frame and returns the requests that it completes.
    @discardableResult
    func receive(_ frame: [UInt8]) throws(BLIPError) -> [IncomingRequest] {
        let before = requests.count
        note(try connection.receive(frame))
        return Array(requests[before...])
    }

    func disconnect() {
        note(connection.disconnect())
    }

    private func note(_ events: [BLIPEvent]) {
        for event in events {
            switch event {
            case .request(let request): requests.append(request)
            case .reply(let token, let reply): replies[token] = reply
            case .replyPart(let token, let part): parts[token, default: []].append(part)
            case .disconnected(let token): disconnected.append(token)
            }
        }
    }
}

/// Transfers all frames in both directions until none is queued.
func exchange(_ one: Peer, _ other: Peer) throws {
    while one.hasFrames || other.hasFrames {
        if let frame = one.nextFrame() { try other.receive(frame) }
        if let frame = other.nextFrame() { try one.receive(frame) }
    }
}

/// The number and the flags of a frame.
func header(of frame: [UInt8]) -> (number: UInt64, flags: UInt8) {
    var number: UInt64 = 0
    var index = 0
    while frame[index] >= 0x80 {
        number |= UInt64(frame[index] & 0x7F) << UInt64(7 * index)
        index += 1
    }
    number |= UInt64(frame[index]) << UInt64(7 * index)
    return (number, frame[index + 1])
}
