package import SyncCore

/// The message layer of one connection (Replication 2): converts requests and responses to frames, and frames to requests and responses.
///
/// It does no I/O and reads no clock. Its owner passes it the received frames, fetches the frames to send while the channel is writable,
/// and handles the events.
package struct BLIPConnection: ~Copyable {
    let options: BLIPOptions
    var encoder: FrameEncoder
    var decoder: FrameDecoder
    /// Whether the peer has violated a rule: everything it sends from then on is ignored.
    var hasFailed = false
    private var isEnded = false

    /// The queued acknowledgements, which are sent before everything else.
    var acknowledgements: [Acknowledgement] = []
    /// Acknowledgements of requests, by number, that are delayed so that the peer sends other requests first.
    var delayedAcknowledgements: [UInt64: Acknowledgement] = [:]
    var outbox = Outbox()
    /// The messages that have sent a frame, but not the last, by ``transferKey(_:isResponse:)``.
    var unfinishedOutgoing: [UInt64: OutgoingTransfer] = [:]
    /// The requests that were sent completely and await a response, by number.
    var awaited: [UInt64: AwaitedReply] = [:]
    /// The incomplete requests, by number.
    var unfinishedRequests: [UInt64: IncomingTransfer] = [:]
    /// The complete requests that wait for earlier ones of the same profile.
    var requestOrder = RequestOrder()
    /// The numbers of complete requests that have to be answered.
    var unanswered: Set<UInt64> = []
    var lastIncomingRequest: UInt64 = 0
    /// The number of responses that were not sent completely.
    private(set) var queuedResponseCount = 0
    /// The memory used by these responses, in bytes, without the contents of streams.
    private var queuedAnswerSize = 0
    /// Whether so many answers are queued that the peer has to receive some before more of its requests are handled: from
    /// ``BLIPOptions/maximumQueuedAnswerSize`` on, until half of it.
    package private(set) var isCongested = false

    private var lastToken = 0
    private var lastOutgoingRequest: UInt64 = 0
    /// Whether the memory account includes the compressor, which the connection keeps once it was used.
    private var hasReservedDeflater = false
    /// A reusable buffer for the properties of the next message.
    private var headBuffer: [UInt8] = []

    /// The memory used by incomplete messages, in bytes.
    package internal(set) var unfinishedByteCount = 0
    /// The number of received frames that left a message incomplete.
    package internal(set) var unfinishedFrameCount = 0
    /// The number of body bytes in memory that are queued for sending.
    package private(set) var queuedByteCount = 0
    /// What was sent and received since the connection began.
    package internal(set) var statistics = BLIPStatistics()
    /// The account for all memory of the connection, also for that which requests keep after they were delivered.
    package let memory: MemoryAccount

    /// A request that was sent completely, and its response so far.
    struct AwaitedReply {
        let token: RequestToken
        let isStreamed: Bool
        var transfer: IncomingTransfer?
    }

    /// Creates a connection that has neither sent nor received anything.
    package init(options: BLIPOptions = BLIPOptions()) {
        self.options = options
        memory = MemoryAccount(options.memoryBudget, limit: options.maximumMemory)
        encoder = FrameEncoder(compression: CompressionPolicy(highestLevel: options.compressionLevel))
        decoder = FrameDecoder(inflatedLimit: options.maximumInflatedFrameSize)
    }

    /// Whether ``nextFrame()`` returns a frame.
    package var hasFrames: Bool { !acknowledgements.isEmpty || !outbox.isEmpty }

    /// Whether a request of the peer has begun to arrive and is not complete.
    package var isReceivingRequest: Bool { !unfinishedRequests.isEmpty }

    /// Whether a message of the peer has begun to arrive, is not complete, and is kept in memory until then.
    package var isReceivingMessage: Bool { isReceivingRequest || unfinishedByteCount > 0 }

    /// The number of requests of the peer that are not answered yet.
    package var unansweredCount: Int { unanswered.count }

    /// Queues a request. It gets its number with its first frame (Replication 2.1).
    ///
    /// Unless the request must not be answered, one last event follows for the token: ``BLIPEvent/reply(_:_:)``, or
    /// ``BLIPEvent/disconnected(_:)`` from ``disconnect()``. After ``disconnect()``, nothing is sent and no event follows.
    ///
    /// - Parameter streamsReply: Whether the body of the response is delivered in parts, as ``BLIPEvent/replyPart(_:_:)``.
    @discardableResult
    package mutating func send(_ request: OutgoingMessage, streamsReply: Bool = false) -> RequestToken {
        lastToken += 1
        let token = RequestToken(value: lastToken)
        enqueue(
            OutgoingTransfer(request, type: .request, token: token, isUrgent: request.isUrgent, streamsReply: streamsReply, memory: memory)
        )
        return token
    }

    /// Answers a request, with the urgency of the request. Sends nothing if the request must not be answered, or was already answered.
    package mutating func respond(to request: IncomingRequest, with response: OutgoingMessage) { respond(to: request, response, .response) }

    /// Answers a request with an error (Replication 2.9).
    package mutating func respond(to request: IncomingRequest, error: SyncError) {
        respond(to: request, OutgoingMessage(reporting: error), .error)
    }

    private mutating func respond(to request: IncomingRequest, _ response: OutgoingMessage, _ type: MessageType) {
        guard !request.isNoReply, unanswered.remove(request.number) != nil else { return }
        enqueue(OutgoingTransfer(response, type: type, number: request.number, isUrgent: request.isUrgent, memory: memory))
    }

    private mutating func enqueue(_ transfer: OutgoingTransfer) {
        guard !isEnded else { return }
        queuedByteCount += transfer.loadedByteCount
        if transfer.type != .request {
            queuedResponseCount += 1
            queuedAnswerSize += transfer.answerCost
            if queuedAnswerSize >= options.maximumQueuedAnswerSize { isCongested = true }
        }
        outbox.enqueue(transfer)
    }

    private mutating func noteSent(_ response: OutgoingTransfer) {
        queuedResponseCount -= 1
        queuedAnswerSize -= response.answerCost
        if queuedAnswerSize <= options.maximumQueuedAnswerSize / 2 { isCongested = false }
    }

    /// Returns the next frame to send, if there is one. Must be called only while the channel has room.
    package mutating func nextFrame() -> [UInt8]? {
        if !delayedAcknowledgements.isEmpty { releaseAcknowledgements() }
        if !acknowledgements.isEmpty { return acknowledgements.removeFirst().frame }
        guard let transfer = outbox.removeFirst() else { return nil }
        let loaded = transfer.loadedByteCount
        if !transfer.hasBegun {
            if transfer.type == .request { lastOutgoingRequest += 1 }
            let number = transfer.type == .request ? lastOutgoingRequest : transfer.number
            transfer.begin(number: number, compresses: encoder.compression.compresses, buffer: &headBuffer)
            if transfer.isCompressed { transfer.isCompressed = reserveDeflater() }
        }
        let limit = transfer.isUrgent || !outbox.isUrgentNext ? FrameLimits.frameSize : FrameLimits.smallFrameSize
        let frame = transfer.nextFrame(&encoder, limit: limit, recycling: &headBuffer)
        queuedByteCount += transfer.loadedByteCount - loaded
        statistics.sentFrames += 1
        statistics.sentBytes += frame.count

        let key = Self.transferKey(transfer.number, isResponse: transfer.type != .request)
        if transfer.isComplete {
            unfinishedOutgoing[key] = nil
            outbox.noteComplete(transfer)
            if transfer.type != .request { noteSent(transfer) }
            if let token = transfer.token, !transfer.isNoReply {
                awaited[transfer.number] = AwaitedReply(token: token, isStreamed: transfer.streamsReply)
            }
        } else {
            unfinishedOutgoing[key] = transfer
            if transfer.isWindowFull {
                transfer.awaitsAcknowledgement = true
            } else {
                outbox.enqueue(transfer)
            }
        }
        return frame
    }

    /// Reserves memory for the compressor. Returns whether messages can be compressed: without memory they are sent as they are.
    private mutating func reserveDeflater() -> Bool {
        if !hasReservedDeflater { hasReservedDeflater = (try? memory.reserve(Deflater.memorySize, isOptional: true)) != nil }
        return hasReservedDeflater
    }

    /// Notes that the channel accepted the last frame and is full. For some time, frames are then compressed as much as the options allow,
    /// instead of at a fast level.
    package mutating func noteChannelIsFull() { encoder.compression.noteChannelIsFull() }

    /// Ends the connection, and returns the last events of the requests that await an answer, in the order of ``send(_:streamsReply:)``.
    package mutating func disconnect() -> [BLIPEvent] {
        hasFailed = true
        isEnded = true
        let unsent = outbox.transfers + unfinishedOutgoing.values.filter(\.awaitsAcknowledgement)
        let tokens = awaited.values.map(\.token) + unsent.filter { !$0.isNoReply }.compactMap(\.token)
        outbox = Outbox()
        acknowledgements = []
        delayedAcknowledgements = [:]
        unfinishedOutgoing = [:]
        awaited = [:]
        unfinishedRequests = [:]
        requestOrder = RequestOrder()
        unanswered = []
        queuedByteCount = 0
        queuedResponseCount = 0
        queuedAnswerSize = 0
        isCongested = false
        unfinishedByteCount = 0
        return tokens.sorted { $0.value < $1.value }.map { .disconnected($0) }
    }

    static func transferKey(_ number: UInt64, isResponse: Bool) -> UInt64 { number &<< 1 | (isResponse ? 1 : 0) }
}

/// Frame and byte counts of a connection.
package struct BLIPStatistics: Sendable {
    /// Frames with a checksum, and their bytes.
    package var sentFrames = 0
    /// The bytes of the sent frames.
    package var sentBytes = 0
    /// The frames that the peer has sent, with a checksum.
    package var receivedFrames = 0
    /// The bytes of the received frames.
    package var receivedBytes = 0
}

/// What a connection has received.
package enum BLIPEvent: Sendable {
    /// A complete request was received.
    case request(IncomingRequest)
    /// A complete response was received. For a streamed response it follows the parts, with an empty body.
    case reply(RequestToken, IncomingReply)
    /// A part of the body of a streamed response was received.
    case replyPart(RequestToken, [UInt8])
    /// The connection ended before the response was received.
    case disconnected(RequestToken)
}
