import BLIP
import DocumentStore
import Foundation
import Replication
import ReplicationSimulation

/// The client of a passive session, message by message. Everything is handled at once; time passes only when it is told to.
final class ScriptedClient {
    let database: SimulatedDatabase
    private let simulation = Simulation(seed: 1)
    private let session: Session
    private var connection = BLIPConnection()
    private var replies: [RequestToken: IncomingReply] = [:]
    private var timers: [(time: Duration, timer: SessionTimer)] = []
    private var now: Duration = .zero
    /// Requests of the server that have not been taken by the test, in the order in which they came.
    private(set) var requests: [IncomingRequest] = []
    private(set) var status = SessionStatus()
    private(set) var closeCode: Int?
    private(set) var hasEnded = false

    init(_ options: PassiveOptions = PassiveOptions(collections: [.default])) throws {
        database = try SimulatedDatabase("server", in: simulation)
        for id in options.collections { _ = try database.collection(id) }
        session = Session.passive(database.replica, options)
        handle(.opened(ChannelHandshake(subprotocol: "BLIP_3+CBMobile_3")))
    }

    /// Another client of the same database.
    init(of database: SimulatedDatabase, _ options: PassiveOptions = PassiveOptions(collections: [.default])) {
        self.database = database
        session = Session.passive(database.replica, options)
        handle(.opened(ChannelHandshake(subprotocol: "BLIP_3+CBMobile_3")))
    }

    // MARK: Requests

    /// Sends a request without waiting for anything.
    @discardableResult
    func send(
        _ profile: String?,
        _ properties: Properties = [:],
        _ body: String = "",
        isUrgent: Bool = false,
        isNoReply: Bool = false
    ) -> RequestToken {
        var all: Properties = [:]
        if let profile { all["Profile"] = profile }
        for (name, value) in properties.pairs { all[name] = value }
        let token = connection.send(
            OutgoingMessage(all, body: Array(body.utf8), isUrgent: isUrgent, isNoReply: isNoReply, isCompressed: true)
        )
        exchange()
        return token
    }

    /// The reply to a request, if it has come.
    func reply(to token: RequestToken) -> IncomingReply? {
        replies[token]
    }

    /// Sends a request, and says in one line what was answered: the error, or the properties and the body.
    @discardableResult
    func ask(_ profile: String?, _ properties: Properties = [:], _ body: String = "") -> String {
        summary(of: replies[send(profile, properties, body)])
    }

    func summary(of reply: IncomingReply?) -> String {
        guard let reply else { return "no reply" }
        if let error = reply.error { return "\(error.domain.rawValue)/\(error.code)" }
        let properties = reply.properties.pairs.map { "\($0.name)=\($0.value)" }
        let body = String(decoding: reply.body, as: UTF8.self)
        return (["RES"] + properties + [body]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    // MARK: What the server asks

    /// Takes the requests of one kind.
    func take(_ profile: String) -> [IncomingRequest] {
        defer { requests.removeAll { $0.profile == profile } }
        return requests.filter { $0.profile == profile }
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

    func disconnect(code: Int? = 1000) {
        handle(.closed(ChannelClosure(code: code, isByPeer: true)))
    }

    /// Tells the session that documents have been changed.
    func noteChanges(in collection: CollectionID = .default) {
        handle(.databaseChanged([collection]))
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
            case .report(.ended): hasEnded = true
            case .report: break
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
                receive(frame)
            }
        }
    }

    private func receive(_ frame: [UInt8]) {
        guard let events = try? connection.receive(frame) else {
            closeCode = -1
            return
        }
        for event in events {
            switch event {
            case .request(let request): requests.append(request)
            case .reply(let token, let reply): replies[token] = reply
            case .replyPart, .disconnected: break
            }
        }
    }
}

extension IncomingRequest {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The rows of a list of changes.
    var rows: [String] {
        guard text != "[]", !text.isEmpty else { return [] }
        return text.dropFirst(2).dropLast(2).components(separatedBy: "],[")
    }
}
