import BLIP
import DocumentStore
import Testing

@testable import Replication

/// The other side of a session, played by a test: it sees every request, and answers what the test says. Time stands still until
/// the test lets it go on.
final class ScriptedPeer {
    private let session: Session
    /// What must live as long as the session.
    var owner: AnyObject?
    private var connection: BLIPConnection
    private(set) var time: Duration = .zero
    private var timers: [(timer: SessionTimer, time: Duration)] = []
    /// The requests that the test has not looked at, in the order they came.
    private var requests: [IncomingRequest] = []
    private var replies: [RequestToken: IncomingReply] = [:]
    private(set) var reports: [SessionReport] = []
    /// What the session has closed the channel with.
    private(set) var closure: (code: Int, reason: String)?

    init(_ session: Session, subprotocol: String = "BLIP_3+CBMobile_3", options: BLIPOptions = BLIPOptions()) {
        self.session = session
        connection = BLIPConnection(options: options)
        tell(.opened(ChannelHandshake(subprotocol: subprotocol)))
    }

    // MARK: What happens to the session

    /// Tells the session something, and takes what it sends.
    func tell(_ event: SessionEvent) {
        perform(session.handle(event, at: time))
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

    /// Lets frames go to and fro until there are none.
    private func exchange() {
        var isMoving = true
        while isMoving {
            isMoving = false
            while let frame = session.nextFrame() {
                isMoving = true
                take(frame)
            }
            while let frame = connection.nextFrame() {
                isMoving = true
                perform(session.handle(.frame(frame), at: time))
            }
        }
    }

    private func take(_ frame: [UInt8]) {
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

    /// Lets time go by; timers that are due fire.
    func advance(by duration: Duration) {
        let end = time + duration
        while let next = timers.min(by: { $0.time < $1.time }), next.time <= end {
            time = max(time, next.time)
            timers.removeAll { $0.timer == next.timer }
            tell(.timer(next.timer))
        }
        time = end
    }

    /// Ends the connection: in order if the session has begun that, else it breaks off.
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

    /// What the session says of itself now.
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

    // MARK: What the session asks

    /// The profiles of the requests that the test has not looked at.
    var waiting: [String] { requests.map(\.profile) }

    /// The next request, which must be one of that kind.
    func next(_ profile: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> IncomingRequest {
        let request = try #require(requests.first, "there is no request", sourceLocation: sourceLocation)
        #expect(request.profile == profile, sourceLocation: sourceLocation)
        return requests.removeFirst()
    }

    /// The next request of that kind, whatever came before it.
    func first(_ profile: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> IncomingRequest {
        let index = requests.firstIndex { $0.profile == profile }
        return requests.remove(at: try #require(index, "there is no \(profile)", sourceLocation: sourceLocation))
    }

    /// The next request as a line, as the transcripts of Replication 7 have it.
    func nextLine() -> String? {
        requests.first.map { request in
            requests.removeFirst()
            return Self.line(request)
        }
    }

    static func line(_ request: IncomingRequest) -> String {
        let properties = request.properties.pairs.map { "\($0.name):\($0.value)" }.joined(separator: ", ")
        let flags = (request.isUrgent ? "U" : "") + (request.isNoReply ? "N" : "")
        let head = "REQ \(request.number)" + (flags.isEmpty ? "" : " \(flags)") + " {\(properties)}"
        return request.body.isEmpty ? head : head + " " + String(decoding: request.body, as: UTF8.self)
    }

    func answer(_ request: IncomingRequest, _ properties: Properties = [:], _ body: String = "") {
        connection.respond(to: request, with: OutgoingMessage(properties, body: Array(body.utf8), isCompressed: true))
        exchange()
    }

    /// Answers requests so that all answers come to the session together.
    func answerTogether(_ requests: [IncomingRequest]) {
        for request in requests { connection.respond(to: request, with: OutgoingMessage()) }
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        sendTogether(frames)
    }

    /// Sends frames as they are, so that they come together.
    func sendTogether(_ frames: [[UInt8]]) {
        perform(session.handle(frames: frames, at: time))
        exchange()
    }

    func refuse(_ request: IncomingRequest, _ domain: SyncError.Domain, _ code: Int, _ message: String = "") {
        connection.respond(to: request, error: SyncError(domain, code, message))
        exchange()
    }

    // MARK: What the test asks

    /// Sends a request, and returns the answer if it has come at once.
    @discardableResult
    func ask(_ properties: Properties, _ body: [UInt8] = [], isNoReply: Bool = false) -> IncomingReply? {
        let token = send(properties, body, isNoReply: isNoReply)
        return replies.removeValue(forKey: token)
    }

    /// Sends a request whose answer may come later.
    func send(_ properties: Properties, _ body: [UInt8] = [], isNoReply: Bool = false) -> RequestToken {
        let token = connection.send(OutgoingMessage(properties, body: body, isNoReply: isNoReply))
        exchange()
        return token
    }

    /// Sends several requests before anything is answered.
    func send(_ requests: [Properties]) -> [RequestToken] {
        let tokens = requests.map { connection.send(OutgoingMessage($0)) }
        exchange()
        return tokens
    }

    /// The answer to a request, if it has come.
    func reply(_ token: RequestToken) -> IncomingReply? {
        replies.removeValue(forKey: token)
    }

    /// Sends a frame as it is.
    func sendFrame(_ frame: [UInt8]) {
        tell(.frame(frame))
    }
}
