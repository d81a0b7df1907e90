import BLIP
import Foundation
import TestSupport

/// A recorded conversation of a real client with a server, as a proxy has seen it: each block is a connection.
package struct Conversation {
    /// A connection.
    package struct Block {
        package let title: String
        package internal(set) var lines: [Line] = []

        /// The requests of one side, with the answers of the other, in the order of the requests.
        package func exchanges(ofClient isClient: Bool) -> [Exchange] {
            let requests = lines.filter { $0.isRequest && $0.isFromClient == isClient }
            let answers = lines.filter { !$0.isRequest && $0.isFromClient != isClient }
            return requests.map { request in
                Exchange(request: request.message, answer: answers.first { $0.number == request.number }?.message)
            }
        }
    }

    /// A request and its answer; `nil` if there is none.
    package struct Exchange {
        package let request: Transcript.Message
        package let answer: Transcript.Message?
    }

    package struct Line {
        package let message: Transcript.Message
        package let isFromClient: Bool
        package let isRequest: Bool
        /// The number of the request.
        let number: Int
    }

    package private(set) var blocks: [Block] = []

    /// Returns a recorded conversation of a release 4.x.
    package init(ofVersions name: String) throws {
        let folder = Fixtures.directory.appendingPathComponent("transcripts-4.x")
        let text = try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("== ") {
                blocks.append(Block(title: String(line.dropFirst(3))))
            } else if !blocks.isEmpty, let line = Line(line) {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
    }
}

extension Conversation.Line {
    /// Parses `  C>S rev#4 noreply collection="0" … body='{}'`; `nil` if it is no message.
    fileprivate init?(_ line: Substring) {
        var rest = line.drop { $0 == " " }
        guard ["C>S ", "A>P ", "C<S ", "A<P "].contains(where: rest.hasPrefix) else { return nil }
        isFromClient = rest.dropFirst().first == ">"
        rest = rest.dropFirst(4).drop { $0 == " " }
        let head = rest.prefix { $0 != " " }.split(separator: "#")
        guard head.count == 2, let number = Int(head[1]), let bodyStart = rest.range(of: "body=") else { return nil }
        self.number = number
        var message = Transcript.Message()
        isRequest = head[0] != "reply" && head[0] != "ERROR"
        message.isError = head[0] == "ERROR"
        if isRequest { message.profile = String(head[0]) }
        let body = rest[bodyStart.upperBound...].dropFirst().dropLast()
        message.body = Array(body.utf8)
        for word in rest[..<bodyStart.lowerBound].split(separator: " ").dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1)
            if word == "noreply" { message.isNoReply = true }
            guard parts.count == 2 else { continue }
            message.properties[String(parts[0])] = String(parts[1].dropFirst().dropLast())
        }
        // Values with blanks, such as a history, continue in the next word.
        for match in rest[..<bodyStart.lowerBound].matches(of: /(\w+|Content-Type|Error-\w+)="([^"]*)"/) {
            message.properties[String(match.1)] = String(match.2)
        }
        self.message = message
    }
}
