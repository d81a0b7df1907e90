import BLIP
import LogCore
import SyncCore

/// What the parts of a session share: messages, timers, errors and reports.
///
/// Confined to its session. What the parts ask for is collected, and handed out by ``Session/handle(_:at:)``.
final class SessionContext {
    typealias Work = () -> Void
    typealias ReplyHandler = (IncomingReply) -> Void
    typealias PartHandler = ([UInt8]) -> Void

    let database: ReplicaDatabase
    /// The time since some fixed moment, at the event that is being handled.
    private(set) var now: Duration = .zero
    /// The time when the last frame came.
    private(set) var lastFrameTime: Duration = .zero
    /// Seconds since 1970.
    let currentTime: () -> Int64
    /// What the log calls the session.
    let logName: String

    private var connection: BLIPConnection
    /// The blobs that the peer may ask for because of revisions it was sent.
    let offeredBlobs = OfferedBlobs()
    /// Requests that have come while too many answers wait to be sent.
    private var waitingRequests = WaitingRequests()
    private var actions: [SessionAction] = []
    private var deferred: [Work] = []
    private var deferredByFrame: [Work] = []
    private var endedDocuments: [EndedDocument] = []
    private var timers: [SessionTimer: Work] = [:]
    private var timerCount = 0
    private var replyHandlers: [RequestToken: ReplyHandler] = [:]
    private var partHandlers: [RequestToken: PartHandler] = [:]

    /// The first error that matters for the session as a whole.
    private(set) var error: SyncError?
    /// What was agreed on when the connection was made.
    private(set) var handshake = ChannelHandshake()
    /// Whether the channel is open, and nobody has begun to close it.
    private(set) var isOpen = false
    /// Whether this side has begun to close the channel, or it has ended.
    private var isClosing = false
    /// Whether the channel has ever been open: before that there is no status to report.
    private var hasBeenOpen = false
    private(set) var status = SessionStatus()
    private var reportedStatus: SessionStatus?

    init(database: ReplicaDatabase, options: BLIPOptions, logName: String = "", currentTime: @escaping () -> Int64) {
        self.database = database
        self.logName = logName
        self.currentTime = currentTime
        connection = BLIPConnection(options: options)
    }

    // MARK: Messages

    /// Sends a request.
    ///
    /// - Parameter onReply: Is called with the response; never for a request without one, nor when the connection ends before.
    func send(_ request: OutgoingMessage, onReply: ReplyHandler? = nil) {
        guard isOpen else { return }
        let token = connection.send(request)
        if let onReply, !request.isNoReply { replyHandlers[token] = onReply }
    }

    /// Sends a request whose response may be long.
    ///
    /// - Parameters:
    ///   - onPart: Is called with the body of the response piece by piece.
    ///   - onReply: Is called with the rest of the response, and when it is an error.
    func send(_ request: OutgoingMessage, onPart: @escaping PartHandler, onReply: @escaping ReplyHandler) {
        guard isOpen else { return }
        let token = connection.send(request, streamsReply: true)
        partHandlers[token] = onPart
        replyHandlers[token] = onReply
    }

    /// Answers a request, unless it wants no answer.
    func respond(to request: IncomingRequest, with response: OutgoingMessage = OutgoingMessage()) {
        guard isOpen, !request.isNoReply else { return }
        connection.respond(to: request, with: response)
    }

    /// Answers a request with an error, unless it wants no answer.
    func respond(to request: IncomingRequest, error: SyncError) {
        guard isOpen, !request.isNoReply else { return }
        connection.respond(to: request, error: error)
    }

    // MARK: Time

    /// Has `work` done once, after that time; unless it is cancelled or the connection ends.
    func after(_ delay: Duration, _ work: @escaping Work) -> SessionTimer {
        timerCount += 1
        let timer = SessionTimer(number: timerCount)
        timers[timer] = work
        actions.append(.setTimer(timer, after: delay))
        return timer
    }

    func cancel(_ timer: SessionTimer) {
        if timers.removeValue(forKey: timer) != nil { actions.append(.cancelTimer(timer)) }
    }

    /// Has `work` done when what is being handled has been, before the role looks whether there is anything left to do.
    func later(_ work: @escaping Work) {
        deferred.append(work)
    }

    /// Has `work` done when the frame that is being made has been. For what reads the body of a message, which must not send.
    func afterFrame(_ work: @escaping Work) {
        deferredByFrame.append(work)
    }

    // MARK: Errors and the end

    /// Does what may fail with an error of the database. Such an error ends the session.
    func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            fail(SyncError(error))
            return nil
        }
    }

    /// Notes an error that does not end the session by itself.
    func note(_ error: SyncError) {
        if self.error == nil { self.error = error }
    }

    /// Notes an error that a task has met. Some end the session (Replication 4.1).
    func taskFailed(_ error: SyncError) {
        if error.endsSession { fail(error) } else { note(error) }
    }

    /// Ends the session with an error (Replication 4.1).
    func fail(_ error: SyncError) {
        note(error)
        let isTransient = error.domain == .webSocket && error.code == 503
        close(code: isTransient ? 4001 : 4002, reason: error.message)
    }

    /// Ends the session in order, even before the channel is open.
    func close(code: Int = 1000, reason: String = "") {
        guard !isClosing else { return }
        isClosing = true
        isOpen = false
        actions.append(.close(code: code, reason: reason))
    }

    // MARK: Reports

    func report(_ report: SessionReport) {
        actions.append(.report(report))
    }

    /// Reports that the replication of a document has ended. Those of one event are reported together.
    func report(_ document: EndedDocument) {
        endedDocuments.append(document)
    }

    /// Counts a document whose replication has ended.
    func count(_ change: (inout SessionCounts) -> Void) {
        change(&status.counts)
    }

    /// Changes the status, which is reported when the event has been handled.
    func updateStatus(_ change: (inout SessionStatus) -> Void) {
        change(&status)
    }
}

// MARK: - What the session calls

extension SessionContext {
    func begin(at time: Duration) {
        now = time
    }

    var hasDeferred: Bool { !deferred.isEmpty }

    func runDeferred() {
        while !deferred.isEmpty {
            let works = deferred
            deferred.removeAll()
            for work in works { work() }
        }
    }

    /// What has been asked for since the last time.
    func takeActions() -> [SessionAction] {
        if !endedDocuments.isEmpty {
            for document in endedDocuments where document.error != nil {
                if !document.isTransient { count { $0.refused += 1 } }
                logFailure(of: document)
            }
            actions.append(.report(.documents(endedDocuments)))
            endedDocuments.removeAll()
        }
        if hasBeenOpen, status != reportedStatus {
            reportedStatus = status
            actions.append(.report(.status(status)))
        }
        defer { actions.removeAll() }
        return actions
    }

    /// Says in the log how it ended, if it has begun.
    func logEnd() {
        guard hasBeenOpen else { return }
        log(.info, "ended, \(status.counts)" + (error.map { ", by \($0)" } ?? ""))
    }

    func open(_ handshake: ChannelHandshake) {
        self.handshake = handshake
        isOpen = !isClosing
        hasBeenOpen = true
    }

    func nextFrame() -> [UInt8]? {
        let frame = connection.nextFrame()
        if frame != nil { waitingRequests.noteFrame() }
        if !deferredByFrame.isEmpty {
            let works = deferredByFrame
            deferredByFrame.removeAll()
            for work in works { work() }
        }
        return frame
    }

    func noteChannelIsFull() {
        connection.noteChannelIsFull()
    }

    /// What the connection holds in memory.
    var memory: MemoryAccount { connection.memory }

    /// The bytes of requests that wait until the peer has taken answers.
    var waitingByteCount: Int { waitingRequests.byteCount }

    /// Takes a frame, and hands the requests in it to `handle`: at once, or when the answers to earlier ones have been taken.
    func receive(_ frame: [UInt8], _ handle: @escaping (IncomingRequest) -> Void) {
        guard isOpen else { return }
        lastFrameTime = now
        do throws(BLIPError) {
            for event in try connection.receive(frame) { dispatch(event, handle) }
        } catch {
            note(error.syncError)
            close(code: error.closeCode, reason: error.description)
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
        case .replyPart(let token, let bytes):
            partHandlers[token]?(bytes)
        case .disconnected:
            break
        }
    }

    /// Handles the requests that wait, a little later, as far as the answers to others have been sent by then.
    private func handleWaitingLater(_ handle: @escaping (IncomingRequest) -> Void) {
        _ = after(waitingRequests.interval) { [unowned self] in
            while isOpen, !connection.isCongested, let request = waitingRequests.popFirst() { handle(request) }
            guard isOpen, !waitingRequests.isEmpty else { return }
            waitingRequests.noteSilence()
            guard !waitingRequests.isStalled else {
                return fail(SyncError(.webSocket, 1009, "the peer does not take the answers to what it asks"))
            }
            handleWaitingLater(handle)
        }
    }

    func fire(_ timer: SessionTimer) {
        timers.removeValue(forKey: timer)?()
    }

    /// Forgets everybody who waits for something.
    func disconnect() {
        isOpen = false
        isClosing = true
        for timer in timers.keys { actions.append(.cancelTimer(timer)) }
        timers.removeAll()
        replyHandlers.removeAll()
        partHandlers.removeAll()
        deferred.removeAll()
        deferredByFrame.removeAll()
        waitingRequests = WaitingRequests()
        _ = connection.disconnect()
    }
}
