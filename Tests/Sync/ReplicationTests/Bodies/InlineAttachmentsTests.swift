import BLIP
import DocumentStore
import Fleece
import Foundation
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

@Suite("Attachments with their content in the body")
struct InlineAttachmentsTests {
    private let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="

    private func client(maximumBlobSize: UInt64? = nil) throws -> ScriptedClient {
        var options = PassiveOptions(collections: [.default])
        options.standsInForSyncGateway = true
        options.maximumBlobSize = maximumBlobSize
        return try ScriptedClient(options)
    }

    private func push(_ body: String, _ client: ScriptedClient, _ id: String = "a") -> String {
        client.ask("rev", ["id": id, "rev": "3-aa", "history": "2-bb,1-cc", "noconflicts": "1"], body)
    }

    @Test("the content is stored as a blob, and the attachment refers to it")
    func content() throws {
        let client = try client()
        let body = #"{"n":1.5,"_attachments":{"f":{"data":"aGVsbG8=","content_type":"text/plain"}},"t":"é"}"#
        #expect(push(body, client) == "RES")
        #expect(client.dequeue("getAttachment").isEmpty)
        let blobs = client.database.replica.blobs
        #expect(try blobs.contents(of: #require(BlobDigest(digest))) == Array("hello".utf8))
        let record = try #require(try client.database.collection().document("a"))
        let json = try #require(record.body.withRoot { try? JSON.string($0, sharedKeys: record.sharedKeys) } ?? nil)
        let parsed = try JSON.fleece(json)
        try parsed.withRoot { root in
            let document = try #require(root.dictionary)
            #expect(document.value(for: "n")?.double == 1.5)
            #expect(document.value(for: "t")?.string == "é")
            let entry = try #require(document.value(for: "_attachments")?.dictionary?.value(for: "f")?.dictionary)
            #expect(entry.value(for: "digest")?.string == digest)
            #expect(entry.value(for: "length")?.int64 == 5)
            #expect(entry.value(for: "revpos")?.int64 == 3)
            #expect(entry.value(for: "stub")?.boolean == true)
            #expect(entry.value(for: "content_type")?.string == "text/plain")
            #expect(entry.value(for: "data") == nil)
        }
    }

    @Test("content that is not Base64 is refused, and so is content that is too large")
    func refusals() throws {
        let client = try client(maximumBlobSize: 4)
        #expect(push(#"{"_attachments":{"f":{"data":"a-b_"}}}"#, client) == "HTTP/400")
        #expect(push(#"{"_attachments":{"f":{"data":7}}}"#, client) == "HTTP/400")
        #expect(push(#"{"_attachments":{"f":{"data":"AA==AA=="}}}"#, client) == "HTTP/400")
        #expect(push(#"{"_attachments":{"f":{"data":"aGVsbG8="}}}"#, client) == "HTTP/413")
        #expect(push(#"{"_attachments":{"f":{"data":"aGVsbA=="}}}"#, client) == "RES")
    }

    @Test("the content of a refused revision takes no space, whatever its size", arguments: [5, 2 << 20])
    func refusedRevision(size: Int) throws {
        let client = try client()
        try client.database.save("a", "{}")
        let data = Data(repeating: 7, count: size).base64EncodedString()
        let body = #"{"_attachments":{"f":{"data":"\#(data)"}}}"#
        // The stored revision is not an ancestor.
        #expect(push(body, client) == "HTTP/409")
        let directory = client.database.replica.blobs.directory
        // The directory is created with the first file.
        let names = try FileManager.default.fileExists(atPath: directory) ? FileManager.default.contentsOfDirectory(atPath: directory) : []
        #expect(names == [])
        #expect(push(body, client, "b") == "RES")
        #expect(try client.database.replica.blobs.digests().count == 1)
    }

    @Test("content that came with a revision that waits to be stored is not requested for another one")
    func sharedContent() throws {
        let client = try client()
        client.ask("proposeChanges", [:], #"[["a","1-aa"],["b","1-bb"],["c","1-cc"]]"#)
        let first = client.send(
            "rev",
            ["id": "a", "rev": "1-aa", "noconflicts": "1"],
            #"{"_attachments":{"f":{"data":"aGVsbG8="}}}"#
        )
        #expect(client.reply(to: first) == nil)
        let stub = #"{"_attachments":{"f":{"digest":"\#(digest)","length":5,"revpos":1,"stub":true}}}"#
        let second = client.send("rev", ["id": "b", "rev": "1-bb", "noconflicts": "1"], stub)
        #expect(client.dequeue("getAttachment").isEmpty)
        client.advance(by: .milliseconds(20))
        #expect(client.summary(first) == "RES" && client.summary(second) == "RES")
    }

    @Test("a revision with a blob that is larger than the limit is refused before its content is requested")
    func largeBlob() throws {
        let client = try client(maximumBlobSize: 4)
        let blob = #"{"@type":"blob","digest":"\#(digest)","length":5}"#
        #expect(push(#"{"b":\#(blob)}"#, client) == "HTTP/413")
        #expect(client.dequeue("getAttachment").isEmpty)
        // Without the length, the content is refused when it has become too large.
        let unknown = #"{"@type":"blob","digest":"\#(digest)"}"#
        let token = client.send("rev", ["id": "b", "rev": "1-aa", "noconflicts": "1"], #"{"b":\#(unknown)}"#)
        client.respond(to: try client.dequeueOne("getAttachment"), [:], "hello")
        #expect(client.summary(token) == "HTTP/413")
    }
}
