package import SyncCore

/// One connection's message layer (Replication 2): requests and responses become frames, and frames become requests and responses.
///
/// It does no I/O and reads no clock. Whoever owns it hands it the frames that arrive, takes the frames to send while the channel is
/// writable, and acts on the events.
///
/// It is sendable since it is not copyable, and what it refers to (`OutgoingTransfer`) never leaves it: all of it has one owner.
package struct BLIPConnection: ~Copyable, @unchecked Sendable {
    let options: BLIPOptions
    var encoder: FrameEncoder
    var decoder: FrameDecoder
    /// The peer has broken a rule: what it sends further is ignored.
    var hasFailed = false
    private var isEnded = false

    /// Acknowledgements go before everything else.
    var acknowledgements: [Acknowledgement] = []
    /// Those of requests, by number, that are kept back so that the peer sends others first.
    var withheld: [UInt64: Acknowledgement] = [:]
    var outbox = Outbox()
    /// The messages that have sent a frame, but not the last, by ``transferKey(_:_:)``.
    var unfinishedOutgoing: [UInt64: OutgoingTransfer] = [:]
    /// The requests that were sent whole and await a response, by number.
    var awaited: [UInt64: AwaitedReply] = [:]
    /// Requests that are not complete yet, by number.
    var unfinishedRequests: [UInt64: IncomingTransfer] = [:]
    /// Requests that are complete and have to be answered.
    var unanswered: Set<UInt64> = []
    var lastIncomingRequest: UInt64 = 0
    /// Responses that have not been sent whole.
    private(set) var queuedResponseCount = 0
    /// What they take in memory, but for streams.
    private var queuedAnswerSize = 0
    /// Whether they have been so many that no more requests are to be handled for a while.
    private var hasTooManyAnswers = false

    private var lastToken = 0
    private var lastOutgoingRequest: UInt64 = 0
    /// Memory for the properties of the message that begins next.
    private var headBuffer: [UInt8] = []

    /// What messages that have begun to arrive, and not ended, take in memory, in bytes.
    package internal(set) var unfinishedByteCount = 0
    /// The body bytes in memory that wait to be sent.
    package private(set) var queuedByteCount = 0
    package internal(set) var statistics = BLIPStatistics()
    /// What the connection holds in memory.
    package let memory: MemoryAccount

    /// A request that was sent whole, and its response as far as it has come.
    struct AwaitedReply {
        let token: RequestToken
        let isStreamed: Bool
        var transfer: IncomingTransfer?
    }

    package init(options: BLIPOptions = BLIPOptions()) {
        self.options = options
        memory = MemoryAccount(options.memoryBudget, limit: options.maximumMemory)
        encoder = FrameEncoder(compression: CompressionPolicy(highestLevel: options.compressionLevel))
        decoder = FrameDecoder(inflatedLimit: options.maximumInflatedFrameSize)
    }

    /// Whether ``nextFrame()`` has one.
    package var hasFrames: Bool { !acknowledgements.isEmpty || !outbox.isEmpty }

    /// Whether so many answers wait to be sent that the peer is to take some before more of its requests are handled: from
    /// ``BLIPOptions/maximumQueuedAnswerSize`` on, until half of it.
    package var isCongested: Bool { hasTooManyAnswers }

    /// How many messages wait to be sent, or have begun.
    package var queuedMessageCount: Int { outbox.count + unfinishedOutgoing.values.count { $0.isParked } }

    /// How many requests of the peer's have not been answered yet.
    package var unansweredCount: Int { unanswered.count }

    /// How many requests were sent whole and await a response.
    package var awaitedCount: Int { awaited.count }

    /// Puts a request in line. It gets its number with its first frame (Replication 2.1).
    ///
    /// Unless it is not to be answered, one last event follows for the token: ``BLIPEvent/reply(_:_:)``, or
    /// ``BLIPEvent/disconnected(_:)`` from ``disconnect()``. After that, nothing is sent and no event follows.
    ///
    /// - Parameter streamsReply: Whether the body of the response comes in parts, as ``BLIPEvent/replyPart(_:_:)``.
    @discardableResult
    package mutating func send(_ request: OutgoingMessage, streamsReply: Bool = false) -> RequestToken {
        lastToken += 1
        let token = RequestToken(lastToken)
        enqueue(
            OutgoingTransfer(request, type: .request, token: token, isUrgent: request.isUrgent, streamsReply: streamsReply, memory: memory)
        )
        return token
    }

    /// Answers a request, as urgently as it was asked. Nothing is sent if it must not be answered, or has been.
    package mutating func respond(to request: IncomingRequest, with response: OutgoingMessage) {
        respond(to: request, with: response, type: .response)
    }

    /// Answers a request with an error (Replication 2.9).
    package mutating func respond(to request: IncomingRequest, error: SyncError) {
        respond(to: request, with: OutgoingMessage(reporting: error), type: .error)
    }

    private mutating func respond(to request: IncomingRequest, with response: OutgoingMessage, type: MessageType) {
        guard !request.isNoReply, unanswered.remove(request.number) != nil else { return }
        enqueue(OutgoingTransfer(response, type: type, number: request.number, isUrgent: request.isUrgent, memory: memory))
    }

    private mutating func enqueue(_ transfer: OutgoingTransfer) {
        guard !isEnded else { return }
        queuedByteCount += transfer.loadedByteCount
        if transfer.type != .request {
            queuedResponseCount += 1
            queuedAnswerSize += transfer.answerCost
            if queuedAnswerSize >= options.maximumQueuedAnswerSize { hasTooManyAnswers = true }
        }
        outbox.enqueue(transfer)
    }

    /// A response has been sent whole.
    private mutating func noteSent(_ response: OutgoingTransfer) {
        queuedResponseCount -= 1
        queuedAnswerSize -= response.answerCost
        if queuedAnswerSize <= options.maximumQueuedAnswerSize / 2 { hasTooManyAnswers = false }
    }

    /// The next frame to send, if there is one; to be called while the channel has room.
    package mutating func nextFrame() -> [UInt8]? {
        if !withheld.isEmpty { releaseAcknowledgements() }
        if !acknowledgements.isEmpty { return acknowledgements.removeFirst().frame }
        guard let transfer = outbox.removeFirst() else { return nil }
        let loaded = transfer.loadedByteCount
        if !transfer.hasBegun {
            if transfer.type == .request { lastOutgoingRequest += 1 }
            transfer.begin(
                number: transfer.type == .request ? lastOutgoingRequest : transfer.number,
                compresses: encoder.compression.compresses,
                buffer: &headBuffer
            )
        }
        let mayBeLong = transfer.isUrgent || !outbox.isUrgentNext
        let frame = transfer.nextFrame(
            &encoder,
            limit: mayBeLong ? FrameLimits.frameSize : FrameLimits.smallFrameSize,
            recycling: &headBuffer
        )
        queuedByteCount += transfer.loadedByteCount - loaded
        statistics.sentFrames += 1
        statistics.sentBytes += frame.count

        let key = Self.transferKey(transfer.number, isResponse: transfer.type != .request)
        if transfer.isComplete {
            unfinishedOutgoing[key] = nil
            if transfer.type != .request { noteSent(transfer) }
            if let token = transfer.token, !transfer.isNoReply {
                awaited[transfer.number] = AwaitedReply(token: token, isStreamed: transfer.streamsReply)
            }
        } else {
            unfinishedOutgoing[key] = transfer
            if transfer.isWindowFull {
                transfer.isParked = true
            } else {
                outbox.enqueue(transfer)
            }
        }
        return frame
    }

    /// Says that the channel took the last frame and has no room for another: until some time later, frames are compressed as much
    /// as the options allow, else only as far as it costs little time.
    package mutating func noteChannelIsFull() {
        encoder.compression.noteChannelIsFull()
    }

    /// Ends everything, and returns the last events of the requests that await an answer, in the order of ``send(_:streamsReply:)``.
    package mutating func disconnect() -> [BLIPEvent] {
        hasFailed = true
        isEnded = true
        var tokens = awaited.values.map(\.token)
        tokens += (outbox.transfers + unfinishedOutgoing.values.filter(\.isParked))
            .filter { !$0.isNoReply }.compactMap(\.token)
        outbox = Outbox()
        acknowledgements = []
        withheld = [:]
        unfinishedOutgoing = [:]
        awaited = [:]
        unfinishedRequests = [:]
        unanswered = []
        queuedByteCount = 0
        queuedResponseCount = 0
        queuedAnswerSize = 0
        hasTooManyAnswers = false
        unfinishedByteCount = 0
        return tokens.sorted { $0.value < $1.value }.map { .disconnected($0) }
    }

    static func transferKey(_ number: UInt64, isResponse: Bool) -> UInt64 {
        number &<< 1 | (isResponse ? 1 : 0)
    }
}

/// What has gone through a connection.
package struct BLIPStatistics: Sendable {
    /// Frames with a checksum, and their bytes.
    package var sentFrames = 0
    package var sentBytes = 0
    package var receivedFrames = 0
    package var receivedBytes = 0
}
