import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

/// The peer of a session in a test: it records every request, and sends the answers of the test. Time passes only when the test
/// advances it.
class ScriptedPeer {
    private let session: Session
    /// Objects that must live as long as the session.
    var owner: AnyObject?
    var connection: BLIPConnection
    private(set) var time: Duration = .zero
    private var timers: [(timer: SessionTimer, time: Duration)] = []
    /// The requests that the test has not taken, in the order of their arrival.
    var requests: [IncomingRequest] = []
    private(set) var replies: [RequestToken: IncomingReply] = [:]
    private(set) var reports: [SessionReport] = []
    /// The code with which the session has closed the channel.
    private(set) var closure: (code: Int, reason: String)?

    /// - Parameter subprotocol: The result of the handshake; the session begins at once.
    init(_ session: Session, subprotocol: String = "BLIP_3+CBMobile_3", options: BLIPOptions = BLIPOptions()) {
        self.session = session
        connection = BLIPConnection(options: options)
        tell(.opened(ChannelHandshake(subprotocol: subprotocol)))
    }

    // MARK: Events of the session

    /// Passes an event to the session, and receives its frames.
    func tell(_ event: SessionEvent) {
        perform(session.handle(event, at: time))
        exchange()
    }

    /// Passes frames unchanged, so that they arrive together.
    func tell(frames: [[UInt8]]) {
        perform(session.handle(.frames(frames), at: time))
        exchange()
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .close(let code, let reason): closure = closure ?? (code, reason)
            case .setTimer(let timer, let delay): timers.append((timer, time + delay))
            case .cancelTimer(let timer): timers.removeAll { $0.timer == timer }
            case .report(let report): reports.append(report)
            }
        }
    }

    /// Transfers frames in both directions until none is queued.
    func exchange() {
        var isMoving = true
        while isMoving {
            isMoving = false
            while let frame = session.nextFrame() {
                isMoving = true
                handle(frame)
            }
            perform(session.drainActions())
            while let frame = connection.nextFrame() {
                isMoving = true
                perform(session.handle(.frames([frame]), at: time))
            }
        }
    }

    private func handle(_ frame: [UInt8]) {
        do {
            for event in try connection.receive(frame) {
                switch event {
                case .request(let request): requests.append(request)
                case .reply(let token, let reply): replies[token] = reply
                case .replyPart, .disconnected: break
                }
            }
        } catch {
            Issue.record("the session has sent a bad frame: \(error)")
        }
    }

    /// Advances the time; timers that are due fire.
    func advance(by duration: Duration) {
        let end = time + duration
        while let next = timers.min(by: { $0.time < $1.time }), next.time <= end {
            time = max(time, next.time)
            timers.removeAll { $0.timer == next.timer }
            tell(.timer(next.timer))
        }
        time = end
    }

    /// Advances the time while the process of the session is suspended: timers that are due fire late.
    func suspend(for duration: Duration) {
        time += duration
    }

    /// Fires the next timer if it is due now. Returns `false` if none is.
    func fireDueTimer() -> Bool {
        guard let next = timers.min(by: { $0.time < $1.time }), next.time <= time else { return false }
        timers.removeAll { $0.timer == next.timer }
        tell(.timer(next.timer))
        return true
    }

    /// Ends the connection: normally if the session has begun to close it, otherwise abnormally.
    ///
    /// - Returns: The error with which the session reports its end.
    @discardableResult
    func disconnect(_ closure: ChannelClosure? = nil) -> SyncError? {
        let ours = self.closure.map { ChannelClosure(code: $0.code, reason: $0.reason, isByPeer: false) }
        tell(.closed(closure ?? ours ?? ChannelClosure(code: nil, isByPeer: true)))
        guard case .ended(let error) = reports.last else {
            Issue.record("the session has not ended")
            return nil
        }
        return error
    }

    // MARK: Reports of the session

    /// The present status of the session.
    var status: SessionStatus {
        reports.reduce(into: SessionStatus()) { if case .status(let status) = $1 { $0 = status } }
    }

    /// The documents that the session has reported so far.
    var documents: [EndedDocument] {
        reports.reduce(into: []) { if case .documents(let documents) = $1 { $0 += documents } }
    }

    /// The conflicts that the session has reported so far.
    var conflicts: [String] {
        reports.reduce(into: []) { if case .conflict(_, let documentID) = $1 { $0.append(documentID) } }
    }
}
