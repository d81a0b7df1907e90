#if Replication
import Foundation
import SyncCore
import TestSupport
import TestTraits
import Testing
import WebServer

@testable import Hub

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

    // MARK: The end

    @Test("a feed whose login has ended is closed with the code 1008 and the reason", arguments: ["removed", "disabled", "new password"])
    func endOfLogin(change: String) async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: []))
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            let client = try FeedClient(port: hub.port, Self.path, user: "anna")
            client.send("{}")
            #expect(client.next() == .changes(["_user/anna"], hasDocuments: false))
            #expect(client.next() == .changes([], hasDocuments: false))
            switch change {
            case "removed": #expect(try hub.hub.users.remove("anna"))
            case "disabled": #expect(try hub.hub.users.change("anna", isDisabled: true))
            default: #expect(try hub.hub.users.change("anna", password: "other"))
            }
            #expect(client.next() == .close(code: 1008, reason: "Login required"))
            client.send(opcode: 8, [0x03, 0xF0])
            #expect(client.next() == .end)
        }
    }

    @Test("a violation of the protocol closes the WebSocket with the code 1002")
    func violations() async throws {
        let noMask: [UInt8] = [0x81, 0x02, 0x7B, 0x7D]
        let mask: [UInt8] = [0, 0, 0, 0]
        let violations: [(name: String, bytes: [UInt8])] = [
            ("a frame without a mask", noMask), ("a reserved bit", [0xC1, 0x80] + mask), ("an unknown opcode", [0x83, 0x80] + mask),
            ("a ping in parts", [0x09, 0x80] + mask), ("a ping of 126 bytes", [0x89, 0xFE, 0, 126] + mask),
            ("the second part of no message", [0x80, 0x80] + mask),
            ("a message inside of another", [0x01, 0x80] + mask + [0x81, 0x80] + mask),
            ("half a close code", [0x88, 0x81] + mask + [0x03]), ("a close code that is never sent", [0x88, 0x82] + mask + [0x03, 0xED]),
        ]
        try await withHub { hub in
            for (name, bytes) in violations {
                let client = try FeedClient(port: hub.port, Self.path)
                client.send(raw: bytes)
                guard case .close(code: 1002, let reason) = client.next() else {
                    Issue.record("\(name) is no violation")
                    continue
                }
                #expect(!reason.isEmpty, "\(name)")
            }
        }
    }

    @Test(
        "options that are not UTF-8 close the WebSocket with the code 1007, and binary messages are accepted",
        arguments: [1, 2] as [UInt8]
    )
    func encoding(opcode: UInt8) async throws {
        try await withHub { hub in
            let wrong = try FeedClient(port: hub.port, Self.path)
            wrong.send(opcode: opcode, Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
            #expect(wrong.next() == .close(code: 1007, reason: "The options are not UTF-8"))
            let client = try FeedClient(port: hub.port, Self.path)
            client.send(opcode: opcode, Array("{}".utf8))
            #expect(client.next() == .changes([], hasDocuments: false))
        }
    }

    @Test("a message that is too large closes the WebSocket with the code 1009 before it is complete, also in parts")
    func largeMessages() async throws {
        try await withHub { hub in
            for start: [UInt8] in [[0x81], [0x01, 0x80, 0, 0, 0, 0, 0x80]] {
                let client = try FeedClient(port: hub.port, Self.path)
                // The head says that the message has a byte more than 1 MiB.
                client.send(raw: start + [0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0])
                guard case .close(code: 1009, let reason) = client.next() else {
                    Issue.record("a message that is too large was accepted")
                    continue
                }
                #expect(!reason.isEmpty)
            }
        }
    }

    @Test("the close frame of a client is answered with its own code", arguments: [nil, 1000, 1001, 3000, 4999] as [Int?])
    func closeOfClient(code: Int?) async throws {
        try await withHub { hub in
            for sendsOptions in [false, true] {
                let client = try FeedClient(port: hub.port, Self.path)
                if sendsOptions {
                    client.send("{}")
                    #expect(client.next() == .changes([], hasDocuments: false))
                }
                client.send(opcode: 8, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? [])
                #expect(client.next() == .close(code: code ?? 0, reason: ""))
                #expect(client.next() == .end)
            }
        }
    }

    @Test("a flood of pings does not end the feed")
    func pings() async throws {
        try await withHub { hub in
            let client = try FeedClient(port: hub.port, Self.path)
            for _ in 0..<600 { client.send(opcode: 9, [UInt8](repeating: 0x61, count: 125)) }
            client.send("{}")
            #expect(client.next() == .changes([], hasDocuments: false))
            for _ in 0..<600 { client.send(opcode: 9, []) }
            _ = try await hub.send("PUT", "/db/a", "{}")
            #expect(client.next() == .changes(["a"], hasDocuments: false))
            client.close()
        }
    }

    @Test("the close code says whether the client is to connect again, is refused, or the hub has failed")
    func codesOfErrors() {
        let codes: [Int: CloseCode] = [
            400: .policyViolation, 401: .policyViolation, 403: .policyViolation, 404: .policyViolation, 500: .internalError,
            502: .internalError, 503: .retry,
        ]
        for (status, code) in codes { #expect(SocketFeed.closeCode(of: WebError(status, "the reason")) == code, "\(status)") }
    }
}
#endif
