import BLIP
import SyncCore

/// Receives messages. Requests wait while the peer does not read the responses to earlier ones.
extension SessionContext {
    /// The size in bytes of requests that wait until the peer has read earlier responses.
    var waitingByteCount: Int { waitingRequests.byteCount }

    /// Whether a request of the peer is incomplete, or has not been handled yet.
    var isReceivingRequest: Bool { connection.isReceivingRequest || !waitingRequests.isEmpty }

    /// Processes a frame and passes its requests to `handle`: immediately, or after the peer has read the responses to earlier requests.
    func receive(_ frame: [UInt8], _ handle: @escaping (IncomingRequest) -> Void) {
        guard isOpen else { return }
        lastFrameTime = now
        do throws(BLIPError) {
            let partCount = connection.unfinishedFrameCount
            for event in try connection.receive(frame) { dispatch(event, handle) }
            if connection.unfinishedFrameCount != partCount { notePart() }
        } catch {
            fail(error)
        }
    }

    private func dispatch(_ event: BLIPEvent, _ handle: @escaping (IncomingRequest) -> Void) {
        switch event {
        case .request(let request):
            guard isOpen else { return }
            if waitingRequests.isEmpty, !connection.isCongested { return handle(request) }
            waitingRequests.append(request)
            if waitingRequests.count == 1 { handleWaitingLater(handle) }
        case .reply(let token, let reply):
            partHandlers[token] = nil
            replyHandlers.removeValue(forKey: token)?(reply)
        case .replyPart(let token, let bytes): partHandlers[token]?(bytes)
        case .disconnected: break
        }
    }

    /// Schedules handling the waiting requests, as far as the connection is no longer congested by then.
    private func handleWaitingLater(_ handle: @escaping (IncomingRequest) -> Void) {
        _ = after(waitingRequests.interval) { [unowned self] in
            while isOpen, !connection.isCongested, let request = waitingRequests.popFirst() { handle(request) }
            guard isOpen, !waitingRequests.isEmpty else { return }
            waitingRequests.noteSilence()
            guard !waitingRequests.isStalled else {
                return fail(SyncError(webSocket: .messageTooBig, "the peer does not read the responses to its requests"))
            }
            handleWaitingLater(handle)
        }
    }
}

/// Closes the connection if the peer stalls in the middle of its messages. What was received of them takes memory that other connections
/// need.
extension SessionContext {
    /// The maximum time without a frame of any incomplete message.
    static let partTimeout = Duration.seconds(60)
    /// The delay of a timer from which the process is taken to have been suspended.
    static let suspensionDelay = Duration.seconds(5)

    /// Notes that a frame was received that left a message incomplete.
    func notePart() {
        lastPartTime = now
        if isOpen, !isWaitingForParts { waitForPart(Self.partTimeout) }
    }

    private func waitForPart(_ time: Duration) {
        isWaitingForParts = true
        let due = now + time
        _ = after(time) { [unowned self] in
            isWaitingForParts = false
            guard isOpen, connection.isReceivingMessage else { return }
            // The frames may have arrived while the process was suspended, or may not be read because earlier requests are waiting.
            if now - due > Self.suspensionDelay || waitingByteCount > 0 { lastPartTime = now }
            let idle = now - lastPartTime
            guard idle >= Self.partTimeout else { return waitForPart(Self.partTimeout - idle) }
            fail(SyncError(webSocket: .unavailable, "the peer does not send the rest of its messages"))
        }
    }
}
