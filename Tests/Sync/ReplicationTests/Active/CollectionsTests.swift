import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Replication of named collections")
struct CollectionsTests {
    private func side() throws -> (PushingSide, [CollectionID], [String]) {
        let side = try PushingSide(.oneShot, pull: .oneShot)
        let ids = [try CollectionID(name: "items", scope: "inv"), try CollectionID(name: "notes")]
        for id in ids { _ = try side.replica.file.createCollection(id) }
        side.options.collections = ids.map { CollectionOptions($0) }
        let names = try ids.map {
            try CheckpointID(
                databaseUUID: side.replica.database.file.ensuredPrivateUUID(),
                collection: $0,
                remoteURL: PushingSide.url
            ).name()
        }
        return (side, ids, names)
    }

    @Test("a replicator requests its collections first and numbers the collection in every later message")
    func transcript() throws {
        let (side, ids, names) = try side()
        let identity = try #require(try side.replica.database.collection(ids[0])).identity()
        let json = #"{"time":1700000000,"remote":9,"collection":\#(identity)}"#
        try side.replica.database.setCheckpoint(names[0], Array(json.utf8))
        let note = try side.replica.save("n", "{}", in: ids[1])
        let peer = try side.connect(answeringCheckpoint: false)
        let request = try peer.next("getCollections")
        #expect(
            ScriptedPeer.line(request) == """
                REQ 1 {Profile:getCollections} {"checkpoint_ids":["\(names[0])","\(names[1])"],\
                "collections":["inv.items","notes"]}
                """
        )
        #expect(peer.waiting == [])
        peer.respond(to: request, [:], #"[{"_rev":"0-3","remote":9,"time":1700000000},{}]"#)
        let subscriptions = [try peer.first("subChanges"), try peer.first("subChanges")]
        #expect(subscriptions.map { $0.properties["collection"] } == ["0", "1"])
        #expect(subscriptions.map { $0.properties["since"] } == ["9", nil])
        // The order of the collections is not specified.
        let ends = [try peer.first("proposeChanges"), try peer.first("proposeChanges")]
            .sorted { $0.properties["collection"] ?? "" < $1.properties["collection"] ?? "" }
        #expect(ends.map { $0.properties["collection"] } == ["0", "1"])
        #expect(ends[0].text == "[]" && ends[1].text.hasPrefix(#"[["n","\#(note)","#))
        peer.respond(to: ends[1], [:], "[]")
        let rev = try peer.first("rev")
        #expect(rev.properties["collection"] == "1")
        peer.respond(to: rev)
        for subscription in subscriptions { peer.respond(to: subscription) }
        for index in ["0", "1"] {
            peer.send("changes", ["collection": index], "null", isNoReply: true)
        }
        let save = try peer.next("setCheckpoint")
        #expect(save.properties["collection"] == "1" && save.properties["client"] == names[1])
        peer.respond(to: save, ["rev": "0-1"])
        #expect(peer.closure?.code == 1000 && peer.disconnect() == nil)
    }

    @Test("the checkpoint of a collection that was deleted and created again is ignored", arguments: [true, false])
    func createdAgain(isIdentified: Bool) throws {
        let (side, ids, names) = try side()
        let collection = try #require(try side.replica.database.collection(ids[0]))
        let member = isIdentified ? #","collection":\#(try collection.identity())"# : ""
        try side.replica.database.setCheckpoint(names[0], Array(#"{"time":1700000000,"remote":9\#(member)}"#.utf8))
        try side.replica.file.deleteCollection(ids[0])
        _ = try side.replica.file.createCollection(ids[0])
        #expect(try (side.replica.database.checkpoint(names[0]) == nil) == isIdentified)
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), [:], #"[{"_rev":"0-3","remote":9,"time":1700000000},{}]"#)
        #expect(try peer.first("subChanges").properties["since"] == nil)
    }

    @Test("a collection that the peer does not have ends the session with an error that names the collection")
    func unknown() throws {
        let (side, _, _) = try side()
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), [:], "[{},null]")
        #expect(peer.closure?.code == 1000 && peer.waiting == [])
        let error = peer.disconnect()
        #expect(error?.domain == .webSocket && error?.code == 404 && error?.message.contains("notes") == true)
    }

    @Test("a server without named collections ends the session with an error that says so")
    func oldServer() throws {
        let (side, _, _) = try side()
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), error: SyncError(.blip, 404, "No handler for BLIP request"))
        #expect(peer.closure?.code == 4002)
        #expect(peer.disconnect()?.message.contains("named collections") == true)
    }

    @Test("a malformed reply to getCollections ends the session with an error", arguments: ["[{}]", "{}", "", "[{},{},{}]"])
    func nonsense(json: String) throws {
        let (side, _, _) = try side()
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), [:], json)
        #expect(peer.closure?.code == 4002 && peer.disconnect()?.code == 26)
    }

    @Test("a collection that is missing in the local database ends the session with an error")
    func missingHere() throws {
        let side = try PushingSide()
        side.options.collections = [CollectionOptions(try CollectionID(name: "nowhere"))]
        let peer = try side.connect(answeringCheckpoint: false)
        #expect(peer.waiting == [] && peer.closure?.code == 4002)
        #expect(peer.disconnect()?.code == 7)
    }

    @Test(
        "an active session refuses requests whose collection property is missing, out of range or unexpected",
        arguments: ["getAttachment", "changes", "rev", "anything"]
    )
    func misuse(profile: String) throws {
        let (aware, _, _) = try side()
        var peer = try aware.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCollections"), [:], "[{},{}]")
        for index in [nil, "2", "-1", "x"] {
            var properties: Properties = [:]
            properties["collection"] = index
            #expect(
                peer.reply(to: peer.send(profile, properties))?.error
                    == SyncError(.http, 400, message(isMissing: index == nil))
            )
        }
        let plain = try PushingSide(.continuous)
        peer = try plain.connect()
        let reply = peer.reply(to: peer.send(profile, ["collection": "0"]))
        #expect(reply?.error == SyncError(.http, 400, message(isMissing: true)))
    }

    private func message(isMissing: Bool) -> String {
        isMissing
            ? "inappropriate use of the collection property." : "the collection property is out of range."
    }

    @Test(
        "an active session answers requests without a handler with BLIP error 404",
        arguments: ["changes", "rev", "proposeChanges", "getCheckpoint", "", "PING"]
    )
    func unknownProfile(profile: String) throws {
        let side = try PushingSide(.continuous)
        let peer = try side.connect()
        #expect(peer.reply(to: peer.send(profile))?.error == SyncError(.blip, 404, "no handler for message"))
        #expect(peer.closure == nil)
    }
}
