#if Replication
import BLIP
import DocumentStore
import Foundation
import Replication
import SyncCore
import TestSupport
import TestTraits
import Testing

@testable import Hub

/// A user of the channel `mine` knows the digest of content in the channel `other`, and tries to read it with every kind of revision.
@Suite("Content of others whose digest is known", .ownThreads)
struct ContentByDigestTests {
    /// The digests of `hello` and `secret`.
    private let own = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
    private let secret = "sha1-5en6G6MezRroT3XKqkdPOmY/BfQ="

    /// How the body refers to content. `DIGEST` is replaced.
    private static let references = [
        #""_attachments":{"f":{"stub":true,"revpos":1,"length":6,"digest":"DIGEST"}}"#,
        #""a":{"@type":"blob","digest":"DIGEST","length":6}"#, #""a":[[{"b":{"@type":"blob","digest":"DIGEST"}}]]"#,
        #""_attachments":{"blob_/a":{"stub":true,"digest":"DIGEST"}},"a":{"@type":"blob","digest":"sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="}"#,
        #""_attachments":{"f":{"stub":true,"digest":"DIGEST"},"g":{"data":"aGVsbG8="}}"#,
    ]

    private func prepare(_ hub: RunningHub) async throws -> String {
        #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
        #expect(try hub.hub.users.add("anna", password: "secret", channels: ["mine"]))
        let hidden = #"{"channels":["other"],"_attachments":{"f":{"data":"c2VjcmV0"}}}"#
        let stored = try await hub.send("PUT", "/db/hidden", hidden, user: "root")
        #expect(stored.status == 201)
        let entries = try await hub.send("GET", "/db/hidden", user: "root").object["_attachments"] as? [String: [String: Any]]
        #expect(entries?["f"]?["digest"] as? String == secret)
        return stored.revision
    }

    /// Expects that the user reads the content with no request.
    private func expectHidden(_ id: String, _ revisions: [String], _ hub: RunningHub, _ label: String) async throws {
        for name in ["f", "g", "blob_%2Fa", "blob_%2Fa%2F0%2F0%2Fb"] {
            for query in [""] + revisions.map({ "?rev=\($0)" }) {
                let answer = try await hub.send("GET", "/db/\(id)/\(name)\(query)", user: "anna")
                #expect(!answer.text.contains("secret"), "\(label) \(name)\(query)")
            }
        }
        let wanted = revisions.map { #"{"id":"\#(id)","rev":"\#($0)"}"# }.joined(separator: ",")
        let bulk = try await hub.send("POST", "/db/_bulk_get?attachments=true", #"{"docs":[\#(wanted)]}"#, user: "anna")
        #expect(!bulk.text.contains("c2VjcmV0"), "\(label)")
    }

    @Test("a revision that is pushed is stored only after the client has sent the content", arguments: references.indices, [false, true])
    func sync(reference: Int, isDeleted: Bool) async throws {
        try await withHub { hub in
            _ = try await prepare(hub)
            let first = try await hub.send("PUT", "/db/known", #"{"channels":["mine"]}"#, user: "anna")
            let body = #"{"channels":["mine"],\#(Self.references[reference].replacing("DIGEST", with: secret))}"#
            for (id, revision, history) in [("new", "1-aa", ""), ("known", "2-aa", first.revision)] {
                let client = try await MessageClient(port: hub.port, user: "anna")
                client.contents = [own: Array("hello".utf8)]
                var properties: [(name: String, value: String)] = [
                    ("id", id), ("rev", revision), ("history", history), ("noconflicts", "1"),
                ]
                if isDeleted { properties.append(("deleted", "1")) }
                let reply = try await client.ask("rev", properties, body)
                #expect(reply.error != nil, "\(id)")
                try await expectHidden(id, [revision, first.revision], hub, "\(body) \(isDeleted)")
                // The same content is accepted from who has it.
                client.contents = [own: Array("hello".utf8), secret: Array("secret".utf8)]
                #expect(try await client.ask("rev", properties, body).error == nil, "\(id)")
                #expect(client.requests.contains { $0.properties["digest"] == secret })
            }
        }
    }

    @Test("a revision that is stored with REST must contain the content, whichever request stores it", arguments: references.indices)
    func rest(reference: Int) async throws {
        try await withHub { hub in
            _ = try await prepare(hub)
            let first = try await hub.send("PUT", "/db/known", #"{"channels":["mine"]}"#, user: "anna").revision
            let content = Self.references[reference].replacing("DIGEST", with: secret)
            for isDeleted in [false, true] {
                let body = #""channels":["mine"],\#(isDeleted ? #""_deleted":true,"# : "")\#(content)"#
                var statuses: [Int] = []
                for (method, path, text) in [
                    ("PUT", "/db/known?rev=\(first)", "{\(body)}"), ("PUT", "/db/known?new_edits=false", "{\(body),\"_rev\":\"2-aa\"}"),
                    ("PUT", "/db/new?new_edits=false", "{\(body),\"_rev\":\"1-aa\"}"), ("POST", "/db/", "{\(body),\"_id\":\"new\"}"),
                    ("POST", "/db/_bulk_docs", "{\"docs\":[{\(body),\"_id\":\"new\"}]}"),
                    ("POST", "/db/_bulk_docs", "{\"docs\":[{\(body),\"_id\":\"new\",\"_rev\":\"1-aa\"}],\"new_edits\":false}"),
                ] {
                    let answer = try await hub.send(method, path, text, user: "anna")
                    statuses.append(answer.array.first?["status"] as? Int ?? answer.status)
                    try await expectHidden("known", ["2-aa", first], hub, text)
                    try await expectHidden("new", ["1-aa"], hub, text)
                }
                #expect(statuses == Array(repeating: 412, count: 6), "\(body)")
            }
        }
    }

    @Test("a user cannot use the content of a document that the user has lost, and may use that of a document that the user reads")
    func rights() async throws {
        try await withHub { hub in
            _ = try await prepare(hub)
            let entry = #""_attachments":{"f":{"stub":true,"digest":"\#(secret)"}}"#
            let shared = try await hub.send("PUT", "/db/x", #"{"channels":["mine","other"],\#(entry)}"#, user: "root")
            let next = try await hub.send("PUT", "/db/x?rev=\(shared.revision)", #"{"channels":["mine"],"n":1,\#(entry)}"#, user: "anna")
            #expect(shared.status == 201 && next.status == 201)
            let client = try await MessageClient(port: hub.port, user: "anna")
            client.contents = [:]
            let pushed = try await client.ask(
                "rev",
                [("id", "x"), ("rev", "3-aa"), ("history", next.revision), ("deleted", "1")],
                #"{"channels":["mine"],\#(entry)}"#
            )
            #expect(pushed.error == nil && client.requests.isEmpty)
            #expect(try await hub.send("GET", "/db/x/f?rev=3-aa", user: "anna").text == "secret")
            let lost = try await hub.send("PUT", "/db/x?rev=3-aa", #"{"channels":["other"],\#(entry)}"#, user: "root").revision
            let refused = try await client.ask(
                "rev",
                [("id", "x"), ("rev", "5-aa"), ("history", lost)],
                #"{"channels":["mine"],\#(entry)}"#
            )
            #expect(refused.error?.code == 403)
            #expect(try await hub.send("GET", "/db/x/f?rev=3-aa", user: "anna").status == 403)
        }
    }

    @Test("whoever may read all documents refers to content of any document")
    func root() async throws {
        try await withHub { hub in
            _ = try await prepare(hub)
            let body = #"{"_attachments":{"f":{"stub":true,"digest":"\#(secret)"}}}"#
            #expect(try await hub.send("PUT", "/db/x", body, user: "root").status == 201)
            #expect(try await hub.send("GET", "/db/x/f", user: "root").text == "secret")
        }
    }

    @Test(
        "a digest that is not valid is refused as one that is not known",
        arguments: ["", "sha1-", "sha1-xx", "md5-1B2M2Y8AsgTpgAmY7PhCfg==", "x"]
    )
    func invalidDigests(digest: String) async throws {
        try await withHub { hub in
            _ = try await prepare(hub)
            for reference in Self.references {
                let body = #"{"channels":["mine"],\#(reference.replacing("DIGEST", with: digest))}"#
                for user in ["anna", "root"] {
                    #expect(try await hub.send("PUT", "/db/x", body, user: user).status == 412, "\(body)")
                    #expect(
                        try await hub.send("PUT", "/db/x?new_edits=false", body.replacing("}}", with: "}},\"_rev\":\"1-aa\""), user: user)
                            .status >= 400
                    )
                    let client = try await MessageClient(port: hub.port, user: user)
                    client.contents = [own: Array("hello".utf8)]
                    #expect(try await client.ask("rev", [("id", "x"), ("rev", "1-aa")], body).error != nil, "\(body)")
                }
            }
            #expect(try await hub.send("GET", "/db/x", user: "root").status == 404)
        }
    }

    @Test("a client that pushes the loss of its access to a document is refused")
    func removal() async throws {
        try await withHub { hub in
            let revision = try await prepare(hub)
            let client = try await MessageClient(port: hub.port, user: "anna")
            for (id, history) in [("hidden", revision), ("absent", "")] {
                let reply = try await client.ask("rev", [("id", id), ("rev", "2-aa"), ("history", history)], #"{"_removed":true}"#)
                #expect(reply.error?.code == 403, "\(id)")
            }
            #expect(try await hub.send("GET", "/db/hidden", user: "root").object["_rev"] as? String == revision)
        }
    }

    @Test("what the rule about content requires is checked again in the transaction that stores the revision")
    func changedMeanwhile() throws {
        let hub = try StoppedHub()
        let collection = try #require(try hub.keyspace.database.replica.collection(.default))
        let root = DocumentWriting(keyspace: hub.keyspace, access: { .guest })
        let json = #"{"channels":["mine"],"_attachments":{"f":{"data":"c2VjcmV0"}}}"#
        let input = try withJSONObject(Array(json.utf8)) { try DocumentInput($0, over: { _ in nil }, in: hub.keyspace.database.file) }
        let first = try root.store(input, as: "x", base: nil).revision
        let reference = #"{"channels":["mine"],"_attachments":{"f":{"stub":true,"digest":"\#(secret)"}}}"#
        guard case .body(let body) = try BodyReader(file: nil).content(json: Array(reference.utf8)) else { return }
        let anna = SyncAccess(
            database: hub.keyspace.database,
            channels: ChannelIndexes(in: hub.databases.own.file),
            access: { HubAccess(userName: "anna", channels: ["mine"]) },
            rights: { throw HubError.unauthorized }
        ).passive
        var pushed = ReceivedRevision(documentID: "x", revision: try #require(RevisionID("2-aa")), history: [first], body: body.body)
        // Another user removes the attachment, and then the channel, after the revision was checked for the first time.
        let second = try root.store(try DocumentInput(json: Array(#"{"channels":["mine"]}"#.utf8)), as: "x", base: first.description)
            .revision
        pushed.history = [second, first]
        pushed.revision = try #require(RevisionID("3-aa"))
        #expect(try collection.insert([pushed], remote: nil, requiresBlobs: true, access: anna) == [.lacksBlobs])
        let third = try root.store(try DocumentInput(json: Array(#"{"channels":["other"]}"#.utf8)), as: "x", base: second.description)
            .revision
        pushed.history = [third]
        pushed.revision = try #require(RevisionID("4-aa"))
        let outcome = try collection.insert([pushed], remote: nil, requiresBlobs: true, access: anna)
        guard case .failed(let error) = outcome.first else { return #expect(outcome == []) }
        #expect(error.code == 403)
        #expect(try hub.keyspace.current("x")?.revision == third)
        hub.databases.close()
    }
}
#endif
