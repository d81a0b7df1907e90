import BLIP
import Base
import DocumentStore
import SyncCore

/// The services shared by the parts of a session: messages, timers, errors and reports.
///
/// Confined to its session. The actions requested by the parts are collected and returned by ``Session/handle(_:at:)``.
final class SessionContext {
    typealias Work = () -> Void
    typealias ReplyHandler = (IncomingReply) -> Void
    typealias PartHandler = ([UInt8]) -> Void

    let database: ReplicaDatabase
    /// The time of the event that is being handled, since a fixed point.
    var now: Duration = .zero
    var lastFrameTime: Duration = .zero
    /// The time of the last frame that left a message incomplete.
    var lastPartTime: Duration = .zero
    /// Whether a timer is set for the rest of incomplete messages.
    var isWaitingForParts = false
    /// Returns the current time in seconds since 1970.
    let currentTime: () -> Int64
    /// The name of the session in the log, followed by the ID by which the server names the connection.
    private(set) var logName: String

    var connection: BLIPConnection
    /// The blobs that the peer may request because they belong to revisions sent to it.
    let offeredBlobs = OfferedBlobs()
    /// The permits of the session to download blobs.
    let downloadPermits: FairPermits.Holder
    /// Requests received while too many responses are waiting to be sent.
    var waitingRequests = WaitingRequests()
    private var actions: [SessionAction] = []
    private var deferred: [Work] = []
    private var deferredByFrame: [Work] = []
    private var endedDocuments: [EndedDocument] = []
    private var failures = FailureLog()
    private var timers: [SessionTimer: Work] = [:]
    private var timerCount = 0
    var replyHandlers: [RequestToken: ReplyHandler] = [:]
    var partHandlers: [RequestToken: PartHandler] = [:]

    /// The first error that concerns the session as a whole.
    private(set) var error: SyncError?
    private(set) var handshake = ChannelHandshake()
    /// How the revisions of the database are written in messages; known when the channel is open.
    private(set) var naming = RevisionNaming.trees
    /// How the revisions of the database are shown to the peer.
    private(set) var view = RevisionView.stored
    /// How the revisions of the database were named when the channel was opened.
    private var stored = RevisionNaming.trees
    /// Whether the channel is open and this side has not begun to close it.
    private(set) var isOpen = false
    /// Whether this side has begun to close the channel, or the channel has ended.
    private var isClosing = false
    /// Whether nothing can be sent anymore, because a message cannot be completed.
    private var isCutOff = false
    /// Whether the channel has ever been open. Before that, no status is reported.
    private var hasBeenOpen = false
    private(set) var status = SessionStatus()
    private var reportedStatus: SessionStatus?

    init(
        database: ReplicaDatabase,
        options: BLIPOptions,
        downloadPermits: FairPermits = .downloads,
        logName: String = "",
        currentTime: @escaping () -> Int64
    ) {
        self.database = database
        self.logName = logName
        self.currentTime = currentTime
        self.downloadPermits = FairPermits.Holder(downloadPermits)
        connection = BLIPConnection(options: options)
    }

    // MARK: Messages

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - onReply: Called with the response. Not called for a request without a response, or if the connection ends first.
    ///   - onPart: For a response that may be long: called with each part of its body as it is received, before the rest.
    func send(_ request: OutgoingMessage, onReply: ReplyHandler? = nil, onPart: PartHandler? = nil) {
        guard isOpen else { return }
        let token = connection.send(request, streamsReply: onPart != nil)
        guard !request.isNoReply else { return }
        replyHandlers[token] = onReply
        partHandlers[token] = onPart
    }

    /// Responds to a request, unless it is marked as no-reply.
    func respond(to request: IncomingRequest, with response: OutgoingMessage = OutgoingMessage()) {
        if isOpen { connection.respond(to: request, with: response) }
    }

    /// Responds to a request with an error, unless it is marked as no-reply.
    func respond(to request: IncomingRequest, error: SyncError) {
        if isOpen { connection.respond(to: request, error: error) }
    }

    // MARK: Time

    /// Schedules `work` to run once after `delay`, unless it is cancelled or the connection ends.
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

    /// Schedules `work` to run after the current event has been handled, before the role checks for more work.
    func later(_ work: @escaping Work) { deferred.append(work) }

    /// Schedules `work` to run after the current frame has been built. For code that is called while a message body is read and must not
    /// send.
    func afterFrame(_ work: @escaping Work) { deferredByFrame.append(work) }

    // MARK: Errors and the end

    /// Runs a database operation. An error ends the session, and the result is `nil`.
    func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            fail(SyncError(error))
            return nil
        }
    }

    /// Records an error that does not end the session by itself. Only the first error is retained.
    func note(_ error: SyncError) {
        if self.error == nil { self.error = error }
    }

    /// Records an error of a task. Some errors end the session (Replication 4.1).
    func taskFailed(_ error: SyncError) {
        if error.endsSession { fail(error) } else { note(error) }
    }

    /// Ends the session with an error (Replication 4.1).
    func fail(_ error: SyncError) {
        note(error)
        let isTransient = error.domain == .webSocket && error.code == 503
        close(code: isTransient ? .retry : .noRetry, reason: error.message)
    }

    /// Handles that a document could not be read. An error of the database ends the session, but a damaged document, which is reported, does
    /// not prevent the replication of others.
    func failed(toRead document: EndedDocument) {
        if let error = document.error, error.concernsDatabase { fail(error) } else { report(document) }
    }

    /// Ends the session with an error that occurred while the body of a message was read. The message must not end like a complete one, so
    /// neither the current frame nor any later one is sent.
    func failInFrame(_ error: SyncError) {
        isCutOff = true
        fail(error)
    }

    /// Ends the session with an error of the message layer.
    func fail(_ error: BLIPError) {
        note(error.syncError)
        close(code: error.closeCode, reason: error.description)
    }

    /// Reserves memory for what is kept of a message of the peer after it was handled. If there is none, the connection is closed, and the
    /// result is `false`.
    func reserve(_ size: Int, in reservation: MemoryReservation) -> Bool {
        do throws(BLIPError) {
            try reservation.resize(to: size)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// Closes the session normally. May be called before the channel is open.
    func close(code: CloseCode = .normal, reason: String = "") {
        guard !isClosing else { return }
        isClosing = true
        isOpen = false
        actions.append(.close(code: code.rawValue, reason: reason))
    }

    // MARK: Reports

    func report(_ report: SessionReport) { actions.append(.report(report)) }

    /// Reports that the replication of a document has ended. Documents of the same event are reported together.
    func report(_ document: EndedDocument) { endedDocuments.append(document) }

    /// Changes the counts of documents whose replication has ended.
    func count(_ change: (inout SessionCounts) -> Void) { change(&status.counts) }

    /// Changes the status. It is reported after the event has been handled.
    func updateStatus(_ change: (inout SessionStatus) -> Void) { change(&status) }

    // MARK: What the session calls

    var hasDeferred: Bool { !deferred.isEmpty }

    func runDeferred() {
        while !deferred.isEmpty {
            let works = deferred
            deferred.removeAll()
            for work in works { work() }
        }
    }

    /// Returns and clears the actions requested since the last call.
    func drainActions() -> [SessionAction] {
        if !endedDocuments.isEmpty {
            for document in endedDocuments { noteFailure(of: document) }
            actions.append(.report(.documents(endedDocuments)))
            endedDocuments.removeAll()
        }
        if !status.isBusy { logFailures() }
        if hasBeenOpen, status != reportedStatus {
            reportedStatus = status
            actions.append(.report(.status(status)))
        }
        defer { actions.removeAll() }
        return actions
    }

    /// Counts and logs a document that was not replicated.
    private func noteFailure(of document: EndedDocument) {
        guard let error = document.error else { return }
        logFailure(of: document)
        guard error != .rejectedByPullFilter else { return }
        failures.add(document)
        guard !document.isTransient else { return }
        count { $0.refused += 1 }
        noteRefusal(error)
    }

    /// Notes why a document was refused or postponed.
    func noteRefusal(_ error: SyncError) {
        if status.firstRefusal == nil { status.firstRefusal = error }
    }

    /// Logs how many documents were not replicated since the last call.
    private func logFailures() {
        for (level, line) in failures.drainLines() { log(level, line) }
    }

    func logEnd() {
        logFailures()
        guard hasBeenOpen else { return }
        log(.info, "ended, \(status.counts)" + (error.map { ", error: \($0)" } ?? ""))
    }

    func open(_ handshake: ChannelHandshake) {
        self.handshake = handshake
        if let id = handshake.correlationID { logName += " [\(id)]" }
        isOpen = !isClosing
        hasBeenOpen = true
        guard let naming = attempt({ try database.naming() }) else { return }
        (self.naming, stored) = (naming, naming)
    }

    /// Shows the revisions to a client as those of trees, or as they are stored.
    func serve(trees: Bool) {
        guard let view = attempt({ try trees ? database.viewForTrees() : database.file.viewForVersions() }) else { return }
        self.view = view
        if trees { naming = .trees }
    }

    /// Ends the session if the database has got other names of revisions since it began.
    func checkNaming() {
        guard !stored.usesVersions, let naming = attempt({ try database.naming() }), naming != stored else { return }
        fail(SyncError(engine: .unsupported, "the database has got version vectors, so that its replications must start again"))
    }

    func nextFrame() -> [UInt8]? {
        guard !isCutOff else { return nil }
        let frame = connection.nextFrame()
        guard !isCutOff else { return nil }
        if frame != nil { waitingRequests.noteFrame() }
        if !deferredByFrame.isEmpty {
            let works = deferredByFrame
            deferredByFrame.removeAll()
            for work in works { work() }
        }
        return frame
    }

    func fire(_ timer: SessionTimer) { timers.removeValue(forKey: timer)?() }

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

/// The replication of one collection in an active session: what its checkpointer, its pusher and its puller have in common.
struct CollectionReplication {
    let context: SessionContext
    let collection: ReplicaCollection
    /// The index of the collection in messages; `nil` on connections without named collections.
    let index: Int?
    /// The number of the peer as a remote.
    let remote: Int
    let session: ActiveOptions
    let options: CollectionOptions
}
