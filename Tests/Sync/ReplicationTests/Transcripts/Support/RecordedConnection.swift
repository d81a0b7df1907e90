import ReplicationSimulation

@testable import Replication

/// A connection of a scripted client with a server, in a transcript.
struct RecordedConnection {
    /// A request of the client.
    struct Exchange {
        let request: Transcript.Message
        var reply: Transcript.Message?
        /// What the server has requested until the next request of the client.
        var questions: [Question] = []

        /// The requests of the server of one kind.
        func requests(_ profile: String) -> [Transcript.Message] { questions.map(\.request).filter { $0.profile == profile } }
    }

    /// A request of the server.
    struct Question {
        let request: Transcript.Message
        var answer: Transcript.Message?
    }

    /// The title of the part of the transcript.
    let section: String
    let subprotocol: String
    var exchanges: [Exchange] = []
}

extension Transcript {
    /// The connections, in order. A part that begins without a handshake is one with protocol 4.
    var connections: [RecordedConnection] {
        var reader = ConnectionReader()
        for line in lines { reader.read(line) }
        return reader.connections
    }

    /// The protocols that the client has offered, each time with the one that the server has chosen.
    var handshakes: [(offered: [String], chosen: String)] {
        lines.compactMap { line -> (offered: [String], chosen: String)? in
            guard case .other(let text) = line,
                let found = text.firstMatch(of: /offer "([^"]*)" -> 101 Sec-WebSocket-Protocol="([^"]*)"/)
            else { return nil }
            return (offered: found.1.split(separator: ",").map(String.init), chosen: String(found.2))
        }
    }
}

private struct ConnectionReader {
    private(set) var connections: [RecordedConnection] = []
    private var section = ""
    private var isOpen = false
    /// The requests without a reply: the position of one of the server, or `nil` for that of the client. A reply belongs to the last one.
    private var unanswered: [Int?] = []

    mutating func read(_ line: Transcript.Line) {
        switch line {
        case .section(let title): (section, isOpen) = (title, false)
        case .connection: isOpen = false
        case .client(let request):
            if !isOpen { open(Subprotocol.versions) }
            connections[connections.count - 1].exchanges.append(RecordedConnection.Exchange(request: request))
            unanswered = [nil]
        case .server(let request): ask(request)
        case .reply(let reply): answer(reply)
        case .other(let text):
            if let chosen = text.firstMatch(of: /-> 101 Sec-WebSocket-Protocol="([^"]*)"/) {
                open(String(chosen.1))
            } else if text.contains("<- proveAttachment ") {
                // Its body was not recorded.
                var request = Transcript.Message()
                request.profile = "proveAttachment"
                ask(request)
            }
        }
    }

    private mutating func open(_ subprotocol: String) {
        connections.append(RecordedConnection(section: section, subprotocol: subprotocol))
        (isOpen, unanswered) = (true, [])
    }

    private mutating func ask(_ request: Transcript.Message) {
        change { exchange in exchange.questions.append(RecordedConnection.Question(request: request)) }
        if !request.isNoReply, let count = connections.last?.exchanges.last?.questions.count { unanswered.append(count - 1) }
    }

    private mutating func answer(_ reply: Transcript.Message) {
        guard !unanswered.isEmpty else { return }
        let index = unanswered.removeLast()
        change { exchange in
            if let index { exchange.questions[index].answer = reply } else { exchange.reply = reply }
        }
    }

    /// Changes the last request of the client.
    private mutating func change(_ body: (inout RecordedConnection.Exchange) -> Void) {
        guard isOpen, let count = connections.last?.exchanges.count, count > 0 else { return }
        body(&connections[connections.count - 1].exchanges[count - 1])
    }
}

/// The entries of the property `history` of a revision. Versions can come in any order.
struct HistoryEntries {
    var merged: Set<String> = []
    var previous: Set<String> = []
    /// The IDs in trees, newest first.
    var trees: [String] = []

    init(_ text: String?) {
        let parts = (text ?? "").replacing(" ", with: "").split(separator: ";", omittingEmptySubsequences: false)
        let names = parts.map { $0.split(separator: ",").map(String.init) }
        if names.count > 1 { merged = Set(names[0]) }
        let rest = names.last ?? []
        previous = Set(rest.filter { $0.contains("@") })
        trees = rest.filter { !$0.contains("@") }
    }

    /// The previous versions, without those that stand for revisions of trees.
    var previousWithoutTrees: Set<String> { previous.filter { !$0.hasSuffix("@Revision+Tree+Encoding") } }
}
