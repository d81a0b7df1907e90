import BLIP
import Replication
import SyncCore

/// A message of the corpus: lines of properties, `name: value`, an empty line and the body. Messages are separated by a line with `%`.
/// A message without a profile replies to the oldest unanswered request of the session; with the property `Error`, an HTTP status code,
/// it is an error reply.
struct WrittenMessage {
    private let properties: [(name: String, value: String)]
    private let body: [UInt8]

    var isAnswer: Bool { !properties.contains { $0.name == "Profile" } }

    static func messages(from bytes: [UInt8]) -> [WrittenMessage] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.split(separator: [UInt8(ascii: "%")]).prefix(20).map { WrittenMessage(lines: $0) }
    }

    private init(lines: ArraySlice<ArraySlice<UInt8>>) {
        properties = lines.prefix { !$0.isEmpty }.map { line in
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            // A null byte would terminate the name or the value (Replication 2.4).
            let words = parts.map { String(decoding: $0.filter { $0 != 0 }, as: UTF8.self) }
            return (words[0], String((words.last ?? "").drop { $0 == " " }))
        }
        body = Array(lines.drop { !$0.isEmpty }.dropFirst().joined(separator: [UInt8(ascii: "\n")]))
    }

    func send(over peer: FuzzingPeer) {
        var properties: Properties = [:]
        for (name, value) in self.properties { properties[name] = value }
        guard isAnswer else { return peer.send(OutgoingMessage(properties, body: body)) }
        guard let request = peer.dequeueRequest() else { return }
        if let error = properties["Error"] {
            peer.answer(request, error: SyncError(.http, Int(error) ?? 500, "no"))
        } else {
            peer.answer(request, with: OutgoingMessage(properties, body: body))
        }
    }
}
