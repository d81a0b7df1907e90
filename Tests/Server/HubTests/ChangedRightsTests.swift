#if Replication
import Replication
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("Rights that change during a request", .ownThreads)
struct ChangedRightsTests {
    @Test(
        "a request has the rights that its user has when its body is complete",
        arguments: [
            ("PUT", "/db/x", #"{"channels":["a"]}"#, 403), ("PUT", "/db/x?new_edits=false", #"{"_rev":"1-aa","channels":["a"]}"#, 403),
            ("POST", "/db/", #"{"_id":"x","channels":["a"]}"#, 403), ("PUT", "/db/old/f", "content", 403),
            ("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"x","channels":["a"]}]}"#, 201),
        ]
    )
    func slowBodies(method: String, path: String, body: String, status: Int) async throws {
        let hub = try StoppedRouter()
        #expect(try hub.users.add("anna", password: "secret", channels: ["a"]))
        let old = try DocumentInput(json: Array(#"{"channels":["a"]}"#.utf8))
        let revision = try DocumentWriting(keyspace: hub.hub.keyspace, access: { .guest }).store(old, as: "old", base: nil).revision
        let sent = try await hub.send(method, path.contains("/f") ? "\(path)?rev=\(revision)" : path, user: "anna")
        #expect(try hub.users.change("anna", channels: ["b"]))
        sent.finish(body)
        let answer = try await sent.answer()
        #expect(answer.status == status)
        #expect(answer.text.contains("missing channel access"))
        #expect(try hub.hub.keyspace.current("x") == nil)
        #expect(try hub.hub.keyspace.current("old")?.revision == revision)
        hub.close()
    }

    @Test("a local document is not stored if its user was removed before its body was complete")
    func localDocuments() async throws {
        let hub = try StoppedRouter()
        for name in ["anna", "root"] { #expect(try hub.users.add(name, password: "secret", channels: ["a"])) }
        let sent = try await hub.send("PUT", "/db/_local/mine", user: "anna")
        #expect(try hub.users.remove("anna"))
        sent.finish("{}")
        #expect(try await sent.answer().status == 401)
        #expect(try hub.hub.keyspace.database.replica.peerCheckpoint("local:anna:_default._default:mine") == nil)
        hub.close()
    }

    @Test("a query does not run if its user has lost the access to all documents while it waited for its turn")
    func queries() async throws {
        let hub = try StoppedRouter()
        #expect(try hub.users.add("root", password: "secret", channels: ["*"]))
        let turns = hub.hub.keyspace.database.queryTurns
        let running = Recorder<Int>()
        let streams = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
        let others = streams.enumerated().map { number, stream in
            Task {
                try await turns.run {
                    running.append(number)
                    for await _ in stream.stream {}
                }
            }
        }
        _ = await running.reaches { $0.count == 2 }
        let sent = try await hub.send("POST", "/db/_query", user: "root")
        sent.finish(#"{"query":"SELECT meta().id FROM _"}"#)
        await hub.settle()
        #expect(turns.waitingCount == 1)
        #expect(try hub.users.change("root", channels: ["a"]))
        for stream in streams { stream.continuation.finish() }
        #expect(try await sent.answer().status == 403)
        for other in others { try await other.value }
        hub.close()
    }
}
#endif
