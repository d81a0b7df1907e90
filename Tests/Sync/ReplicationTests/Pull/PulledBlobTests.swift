import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Pulled blobs")
struct PulledBlobTests: PulledBlobSuite {
    @Test("a blob is fetched before its document is stored and acknowledged")
    func fetched() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let body = #"{"note":\#(blob(digest, length: 12))}"#
        let reply = pull.rev("a", "1-aa", sequence: "1", body)
        let request = try pull.peer.dequeueOne("getAttachment")
        #expect(request.properties == ["Profile": "getAttachment", "digest": digest, "docID": "a", "compress": "true"])
        #expect(pull.peer.summary(reply) == "no reply" && pull.puller.isBusy)
        #expect(try pull.revision("a") == nil)
        pull.peer.respond(to: request, [:], content)
        #expect(pull.peer.summary(reply) == "RES")
        #expect(
            try stored(pull, digest) == content
                && pull.json("a") == #"{"note":\#(blob(digest).dropLast()),"length":12}}"#
        )
        #expect(pull.progress == ["1"])
        try pull.check()
    }

    @Test("a JPEG image is fetched without compression")
    func incompressible() throws {
        let pull = try TestPull { $0.collectionIndex = 2 }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, type: "image/jpeg"))}"#)
        let request = try pull.peer.dequeueOne("getAttachment")
        #expect(request.properties["compress"] == nil && request.properties["collection"] == "2")
    }

    @Test("a blob that is stored already is not fetched, and content shared by two documents is fetched once")
    func shared() throws {
        let pull = try TestPull()
        _ = try pull.replica.database.blobs.store(Array("hello".utf8))
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"],[3,"c","1-cc"]]"#)
        let replies = [
            pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest(of: "hello"), length: 5))}"#),
            pull.rev("b", "1-bb", sequence: "2", #"{"p":\#(blob(digest)),"q":\#(blob(digest))}"#),
            pull.rev("c", "1-cc", sequence: "3", #"{"p":\#(blob(digest))}"#),
        ]
        let request = try pull.peer.dequeueOne("getAttachment")
        pull.peer.respond(to: request, [:], content)
        #expect(pull.peer.dequeue("getAttachment").isEmpty)
        #expect(replies.map { pull.peer.summary($0) } == ["RES", "RES", "RES"])
        try pull.check()
    }

    @Test("an empty blob is fetched and stored")
    func emptyBlob() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest(of: ""), length: 0))}"#)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"))
        #expect(pull.peer.summary(reply) == "RES")
        #expect(try stored(pull, digest(of: "")) == "")
    }

    @Test("_attachments entries for blobs are removed, and other attachments are fetched and kept")
    func attachments() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let other = digest(of: "other")
        let body =
            #"{"note":\#(blob(digest)),"_attachments":{"blob_/note":{"digest":"\#(digest)","length":12,"revpos":1,"stub":true},"old":{"digest":"\#(other)","length":5,"revpos":1,"stub":true}}}"#
        pull.rev("a", "1-aa", sequence: "1", body)
        let requests = pull.peer.dequeue("getAttachment")
        #expect(Set(requests.map { $0.properties["digest"] }) == [digest, other])
        for request in requests {
            pull.peer.respond(to: request, [:], request.properties["digest"] == digest ? content : "other")
        }
        #expect(
            try pull.json("a")
                == #"{"_attachments":{"old":{"digest":"\#(other)","length":5,"revpos":1,"stub":true}},"note":\#(blob(digest))}"#
        )
        try pull.check()
    }

    @Test("a blob with wrong content is rejected together with its document", arguments: ["Hello, blub!", "Hello", "Hello, blob!!", ""])
    func wrongContent(_ wrong: String) throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest, length: 12))}"#)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], wrong)
        #expect(pull.peer.summary(reply) == "LiteCore/5")
        #expect(try pull.revision("a") == nil && stored(pull, digest) == nil)
        #expect(pull.ended == ["a LiteCore/5"] && pull.progress == ["1"])
        try pull.check()
    }

    @Test("a blob missing at the peer is a permanent error, and a temporarily unavailable blob a transient one")
    func missing() throws {
        for (error, ended, progress) in [
            (SyncError(.http, 404, "no"), "a WebSocket/404", ["1"]), (SyncError(.liteCore, 7), "a LiteCore/7", ["1"]),
            (SyncError(.http, 503), "a WebSocket/503 again", []),
        ] {
            let pull = try TestPull()
            pull.changes(#"[[1,"a","1-aa"]]"#)
            pull.caughtUp()
            let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
            pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), error: error)
            #expect(pull.peer.reply(to: reply)?.error != nil)
            #expect(pull.ended == [ended] && pull.progress == progress)
            #expect(!pull.puller.isBusy)
        }
    }

    @Test("a blob refused for one document is requested for the next document that refers to it")
    func nextDocument() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let replies = ["a", "b"].enumerated().map { index, id in
            pull.rev(id, "1-\(id)\(id)", sequence: "\(index + 1)", #"{"p":\#(blob(digest))}"#)
        }
        let first = try pull.peer.dequeueOne("getAttachment")
        #expect(first.properties["docID"] == "a")
        pull.peer.respond(to: first, error: SyncError(.http, 403))
        let second = try pull.peer.dequeueOne("getAttachment")
        #expect(second.properties["docID"] == "b")
        pull.peer.respond(to: second, [:], content)
        #expect(replies.map { pull.peer.summary($0) } == ["HTTP/403", "RES"])
    }

    @Test("a blob that is neither stored locally nor listed in _attachments is an error")
    func unlisted() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let body =
            #"{"note":\#(blob(digest)),"_attachments":{"x":{"digest":"\#(digest(of: "hello"))","length":5,"stub":true}}}"#
        let reply = pull.rev("a", "1-aa", sequence: "1", body)
        #expect(pull.peer.summary(reply) == "LiteCore/7" && pull.ended == ["a LiteCore/7"])
        _ = try pull.replica.database.blobs.store(Array(content.utf8))
        _ = try pull.replica.database.blobs.store(Array("hello".utf8))
        #expect(pull.peer.summary(pull.rev("b", "1-bb", sequence: "2", body)) == "RES")
    }
}
