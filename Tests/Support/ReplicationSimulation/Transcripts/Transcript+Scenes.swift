extension Transcript {
    /// A pull in a transcript: a subscription, and the messages that the server sent for it.
    package struct Pull {
        package var section = ""
        package var subscription = Message()
        package var answer: Message?
        /// The `changes`, `rev` and `norev` messages, in order.
        package var messages: [Message] = []
        /// The client's requests for blobs, and the replies.
        package var blobs: [(request: Message, reply: Message)] = []
    }

    /// A revision pushed by the client.
    package struct Push {
        package var revision = Message()
        /// The requests that the server sent before it replied.
        package var questions: [Message] = []
        package var reply = Message()
    }

    /// All pulls, in order.
    package var pulls: [Pull] {
        var pulls: [Pull] = []
        var section = ""
        var isOpen = false
        var unanswered: [Message] = []
        for line in lines {
            switch line {
            case .section(let title):
                section = title
                isOpen = false
                unanswered = []
            case .connection:
                isOpen = false
                unanswered = []
            case .client(let message):
                if message.profile == "subChanges" {
                    pulls.append(Pull(section: section, subscription: message))
                    isOpen = true
                }
                if !message.isNoReply { unanswered.append(message) }
            case .server(let message):
                if isOpen, ["changes", "rev", "norev"].contains(message.profile) {
                    pulls[pulls.count - 1].messages.append(message)
                }
            case .reply(let reply):
                guard !unanswered.isEmpty else { continue }
                let request = unanswered.removeFirst()
                guard isOpen else { continue }
                if request.profile == "subChanges" { pulls[pulls.count - 1].answer = reply }
                if request.profile == "getAttachment" { pulls[pulls.count - 1].blobs.append((request, reply)) }
            case .other: break
            }
        }
        return pulls
    }

    /// All pushed revisions, in order.
    package var pushes: [Push] {
        var pushes: [Push] = []
        var current: Push?
        for line in lines {
            switch line {
            case .client(let message): current = message.profile == "rev" ? Push(revision: message) : nil
            case .server(let message): current?.questions.append(message)
            case .reply(let reply):
                current?.reply = reply
                if let push = current { pushes.append(push) }
                current = nil
            case .section, .connection, .other: break
            }
        }
        return pushes
    }

    /// The contents of the blobs that the server sent.
    package var blobs: [[UInt8]] {
        pulls.flatMap(\.blobs).filter { !$0.reply.isError }.map(\.reply.body)
    }
}
