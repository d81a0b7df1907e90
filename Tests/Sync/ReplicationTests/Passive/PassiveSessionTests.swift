import BLIP
import DocumentStore
import Replication
import ReplicationSimulation
import SyncCore
import Testing

@Suite("Passive sessions")
struct PassiveSessionTests {
    private let items: CollectionID
    private let notes: CollectionID

    init() throws {
        items = try CollectionID(name: "items", scope: "inv")
        notes = try CollectionID(name: "notes")
    }

    // MARK: Messages

    @Test(
        "a request with an unknown or missing profile is answered with BLIP error 404",
        arguments: ["nosuchprofile", "PING", "unsubChanges", "getRev", ""]
    )
    func unknownProfile(profile: String) throws {
        let client = try ScriptedClient()
        let token = client.send(profile.isEmpty ? nil : profile, ["client": "x"])
        #expect(client.reply(to: token)?.error == SyncError(.blip, 404, "no handler for message"))
        // The message contains no information about collections.
        #expect(client.ask("getCollections", [:], #"{"checkpoint_ids":["c"],"collections":["_default"]}"#).hasPrefix("RES"))
    }

    @Test("a client that has saved a checkpoint finds none after the collection was deleted and created again")
    func createdAgain() throws {
        let client = try ScriptedClient(PassiveOptions(collections: [notes]))
        let choice = #"{"checkpoint_ids":["cp"],"collections":["notes"]}"#
        client.ask("getCollections", [:], choice)
        #expect(client.ask("setCheckpoint", ["client": "cp", "rev": "", "collection": "0"], #"{"local":1}"#).hasPrefix("RES"))
        let known = ScriptedClient(of: client.database, PassiveOptions(collections: [notes]))
        #expect(known.ask("getCollections", [:], choice).contains(#""local":1"#))
        try client.database.recreate(notes)
        // The session before the change does not know the new collection.
        client.ask("setCheckpoint", ["client": "cp", "rev": "1-cc", "collection": "0"], #"{"local":2}"#)
        let next = ScriptedClient(of: client.database, PassiveOptions(collections: [notes]))
        #expect(next.ask("getCollections", [:], choice) == "RES Content-Type=application/json [{}]")
        #expect(next.ask("getCheckpoint", ["client": "cp", "collection": "0"]) == "HTTP/404")
        #expect(next.ask("setCheckpoint", ["client": "cp", "rev": "", "collection": "0"], #"{"local":3}"#) == "RES rev=1-cc")
    }

    @Test("a request with the no-reply flag gets no reply")
    func noReply() throws {
        let client = try ScriptedClient()
        let tokens = [
            client.send("getCheckpoint", ["client": "x"], isNoReply: true),
            client.send("nosuchprofile", isNoReply: true),
            client.send("norev", ["id": "a", "rev": "1-aa", "sequence": "1", "error": "404"], isNoReply: true),
        ]
        #expect(client.ask("getCheckpoint", ["client": "x"]) == "HTTP/404")
        #expect(tokens.allSatisfy { client.reply(to: $0) == nil })
        #expect(client.closure == nil)
    }

    @Test("forty requests sent in a row are all answered")
    func manyRequests() throws {
        let client = try ScriptedClient()
        let tokens = (0..<40).map { client.send("getCheckpoint", ["client": "none\($0)"], isUrgent: $0 % 3 == 0) }
        #expect(tokens.allSatisfy { client.summary(of: client.reply(to: $0)) == "HTTP/404" })
    }

    /// The frames of a long request, with those of a short one after the first.
    private func interleavedFrames(_ client: ScriptedClient) throws -> [[UInt8]] {
        let body = Array(String(repeating: "x", count: 40_000).utf8)
        client.connection.send(OutgoingMessage(["Profile": "setCheckpoint", "client": "cp"], body: body))
        client.connection.send(OutgoingMessage(["Profile": "getCheckpoint", "client": "cp"], isUrgent: true))
        var frames: [[UInt8]] = []
        while let frame = client.connection.nextFrame() { frames.append(frame) }
        try #require(frames.count > 3)
        return frames
    }

    @Test("a client that does not send the rest of a request for a minute is disconnected, even if it sends another one")
    func stalledRequest() throws {
        let client = try ScriptedClient()
        let frames = try interleavedFrames(client)
        client.tell(frames: [frames[0]])
        client.advance(by: .seconds(50))
        client.tell(frames: [frames[1]])
        client.advance(by: .milliseconds(9999))
        #expect(client.closure == nil)
        client.advance(by: .milliseconds(1))
        #expect(client.closure?.code == CloseCode.retry.rawValue)
    }

    @Test("a request that arrives slowly is answered, and the client stays connected", arguments: [false, true])
    func slowRequest(isSuspended: Bool) throws {
        let client = try ScriptedClient()
        for frame in try interleavedFrames(client) {
            client.tell(frames: [frame])
            if isSuspended { client.suspend(for: .seconds(3600)) }
            client.advance(by: .seconds(25))
        }
        client.advance(by: .seconds(3600))
        #expect(client.closure == nil)
        #expect(client.replies.count == 2)
    }

    // MARK: Checkpoints

    @Test("a checkpoint can be overwritten only with its current revision and is read back unchanged")
    func checkpoint() throws {
        let client = try ScriptedClient()
        let json = #"{"local":10,"remote":"5::7"}"#
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == "HTTP/404")
        #expect(client.ask("setCheckpoint", ["client": "cp", "rev": ""], json) == "RES rev=1-cc")
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == "RES rev=1-cc " + json)
        #expect(client.ask("setCheckpoint", ["client": "cp", "rev": "1-cc"], #"{"local":11}"#) == "RES rev=2-cc")
        for token: Properties in [["client": "cp"], ["client": "cp", "rev": "1-cc"], ["client": "cp", "rev": "0-99"]] {
            #expect(client.ask("setCheckpoint", token, #"{"local":12}"#) == "HTTP/409")
        }
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == #"RES rev=2-cc {"local":11}"#)
    }

    @Test("a checkpoint is kept for the next connection, and a new one must not have a revision")
    func checkpointSurvives() throws {
        let client = try ScriptedClient()
        #expect(client.ask("setCheckpoint", ["client": "cp"], #"{"remote":3}"#) == "RES rev=1-cc")
        #expect(client.ask("setCheckpoint", ["client": "other", "rev": "0-7"], "{}") == "HTTP/409")
        client.leave()
        #expect(ScriptedClient(of: client.database).ask("getCheckpoint", ["client": "cp"]) == #"RES rev=1-cc {"remote":3}"#)
    }

    @Test("a checkpoint that is not a JSON object is rejected", arguments: ["", "{nope", "[1]", "7", "null"])
    func malformedCheckpoint(body: String) throws {
        let client = try ScriptedClient()
        #expect(client.ask("setCheckpoint", ["client": "cp"], body) == "BLIP/400")
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == "HTTP/404")
    }

    @Test("a checkpoint with a missing or overlong client ID is rejected")
    func namelessCheckpoint() throws {
        let client = try ScriptedClient()
        #expect(client.ask("getCheckpoint") == "BLIP/400")
        #expect(client.ask("setCheckpoint", [:], "{}") == "BLIP/400")
        #expect(client.ask("getCheckpoint", ["client": String(repeating: "x", count: 513)]) == "BLIP/400")
    }

    @Test("a checkpoint has at most 64 KiB")
    func longCheckpoint() throws {
        let client = try ScriptedClient()
        let fits = #"{"a":""# + String(repeating: "x", count: (64 << 10) - 8) + #""}"#
        #expect(client.ask("setCheckpoint", ["client": "cp"], fits) == "RES rev=1-cc")
        #expect(client.ask("setCheckpoint", ["client": "cp", "rev": "1-cc"], fits + " ") == "BLIP/400")
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == "RES rev=1-cc " + fits)
    }

    @Test("an oversized request is rejected, and the connection stays open")
    func longRequest() throws {
        let client = try ScriptedClient()
        let long = "[" + String(repeating: " ", count: 5 << 20) + "]"
        #expect(client.ask("proposeChanges", [:], long) == "HTTP/413")
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == "HTTP/404")
    }

    // MARK: Collections

    @Test("getCollections returns checkpoints, and later requests use collection indexes")
    func collections() throws {
        let options = PassiveOptions(collections: [.default, items, notes])
        let client = try ScriptedClient(options)
        let question = #"{"checkpoint_ids":["cp-P","cp-Q"],"collections":["inv.items","notes"]}"#
        #expect(client.ask("getCollections", [:], question) == "RES Content-Type=application/json [{},{}]")
        #expect(client.ask("setCheckpoint", ["client": "cp-P", "collection": "0"], #"{"local":1}"#) == "RES rev=1-cc")
        #expect(client.ask("getCheckpoint", ["client": "cp-Q", "collection": "1"]) == "HTTP/404")
        let other = ScriptedClient(of: client.database, options)
        #expect(
            other.ask("getCollections", [:], question)
                == #"RES Content-Type=application/json [{"rev":"1-cc","local":1},{}]"#
        )
        #expect(other.ask("getCollections", [:], question) == "BLIP/400")
    }

    @Test("unknown collections are null in the reply to getCollections, and then no collection is served")
    func unknownCollections() throws {
        let client = try ScriptedClient(PassiveOptions(collections: [items, notes]))
        let question =
            #"{"checkpoint_ids":["a","b","c","d"],"collections":["inv.items","_default.notes","nosuch","other.items"]}"#
        #expect(client.ask("getCollections", [:], question) == "RES Content-Type=application/json [{},{},null,null]")
        for (number, answer) in [(nil, "HTTP/400"), ("7", "HTTP/400"), ("x", "HTTP/400"), ("0", "HTTP/404")] {
            var properties: Properties = ["client": "x"]
            properties["collection"] = number
            #expect(client.ask("getCheckpoint", properties) == answer)
        }
    }

    @Test("a configured collection that does not exist is unknown")
    func missingCollection() throws {
        let simulation = Simulation(seed: 1)
        let database = try SimulatedDatabase("server", in: simulation)
        let client = ScriptedClient(of: database, PassiveOptions(collections: [.default, items]))
        #expect(
            client.ask("getCollections", [:], #"{"checkpoint_ids":["a","b"],"collections":["_default","inv.items"]}"#)
                == "RES Content-Type=application/json [{},null]"
        )
    }

    @Test("a request for the default collection fails when that collection is not served")
    func noDefaultCollection() throws {
        let client = try ScriptedClient(PassiveOptions(collections: [items]))
        let token = client.send("getCheckpoint", ["client": "x"])
        #expect(
            client.reply(to: token)?.error
                == SyncError(.blip, 400, "This server is not configured for 3.0 client support")
        )
    }

    @Test("a collection index without getCollections is rejected")
    func numberTooEarly() throws {
        let client = try ScriptedClient()
        #expect(client.ask("getCheckpoint", ["client": "x", "collection": "0"]) == "HTTP/400")
    }

    // MARK: Read-only

    @Test("a read-only session refuses revisions and accepts checkpoints and subscriptions")
    func readOnly() throws {
        var options = PassiveOptions(collections: [.default])
        options.isReadOnly = true
        let client = try ScriptedClient(options)
        for profile in ["changes", "proposeChanges", "rev"] {
            let token = client.send(profile, ["id": "a", "rev": "1-aa"], "[]")
            #expect(client.reply(to: token)?.error == SyncError(.http, 403, "Attempting to push to a pull-only replicator"))
        }
        #expect(client.ask("setCheckpoint", ["client": "cp"], "{}") == "RES rev=1-cc")
        #expect(client.ask("subChanges") == "RES")
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
    }

    // MARK: The end

    @Test("a passive session is idle until a client subscribes and ends with the connection without an error")
    func ends() throws {
        let client = try ScriptedClient()
        #expect(client.status.isBusy == false)
        try client.database.save("a", "{}")
        client.ask("subChanges")
        #expect(client.status.isBusy)
        #expect(client.leave() == nil)
    }

    @Test(
        "a connection that closes abnormally ends the passive session with an error",
        arguments: [(1001, 1001), (nil, 1006), (4002, 4002)]
    )
    func endsBadly(code: Int?, error: Int) throws {
        let client = try ScriptedClient()
        let ending = client.leave(code: code)
        #expect(ending?.domain == .webSocket && ending?.code == error)
    }
}
