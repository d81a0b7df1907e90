#if Replication
import DocumentStore
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Hub
@testable import WebServer

@Suite("REST of a hub: attachments", .ownThreads)
struct AttachmentTests {
    /// The digest of `hello`.
    private let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="

    @Test("attachments that have the name of a blob are refused, unless the document has this blob")
    func namesOfBlobs() async throws {
        try await withHub { hub in
            let blob = #"{"@type":"blob","content_type":"text/plain","digest":"\#(digest)","length":5}"#
            let body = #"{"a":{"b":\#(blob)},"_attachments":{"blob_/a/b":{"data":"aGVsbG8="},"f":{"data":"aGVsbG8="}}}"#
            let created = try await hub.send("PUT", "/db/x", body)
            #expect(created.status == 201)
            #expect(try await hub.send("GET", "/db/x/blob_%2Fa%2Fb").text == "hello")
            for name in ["blob_1x", "blob_", "blob_note", "blob_%CC%81", "blob_%2Fa", "blob_%2Fa%2Fc", "blob_%2F_attachments%2Ff"] {
                let refused = try await hub.send("PUT", "/db/x/\(name)?rev=\(created.revision)", "12345")
                #expect(refused.status == 400, "\(name)")
                #expect((refused.object["reason"] as? String)?.contains("is reserved") == true, "\(name)")
                #expect(try await hub.send("PUT", "/db/new/\(name)", "12345").status == 400, "\(name)")
            }
            #expect(try await hub.send("GET", "/db/new").status == 404)
            for name in ["blob_1x", "blob_note", "blob_\u{301}", "blob_/c"] {
                let document = #"{"_id":"y","_attachments":{"\#(name)":{"data":"aGVsbG8="}}}"#
                #expect(try await hub.send("PUT", "/db/y", document).status == 400, "\(name)")
                let bulk = try await hub.send("POST", "/db/_bulk_docs", #"{"docs":[\#(document)]}"#)
                #expect(bulk.array.first?["status"] as? Int == 400, "\(name)")
            }
            let changed = try await hub.send("PUT", "/db/x/blob_%2Fa%2Fb?rev=\(created.revision)", "12345")
            #expect(changed.status == 201)
            #expect(try await hub.send("GET", "/db/x/blob_%2Fa%2Fb").text == "12345")
            #expect(try await hub.send("GET", "/db/x/f").text == "hello")
            // The entry of a blob that was removed from the document has no content that could be lost.
            let entries = #"{"blob_/a/b":{"stub":true,"digest":"\#(digest)"},"f":{"stub":true,"digest":"\#(digest)"}}"#
            let without = #"{"_rev":"\#(changed.revision)","_attachments":\#(entries)}"#
            #expect(try await hub.send("PUT", "/db/x", without).status == 201)
            #expect(try await hub.send("GET", "/db/x/f").text == "hello")
        }
    }

    @Test("a blob is part of the body of a document, and is not deleted as an attachment is")
    func deletingBlobs() async throws {
        try await withHub { hub in
            let blob = #"{"@type":"blob","content_type":"text/plain","digest":"\#(digest)","length":5}"#
            let created = try await hub.send("PUT", "/db/x", #"{"a":\#(blob),"_attachments":{"f":{"data":"aGVsbG8="}}}"#)
            #expect(created.status == 201)
            let refused = try await hub.send("DELETE", "/db/x/blob_%2Fa?rev=\(created.revision)")
            #expect(refused.status == 400)
            #expect((refused.object["reason"] as? String)?.contains("part of the body") == true)
            #expect(try await hub.send("GET", "/db/x/blob_%2Fa").text == "hello")
            #expect(try await hub.send("GET", "/db/x").object["_rev"] as? String == created.revision)
            for name in ["blob_%2Fb", "g"] {
                #expect(try await hub.send("DELETE", "/db/x/\(name)?rev=\(created.revision)").status == 404, "\(name)")
            }
            #expect(try await hub.send("DELETE", "/db/x/f?rev=\(created.revision)").status == 200)
        }
    }

    @Test("an attachment whose content is lost has no data in its document")
    func lostData() throws {
        let hub = try StoppedHub()
        let blobs = hub.keyspace.database.file.blobs
        let json = Array(#"{"_attachments":{"f":{"data":"aGVsbG8="},"g":{"data":""}}}"#.utf8)
        let input = try withJSONObject(json) { try DocumentInput($0, over: { _ in nil }, in: hub.keyspace.database.file) }
        _ = try DocumentWriting(keyspace: hub.keyspace, access: { .guest }).store(input, as: "x", base: nil)
        try FileManager.default.removeItem(atPath: blobs.path(of: #require(BlobDigest(digest))))
        let found = try #require(try hub.keyspace.current("x")).json(.init(hasAttachmentData: true), of: hub.keyspace)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(found)) as? [String: Any])
        let entries = try #require(document["_attachments"] as? [String: [String: Any]])
        #expect(entries["f"]?["data"] == nil && entries["f"]?["stub"] as? Bool == true)
        #expect(entries["g"]?["data"] as? String == "" && entries["g"]?["stub"] == nil)
        hub.databases.close()
    }

    @Test("a blob whose content is in the body has its data in the attachments of the document")
    func inlineBlob() throws {
        let hub = try StoppedHub()
        let json = Array(#"{"p":{"@type":"blob","data":"aGVsbG8=","length":5}}"#.utf8)
        _ = try DocumentWriting(keyspace: hub.keyspace, access: { .guest }).store(try DocumentInput(json: json), as: "x", base: nil)
        let found = try #require(try hub.keyspace.current("x")).json(.init(hasAttachmentData: true), of: hub.keyspace)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(found)) as? [String: Any])
        let entries = try #require(document["_attachments"] as? [String: [String: Any]])
        #expect(entries["blob_/p"]?["data"] as? String == "aGVsbG8=" && entries["blob_/p"]?["stub"] == nil)
        hub.databases.close()
    }

    @Test("an attachment does not bring back a document that is deleted while it is stored")
    func deletedMeanwhile() async throws {
        let hub = try StoppedHub()
        let (keyspace, file) = (hub.keyspace, hub.keyspace.database.file)
        let writing = DocumentWriting(keyspace: keyspace, access: { .guest })
        let first = try writing.store(try DocumentInput(json: Array(#"{"n":1}"#.utf8)), as: "x", base: nil).revision
        let callCount = Mutex(0)
        let documents = DocumentRequests(keyspace: keyspace) {
            // The document was read after the first call.
            let isSecond = callCount.withLock { count in
                count += 1
                return count == 2
            }
            if isSecond, !file.isInTransaction {
                _ = try writing.store(try DocumentInput(json: Array("{}".utf8), isDeleted: true), as: "x", base: first.description)
            }
            return .guest
        }
        let body = WebBody(maximumBytes: 100, budget: BodyBudget(bytes: 100))
        _ = body.append(Array("hello".utf8))
        body.finish()
        let request = try WebRequest(method: "PUT", target: "/db/x/f", body: body)
        let error = await #expect(throws: WebError.self) { try await AttachmentRequests(documents: documents).put("x", "f", request) }
        #expect(error?.status == 409)
        #expect(try keyspace.current("x")?.revision == first)
        hub.databases.close()
    }

    @Test("the lost content of an attachment is stored again when the same revision is sent again")
    func lostContent() async throws {
        let hub = try StoppedRouter()
        let blobs = hub.hub.keyspace.database.file.blobs
        #expect(try hub.users.add("anna", password: "secret", channels: ["a"]))
        for _ in 0..<2 {
            let sent = try await hub.send("PUT", "/db/x?new_edits=false", user: "anna")
            sent.finish(#"{"_rev":"1-aa","channels":["a"],"_attachments":{"f":{"data":"aGVsbG8="}}}"#)
            #expect(try await sent.answer().status == 201)
            #expect(try blobs.contents(of: #require(BlobDigest(digest))) == Array("hello".utf8))
            _ = try blobs.delete(except: [])
        }
        hub.close()
    }

    @Test("stored content that another document refers to is read before the transaction, and may be removed until then")
    func storedContent() throws {
        let hub = try StoppedHub()
        let file = hub.keyspace.database.file
        let json = #"{"b":{"@type":"blob","digest":"\#(digest)","length":5}}"#
        /// Stores a document, or a revision with its ID, after content was stored, and `change` was called in the transaction.
        func store(_ id: String, isExisting: Bool, _ change: @escaping @Sendable () throws -> Void) throws -> RevisionID {
            _ = try file.blobs.delete(except: [])
            var content = try BlobWriter(store: BlobStore(directory: file.blobs.directory))
            try content.write(Array("hello".utf8))
            _ = try content.install()
            let writing = DocumentWriting(keyspace: hub.keyspace) {
                if file.isInTransaction { try change() }
                return .guest
            }
            guard isExisting else { return try writing.store(try DocumentInput(json: Array(json.utf8)), as: id, base: nil).revision }
            var input = try DocumentInput(json: Array(json.utf8))
            input.history = [try #require(RevisionID("1-aa"))]
            return try writing.store(existing: input, as: id).revision
        }
        let path = file.blobs.path(of: try #require(BlobDigest(digest)))
        for isExisting in [false, true] {
            let error = #expect(throws: WebError.self) {
                try store("removed-\(isExisting)", isExisting: isExisting) { try FileManager.default.removeItem(atPath: path) }
            }
            #expect(error?.status == 412)
            #expect(try hub.keyspace.current("removed-\(isExisting)") == nil)
            // The damage would be noticed if the content were read.
            let stored = try store("x-\(isExisting)", isExisting: isExisting) {
                try FileManager.default.removeItem(atPath: path)
                try Data("HELLO".utf8).write(to: URL(fileURLWithPath: path))
            }
            #expect(stored.generation == 1)
        }
        hub.databases.close()
    }

    @Test("the contents of attachments in a refused request are not kept")
    func refusedContents() async throws {
        let hub = try StoppedRouter()
        let blobs = hub.hub.keyspace.database.file.blobs
        #expect(try hub.users.add("anna", password: "secret", channels: ["a"]))
        try hub.hub.store("old")
        let large = Data(count: 2 << 20).base64EncodedString()
        let attachments = #""_attachments":{"f":{"data":"aGVsbG8="},"g":{"data":"\#(large)"}}"#
        for (method, path, body, status) in [
            ("PUT", "/db/x", #"{"channels":["b"],\#(attachments)}"#, 403),
            ("PUT", "/db/x?new_edits=false", #"{"_rev":"1-aa","channels":["b"],\#(attachments)}"#, 403),
            ("PUT", "/db/old", #"{"channels":["a"],\#(attachments)}"#, 403),
            ("PUT", "/db/x?rev=1-aa", #"{"channels":["a"],\#(attachments)}"#, 409),
            ("PUT", "/db/x?new_edits=false", #"{"channels":["a"],\#(attachments)}"#, 400),
            ("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"x","channels":["b"],\#(attachments)}]}"#, 201),
            ("PUT", "/db/old/f?rev=1-aa", "hello", 403), ("PUT", "/db/x/f?rev=1-aa", "hello", 409),
        ] {
            let sent = try await hub.send(method, path, user: "anna")
            sent.finish(body)
            #expect(try await sent.answer().status == status, "\(method) \(path)")
            #expect(try blobs.digests().isEmpty, "\(method) \(path)")
        }
        let sent = try await hub.send("PUT", "/db/x", user: "anna")
        sent.finish(#"{"channels":["a"],\#(attachments)}"#)
        #expect(try await sent.answer().status == 201)
        #expect(try blobs.digests().count == 2)
        #expect(try blobs.contents(of: #require(BlobDigest(digest))) == Array("hello".utf8))
        hub.close()
    }
}
#endif
