#if Replication
import Foundation
import Hub
import TestSupport
import TestTraits
import Testing

@Suite("The feed of changes through a WebSocket", .ownThreads)
struct SocketFeedTests {
    private static let path = "/db/_changes?feed=websocket"

    @Test("the feed sends the changes so far, then an empty array, and then changes as they are made")
    func changes() async throws {
        try await withHub { hub in
            for name in ["a", "b"] { _ = try await hub.send("PUT", "/db/\(name)", "{}") }
            let client = try FeedClient(port: hub.port, Self.path)
            #expect(client.head.hasPrefix("HTTP/1.1 101 "))
            #expect(client.head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            #expect(!client.head.lowercased().contains("sec-websocket-protocol"))
            client.send("{}")
            #expect(client.next() == .changes(["a", "b"], hasDocuments: false))
            #expect(client.next() == .changes([], hasDocuments: false))
            for name in ["c", "d"] {
                _ = try await hub.send("PUT", "/db/\(name)", "{}")
                #expect(client.next() == .changes([name], hasDocuments: false))
            }
            client.close()
            #expect(client.next() == .end)
        }
    }

    @Test("the first message contains the options, which have precedence over those of the URL")
    func options() async throws {
        try await withHub { hub in
            for name in ["a", "b", "c"] { _ = try await hub.send("PUT", "/db/\(name)", #"{"n":1}"#) }
            let client = try FeedClient(port: hub.port, Self.path + "&since=2&include_docs=true")
            client.send(#"{"since":1,"limit":2}"#)
            // Documents are sent one by one.
            #expect(client.next() == .changes(["b"], hasDocuments: true))
            #expect(client.next() == .changes(["c"], hasDocuments: true))
            #expect(client.next() == .close(code: 1000, reason: ""))
            let chosen = try FeedClient(port: hub.port, Self.path)
            chosen.send(#"{"filter":"_doc_ids","doc_ids":["b"]}"#)
            #expect(chosen.next() == .changes(["b"], hasDocuments: false))
        }
    }

    @Test("the feed contains only what the user may read, also after rights have changed")
    func rights() async throws {
        try await withHub { hub in
            for (name, channels) in [("anna", ["mine"]), ("root", ["*"])] {
                #expect(try hub.hub.users.add(name, password: "secret", channels: channels))
            }
            for (name, channel) in [("a", "mine"), ("b", "other")] {
                _ = try await hub.send("PUT", "/db/\(name)", #"{"channels":["\#(channel)"]}"#, user: "root")
            }
            let refused = try FeedClient(port: hub.port, Self.path)
            #expect(refused.head.hasPrefix("HTTP/1.1 401 "))
            let client = try FeedClient(port: hub.port, Self.path, user: "anna")
            client.send("{}")
            #expect(client.next() == .changes(["_user/anna"], hasDocuments: false))
            #expect(client.next() == .changes(["a"], hasDocuments: false))
            #expect(client.next() == .changes([], hasDocuments: false))
            _ = try hub.hub.users.change("anna", channels: ["mine", "other"])
            #expect(client.next() == .changes(["_user/anna"], hasDocuments: false))
            #expect(client.next() == .changes(["b"], hasDocuments: false))
            #expect(try hub.hub.users.remove("anna"))
            guard case .close = client.next() else {
                Issue.record("the feed of a removed user goes on")
                return
            }
        }
    }

    @Test("wrong options close the WebSocket with a reason, and other requests are refused")
    func wrongOptions() async throws {
        try await withHub { hub in
            #expect(try await hub.send("GET", Self.path).status == 400)
            #expect(try await hub.send("POST", "/db/_changes", #"{"feed":"websocket"}"#).status == 400)
            for text in ["x", "[]", #"{"since":"x"}"#, #"{"filter":"other"}"#, #"{"doc_ids":1,"filter":"_doc_ids"}"#] {
                let client = try FeedClient(port: hub.port, Self.path)
                client.send(text)
                guard case .close(code: 1008, let reason) = client.next() else {
                    Issue.record("\(text) was accepted")
                    continue
                }
                #expect(!reason.isEmpty, "\(text)")
            }
            let large = try FeedClient(port: hub.port, Self.path)
            large.send(#"{"a":"\#(String(repeating: "x", count: 1 << 20))"}"#)
            guard case .close(code: 1009, reason: _) = large.next() else {
                Issue.record("a message that is too large was accepted")
                return
            }
            let client = try FeedClient(port: hub.port, Self.path)
            client.send(#"{"a":"\#(String(repeating: "x", count: 60_000))"}"#)
            #expect(client.next() == .changes([], hasDocuments: false))
        }
    }

    @Test("a hub stops although clients of the feed wait, or have sent no options")
    func stop() async throws {
        var clients: [FeedClient] = []
        try await withHub { hub in
            clients = try (0..<3).map { _ in try FeedClient(port: hub.port, Self.path) }
            clients[0].send("{}")
            #expect(clients[0].next() == .changes([], hasDocuments: false))
        }
        for client in clients {
            guard case .close(code: 1001, reason: _) = client.next() else {
                Issue.record("a client of a stopped hub is not told")
                continue
            }
        }
    }

    @Test("the row of the user comes first, unless the client was served with the same channels, and a feed of chosen documents has none")
    func userRow() async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["mine"]))
            for name in ["a", "b"] { _ = try await hub.send("PUT", "/db/\(name)", #"{"channels":["mine"]}"#, user: "anna") }
            let first = try FeedClient(port: hub.port, Self.path, user: "anna")
            first.send(#"{"limit":1}"#)
            #expect(first.next() == .changes(["_user/anna"], hasDocuments: false))
            #expect(first.next() == .changes(["a"], hasDocuments: false))
            #expect(first.next() == .close(code: 1000, reason: ""))
            let second = try FeedClient(port: hub.port, Self.path, user: "anna")
            second.send(#"{"since":1}"#)
            #expect(second.next() == .changes(["b"], hasDocuments: false))
            let chosen = try FeedClient(port: hub.port, Self.path, user: "anna")
            chosen.send(#"{"filter":"_doc_ids","doc_ids":["a"]}"#)
            #expect(chosen.next() == .changes(["a"], hasDocuments: false))
            let other = try await hub.send("GET", "/db/_changes?since=0", user: "anna")
            #expect(!other.text.contains("_user/"))
        }
    }

    @Test(
        "a client that accepts gzip receives binary messages, which together are one compressed stream",
        arguments: ["accept_encoding", "Accept-Encoding"]
    )
    func compressedMessages(name: String) async throws {
        try await withHub { hub in
            let text = String(repeating: "x", count: 5_000)
            for name in ["a", "b"] { _ = try await hub.send("PUT", "/db/\(name)", #"{"text":"\#(text)"}"#) }
            let client = try FeedClient(port: hub.port, Self.path + "&include_docs=true")
            client.send(#"{"\#(name)":"gzip"}"#)
            let file = hub.directory.url.appendingPathComponent("messages.gz")
            let gzip = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["gzip"])
            var (received, known) = ([UInt8](), "")
            for wanted in [["a"], ["b"], []] {
                guard case .binary(let bytes) = client.next() else {
                    Issue.record("the message is a text")
                    continue
                }
                #expect(bytes.count < 500)
                received += bytes
                try Data(received).write(to: file)
                // The stream has no end yet, but each message can be read.
                let stream = try await gzip.run(["-dc", file.path]).output
                #expect(stream.hasPrefix(known))
                let message = stream.dropFirst(known.count)
                let changes = try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [[String: Any]]
                #expect(changes?.map { $0["id"] as? String } == wanted)
                #expect(changes?.allSatisfy { ($0["doc"] as? [String: Any])?["text"] as? String == text } == true)
                known = stream
            }
        }
    }

}
#endif
