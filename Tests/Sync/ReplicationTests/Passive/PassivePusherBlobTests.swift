import BLIP
import DocumentStore
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

@Suite("Blobs for clients")
struct PassivePusherBlobTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    @Test("a client can fetch a blob before and after its revision is acknowledged")
    func blobs() throws {
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(blob)}"#)
        let rev = try #require(client.pull().first)
        #expect(!rev.text.contains("_attachments"))
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "a", "compress": "true"]) == "RES Hello, blob!")
        client.respond(to: rev)
        #expect(client.ask("getAttachment", ["digest": digest]) == "RES Hello, blob!")
        #expect(client.ask("getAttachment", ["digest": "sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90="]) == "LiteCore/7")
        #expect(client.ask("getAttachment", ["digest": "sha1-x"]) == "LiteCore/9")
        let nonce = String(decoding: (0..<20).map { UInt8($0) }, as: UTF8.self)
        #expect(client.ask("proveAttachment", ["digest": digest], nonce) == "RES sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90=")
    }

    @Test("a client that has refused a revision can fetch its blobs only by the document that has them")
    func blobsOfRefused() throws {
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(blob)}"#)
        client.respond(to: try #require(client.pull().first), error: SyncError(.http, 403, "no"))
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        #expect(client.ask("getAttachment", ["digest": digest]) == "LiteCore/7")
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "a"]) == "RES Hello, blob!")
        try client.database.save("a", "{}")
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "a"]) == "LiteCore/7")
    }

    @Test("a client cannot fetch blobs of unserved collections, nor blobs that its document does not refer to")
    func foreignBlobs() throws {
        let hidden = try CollectionID(name: "hidden")
        _ = try client.database.collection(hidden)
        let secret = try client.database.blob(Array("secret".utf8))
        let open = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(secret)}"#, in: hidden)
        try client.database.save("b", #"{"note":\#(open)}"#)
        let (secretDigest, openDigest) = (BlobDigest(of: Array("secret".utf8)), BlobDigest(of: Array("Hello, blob!".utf8)))
        for profile in ["getAttachment", "proveAttachment"] {
            #expect(client.ask(profile, ["digest": secretDigest.string], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": secretDigest.string, "docID": "a"], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": secretDigest.string, "docID": "b"], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": openDigest.string], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": openDigest.string, "docID": "b"], "n").hasPrefix("RES"))
        }
    }

    @Test("a client without the blobs ability receives _attachments entries")
    func attachments() throws {
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(blob)}"#)
        let rev = try #require(client.pull(answering: [:]).first)
        #expect(rev.text.contains(#""_attachments":{"blob_/note":"#))
    }
}
