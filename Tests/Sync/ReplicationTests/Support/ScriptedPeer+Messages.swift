import BLIP
import SyncCore
import Testing

@testable import Replication

// MARK: Requests of the session

extension ScriptedPeer {
    /// The profiles of the requests that the test has not dequeued.
    var waiting: [String] { requests.map(\.profile) }

    /// Removes and returns the next request, which must be of this kind.
    func next(_ profile: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> IncomingRequest {
        let request = try #require(requests.first, "there is no request", sourceLocation: sourceLocation)
        #expect(request.profile == profile, sourceLocation: sourceLocation)
        return requests.removeFirst()
    }

    /// Removes and returns the next request of this kind, and discards earlier ones.
    func first(_ profile: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> IncomingRequest {
        let index = requests.firstIndex { $0.profile == profile }
        return requests.remove(at: try #require(index, "there is no \(profile)", sourceLocation: sourceLocation))
    }

    /// Removes and returns the requests of one kind.
    func dequeue(_ profile: String) -> [IncomingRequest] {
        defer { requests.removeAll { $0.profile == profile } }
        return requests.filter { $0.profile == profile }
    }

    /// Removes and returns the only request of one kind.
    func dequeueOne(_ profile: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> IncomingRequest {
        let found = dequeue(profile)
        #expect(found.count == 1, sourceLocation: sourceLocation)
        return try #require(found.first, sourceLocation: sourceLocation)
    }

    /// Removes and returns the next request as a line in the form of the transcripts (Replication 7).
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
        return request.body.isEmpty ? head : head + " " + request.text
    }

    func respond(to request: IncomingRequest, _ properties: Properties = [:], _ body: String = "") {
        respond(to: request, with: OutgoingMessage(properties, body: Array(body.utf8), isCompressed: true))
    }

    func respond(to request: IncomingRequest, with message: OutgoingMessage) {
        connection.respond(to: request, with: message)
        exchange()
    }

    func respond(to request: IncomingRequest, error: SyncError) {
        connection.respond(to: request, error: error)
        exchange()
    }

    /// Responds to requests so that the session receives all answers together.
    func respondTogether(to requests: [IncomingRequest]) {
        for request in requests { connection.respond(to: request, with: OutgoingMessage()) }
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        tell(frames: frames)
    }
}

// MARK: Requests of the test

extension ScriptedPeer {
    /// Sends a request. The answer may come later.
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
        let token = connection.send(OutgoingMessage(all, body: body, isUrgent: isUrgent, isNoReply: isNoReply, isCompressed: true))
        exchange()
        return token
    }

    /// Sends several requests of one kind before any of them is answered.
    func sendTogether(_ profile: String, _ requests: [Properties]) -> [RequestToken] {
        let tokens = requests.map { properties in
            connection.send(OutgoingMessage(Properties(pairs: [("Profile", profile)] + properties.pairs)))
        }
        exchange()
        return tokens
    }

    /// The answer to a request, if it was received.
    func reply(to token: RequestToken) -> IncomingReply? { replies[token] }

    /// The answer to a request in one line: the error, or the properties and the body.
    func summary(_ token: RequestToken) -> String { summary(of: replies[token]) }

    func summary(of reply: IncomingReply?) -> String {
        guard let reply else { return "no reply" }
        if let error = reply.error { return "\(error.domain.rawValue)/\(error.code)" }
        let properties = reply.properties.pairs.map { "\($0.name)=\($0.value)" }
        return (["RES"] + properties + [String(decoding: reply.body, as: UTF8.self)])
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Sends a request, and returns its immediate answer.
    @discardableResult
    func ask(_ profile: String?, _ properties: Properties = [:], _ body: String = "") -> String {
        summary(send(profile, properties, body))
    }
}

extension IncomingRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
}
