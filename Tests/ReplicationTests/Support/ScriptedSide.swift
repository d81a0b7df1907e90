import BLIP
import DocumentStore
import Testing

@testable import Replication

/// The other side of a session, message by message. Everything is handled at once; time passes only when it is told to.
class ScriptedSide {
    private let session: Session
    private var connection = BLIPConnection()
    private var replies: [RequestToken: IncomingReply] = [:]
    private var timers: [(time: Duration, timer: SessionTimer)] = []
    private var now: Duration = .zero
    /// Requests of the session that have not been taken by the test, in the order in which they came.
    private(set) var requests: [IncomingRequest] = []
    /// How many frames have come.
    private(set) var frameCount = 0

    // What the session has reported.
    private(set) var status = SessionStatus()
    private(set) var documents: [EndedDocument] = []
    private(set) var conflicts: [String] = []
    private(set) var closeCode: Int?
    private(set) var hasEnded = false
    private(set) var error: SyncError?

    /// - Parameter subprotocol: What the handshake ends with; the session begins at once.
    init(_ session: Session, subprotocol: String = "BLIP_3+CBMobile_3") {
        self.session = session
        handle(.opened(ChannelHandshake(subprotocol: subprotocol)))
    }

    // MARK: What the peer says

    /// Sends a request without waiting for anything.
    @discardableResult
    func send(
        _ profile: String?,
        _ properties: Properties = [:],
        _ body: String = "",
        isUrgent: Bool = false,
        isNoReply: Bool = false
    ) -> RequestToken {
        send(profile, properties, Array(body.utf8), isUrgent: isUrgent, isNoReply: isNoReply)
    }

    @discardableResult
    func send(
        _ profile: String?,
        _ properties: Properties,
        _ body: [UInt8],
        isUrgent: Bool = false,
        isNoReply: Bool = false
    ) -> RequestToken {
        var all: Properties = [:]
        all["Profile"] = profile
        for (name, value) in properties.pairs { all[name] = value }
        let token = connection.send(
            OutgoingMessage(all, body: body, isUrgent: isUrgent, isNoReply: isNoReply, isCompressed: true)
        )
        exchange()
        return token
    }

    /// The reply to a request, if it has come.
    func reply(to token: RequestToken) -> IncomingReply? {
        replies[token]
    }

    /// What was answered to a request, in one line: the error, or the properties and the body.
    func summary(_ token: RequestToken) -> String { summary(of: replies[token]) }

    func summary(of reply: IncomingReply?) -> String {
        guard let reply else { return "no reply" }
        if let error = reply.error { return "\(error.domain.rawValue)/\(error.code)" }
        let properties = reply.properties.pairs.map { "\($0.name)=\($0.value)" }
        return (["RES"] + properties + [String(decoding: reply.body, as: UTF8.self)])
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Sends a request, and says what was answered at once.
    @discardableResult
    func ask(_ profile: String?, _ properties: Properties = [:], _ body: String = "") -> String {
        summary(send(profile, properties, body))
    }

    // MARK: What the session asks

    /// Takes the requests of one kind.
    func take(_ profile: String) -> [IncomingRequest] {
        defer { requests.removeAll { $0.profile == profile } }
        return requests.filter { $0.profile == profile }
    }

    /// Takes the only request of one kind.
    func takeOne(_ profile: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> IncomingRequest {
        let taken = take(profile)
        #expect(taken.count == 1, sourceLocation: sourceLocation)
        return try #require(taken.first, sourceLocation: sourceLocation)
    }

    func respond(to request: IncomingRequest, _ properties: Properties = [:], _ body: String = "") {
        respond(to: request, with: OutgoingMessage(properties, body: Array(body.utf8)))
    }

    func respond(to request: IncomingRequest, with message: OutgoingMessage) {
        connection.respond(to: request, with: message)
        exchange()
    }

    func respond(to request: IncomingRequest, error: SyncError) {
        connection.respond(to: request, error: error)
        exchange()
    }

    // MARK: The session

    func stop() { handle(.stop) }

    func disconnect(code: Int? = nil) {
        handle(.closed(ChannelClosure(code: code, isByPeer: true)))
    }

    /// Ends the channel as the session has asked for.
    func finishClosing() {
        handle(.closed(ChannelClosure(code: closeCode, isByPeer: false)))
    }

    func noteChanges(in collection: CollectionID = .default) {
        handle(.databaseChanged([collection]))
    }

    func settleConflict(_ documentID: String, in collection: CollectionID = .default) {
        handle(.conflictSettled(collection: collection, documentID: documentID))
    }

    /// Lets time pass.
    func wait(_ time: Duration) {
        let end = now + time
        while let next = timers.filter({ $0.time <= end }).min(by: { $0.time < $1.time }) {
            timers.removeAll { $0.timer == next.timer }
            now = max(now, next.time)
            handle(.timer(next.timer))
        }
        now = end
    }

    private func handle(_ event: SessionEvent) {
        perform(session.handle(event, at: now))
        exchange()
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .close(let code, _): closeCode = code
            case .setTimer(let timer, let delay): timers.append((now + delay, timer))
            case .cancelTimer(let timer): timers.removeAll { $0.timer == timer }
            case .report(.status(let status)): self.status = status
            case .report(.documents(let ended)): documents += ended
            case .report(.conflict(_, let documentID)): conflicts.append(documentID)
            case .report(.ended(let error)):
                hasEnded = true
                self.error = error
            }
        }
    }

    /// Carries frames in both directions till there are none.
    private func exchange() {
        var isMoving = true
        while isMoving {
            isMoving = false
            while let frame = connection.nextFrame() {
                isMoving = true
                perform(session.handle(.frame(frame), at: now))
            }
            while let frame = session.nextFrame() {
                isMoving = true
                frameCount += 1
                receive(frame)
            }
        }
    }

    private func receive(_ frame: [UInt8]) {
        do throws(BLIPError) {
            for event in try connection.receive(frame) {
                switch event {
                case .request(let request): requests.append(request)
                case .reply(let token, let reply): replies[token] = reply
                case .replyPart, .disconnected: break
                }
            }
        } catch {
            Issue.record("the session breaks the protocol: \(error)")
        }
    }
}
