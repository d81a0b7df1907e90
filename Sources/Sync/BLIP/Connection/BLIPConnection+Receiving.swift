import Base
import SyncCore

extension BLIPConnection {
    /// Handles a frame from the peer, and returns the events that it completes.
    ///
    /// An error ends the connection: it must be closed with the code of the error, and further frames are ignored. ``disconnect()`` returns
    /// the last events of awaited responses.
    package mutating func receive(_ frame: [UInt8]) throws(BLIPError) -> [BLIPEvent] {
        guard !hasFailed else { return [] }
        do throws(BLIPError) {
            return try receiveValid(frame)
        } catch {
            hasFailed = true
            throw error
        }
    }

    private mutating func receiveValid(_ frame: [UInt8]) throws(BLIPError) -> [BLIPEvent] {
        var content = frame[...]
        let (number, flags) = try FrameDecoder.header(of: &content)
        switch flags.type {
        case nil: return []
        case .requestAcknowledgement, .responseAcknowledgement:
            try receiveAcknowledgement(number, isResponse: flags.type == .responseAcknowledgement, content)
            return []
        case .request, .response, .error:
            statistics.receivedFrames += 1
            statistics.receivedBytes += frame.count
            return flags.type == .request ? try receiveRequest(number, flags, content) : try receiveReply(number, flags, content)
        }
    }

    private mutating func receiveAcknowledgement(_ number: UInt64, isResponse: Bool, _ content: ArraySlice<UInt8>) throws(BLIPError) {
        var index = content.startIndex
        guard let byteCount = Varint.read(content, at: &index) else { throw .badHeader }
        // Ignored if the message is complete or never existed.
        guard let transfer = unfinishedOutgoing[Self.transferKey(number, isResponse: isResponse)] else { return }
        transfer.acknowledge(byteCount)
        if transfer.awaitsAcknowledgement, !transfer.isWindowFull {
            transfer.awaitsAcknowledgement = false
            outbox.enqueue(transfer)
        }
    }

    private mutating func receiveRequest(_ number: UInt64, _ flags: FrameFlags, _ content: ArraySlice<UInt8>) throws(BLIPError)
        -> [BLIPEvent]
    {
        var transfer: IncomingTransfer
        if number == lastIncomingRequest &+ 1 {
            lastIncomingRequest = number
            transfer = try IncomingTransfer(type: .request, flags: flags, memory)
        } else if let unfinished = unfinishedRequests.removeValue(forKey: number) {
            transfer = unfinished
        } else if number > lastIncomingRequest || number == 0 {
            throw .requestOutOfSequence(number: number, expected: lastIncomingRequest &+ 1)
        } else {
            throw .requestAlreadyComplete(number: number)
        }
        try add(content, of: number, flags, to: &transfer)
        if flags.contains(.moreComing) {
            unfinishedFrameCount += 1
            unfinishedRequests[number] = transfer
            guard unfinishedRequests.count <= options.maximumUnfinishedRequests else {
                throw .tooManyUnfinishedRequests(limit: options.maximumUnfinishedRequests)
            }
            return dequeueOrderedRequests()
        }
        delayedAcknowledgements[number] = nil
        let isNoReply = transfer.flags.contains(.noReply)
        if !isNoReply {
            unanswered.insert(number)
            guard unanswered.count + queuedResponseCount <= options.maximumOpenRequests else {
                throw .tooManyOpenRequests(limit: options.maximumOpenRequests)
            }
        }
        let request = IncomingRequest(
            number: number,
            properties: try transfer.completeProperties(number),
            body: transfer.drainBody(),
            isUrgent: transfer.flags.contains(.urgent),
            isNoReply: isNoReply,
            isTooLarge: transfer.isTooLarge,
            reservation: transfer.reservation
        )
        if options.mayBeOrdered(request.properties) {
            requestOrder.add(request)
            return dequeueOrderedRequests()
        }
        return requestOrder.isEmpty ? [.request(request)] : [.request(request)] + dequeueOrderedRequests()
    }

    /// Returns the ordered requests before the first one that is incomplete. Another request may be it until its properties are complete.
    private mutating func dequeueOrderedRequests() -> [BLIPEvent] {
        guard !requestOrder.isEmpty else { return [] }
        // As long as the request that blocks them is incomplete, the others need not be searched with each frame. New ones come after it.
        if let blocker = requestOrder.blocker, let first = unfinishedRequests[blocker], options.mayBeOrdered(first.properties) { return [] }
        let incomplete = unfinishedRequests.lazy.filter { [options] in options.mayBeOrdered($0.value.properties) }.map(\.key).min()
        return requestOrder.dequeueReady(before: incomplete).map { .request($0) }
    }

    private mutating func receiveReply(_ number: UInt64, _ flags: FrameFlags, _ content: ArraySlice<UInt8>) throws(BLIPError) -> [BLIPEvent]
    {
        guard var reply = awaited[number] else { throw .unexpectedResponse(number: number) }
        var transfer: IncomingTransfer
        if let begun = reply.transfer {
            transfer = begun
            // The buffer must have a single owner while it grows. The request stays awaited in case the frame is invalid.
            reply.transfer = nil
            awaited[number] = reply
        } else {
            transfer = try IncomingTransfer(type: flags.type == .error ? .error : .response, flags: flags, memory)
        }
        try add(content, of: number, flags, to: &transfer)
        var events: [BLIPEvent] = []
        if reply.isStreamed, transfer.type == .response {
            let size = transfer.byteCount
            let part = try transfer.drainPart()
            if flags.contains(.moreComing) { unfinishedByteCount += transfer.byteCount - size }
            if !part.isEmpty { events.append(.replyPart(reply.token, part)) }
        }
        if flags.contains(.moreComing) {
            unfinishedFrameCount += 1
            reply.transfer = transfer
            awaited[number] = reply
        } else {
            let properties = try transfer.completeProperties(number)
            awaited[number] = nil
            let body = transfer.drainBody()
            let error = transfer.type == .error ? SyncError(reportedBy: properties, body) : nil
            events.append(.reply(reply.token, IncomingReply(properties: properties, body: body, error: error)))
        }
        return events
    }

    /// Adds a frame to its message, within the limits, and acknowledges the received bytes.
    private mutating func add(
        _ content: ArraySlice<UInt8>,
        of number: UInt64,
        _ flags: FrameFlags,
        to transfer: inout IncomingTransfer
    ) throws(BLIPError) {
        // The first compressed frame creates the decompressor, which the connection keeps.
        if decoder.needsInflater(flags) { try memory.reserve(Inflater.memorySize) }
        let size = transfer.byteCount
        let options = options
        try decoder.decode(content, number, flags) { (payload) throws(BLIPError) in
            try transfer.add(payload, number, options)
        }
        guard flags.contains(.moreComing) else {
            unfinishedByteCount -= size
            return
        }
        unfinishedByteCount += transfer.byteCount - size
        guard unfinishedByteCount <= options.maximumUnfinishedSize else {
            throw .unfinishedMessagesTooLarge(limit: options.maximumUnfinishedSize)
        }
        if let byteCount = transfer.acknowledge(content.count) {
            let type: MessageType = transfer.type == .request ? .requestAcknowledgement : .responseAcknowledgement
            let acknowledgement = Acknowledgement(type: type, number: number, byteCount: byteCount)
            if type == .requestAcknowledgement, isShortOfMemory, unfinishedRequests.keys.contains(where: { $0 < number }) {
                delayedAcknowledgements[number] = acknowledgement
            } else {
                acknowledge(acknowledgement)
            }
        }
    }

    /// Whether memory is so short that incomplete requests should arrive, and lists of changes be sent, one after the other instead of
    /// concurrently.
    package var isShortOfMemory: Bool { memory.used > memory.limit / 2 }

    /// Queues delayed acknowledgements: all of them if there is enough memory again, otherwise that of the oldest request.
    mutating func releaseAcknowledgements() {
        guard isShortOfMemory else {
            let released = delayedAcknowledgements.sorted { $0.key < $1.key }.map(\.value)
            delayedAcknowledgements = [:]
            return released.forEach { acknowledge($0) }
        }
        guard let oldest = unfinishedRequests.keys.min(), let released = delayedAcknowledgements.removeValue(forKey: oldest) else { return }
        acknowledge(released)
    }

    /// Queues an acknowledgement; it replaces a queued one of the same message.
    private mutating func acknowledge(_ acknowledgement: Acknowledgement) {
        let isSameMessage = { (other: Acknowledgement) in other.number == acknowledgement.number && other.type == acknowledgement.type }
        if let index = acknowledgements.firstIndex(where: isSameMessage) {
            acknowledgements[index] = acknowledgement
        } else {
            acknowledgements.append(acknowledgement)
        }
    }
}

/// Complete requests that wait for earlier ones, because their order matters: a long request is sent in several frames, and a short one
/// that was sent later can be complete before it.
struct RequestOrder {
    /// In the order of their numbers.
    private var waiting: [IncomingRequest] = []
    /// The incomplete request for which the first of them waits; `nil` if it is not known.
    private(set) var blocker: UInt64?

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ request: IncomingRequest) {
        let index = waiting.lastIndex { $0.number < request.number }.map { $0 + 1 } ?? 0
        waiting.insert(request, at: index)
    }

    /// Removes and returns the requests before the first one that is incomplete; all of them if `incomplete` is `nil`.
    mutating func dequeueReady(before incomplete: UInt64?) -> [IncomingRequest] {
        let count = incomplete.map { number in waiting.firstIndex { $0.number > number } ?? waiting.count } ?? waiting.count
        defer { waiting.removeFirst(count) }
        blocker = count < waiting.count ? incomplete : nil
        return Array(waiting.prefix(count))
    }
}
