#if Replication
import Foundation
import PeerSupport
import TestSupport
import TestTraits
import Testing
import Transport

@testable import CouchbaseLiteSwift

@Suite("Replicators and an independent server", .ownThreads)
struct PeerServerTests {
    @Test("documents, deletions and blobs are replicated in both directions, each only once", arguments: PeerKind.all)
    func bothWays(kind: PeerKind) async throws {
        let server = try kind.serve()
        let (first, second) = (try PeerClient(server), try PeerClient(server))
        for number in 0..<25 { try first.database.save("doc-\(number)", #"{"n":\#(number),"t":"é☃"}"#) }
        let content = Data((0..<90_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        try first.database.saveDocument(
            MutableDocument(id: "pic").setValue(
                [
                    "p": Blob(contentType: "image/png", data: content),
                    "s": Blob(contentType: "text/plain", data: content),
                ],
                forKey: "all"
            )
        )
        try await server.put(#"{"from":"server","list":[1,{"a":null}]}"#, "theirs", in: "db")
        #expect(try await first.run(.push).count == 26)
        let stored = try await server.documents(of: "db")
        #expect(stored.count == 27)
        #expect(stored["doc-3"]?.json == #"{"n":3,"t":"é☃"}"#)
        let names = try #require(stored["pic"]).attachments.keys.sorted()
        #expect(names == (kind.mode == .syncGateway ? ["blob_/all/p", "blob_/all/s"] : []))

        #expect(try await second.run(.pull).count == 27)
        let pulled = try #require(second.database.document(withID: "pic")?.dictionary(forKey: "all"))
        #expect(pulled.blob(forKey: "p")?.content == content)
        #expect(pulled.blob(forKey: "s")?.contentType == "text/plain")
        #expect(second.database.document(withID: "pic")?.value(forKey: "_attachments") == nil)
        #expect(try await first.run(.pull) == ["pull theirs"])
        #expect(try first.database.contents() == second.database.contents())

        try second.database.delete("doc-3")
        try second.database.save("doc-4", #"{"n":44}"#)
        #expect(try await second.run() == ["push doc-3", "push doc-4"])
        #expect(try await first.run() == ["pull doc-3", "pull doc-4"])
        #expect(first.database.document(withID: "doc-3") == nil)
        #expect(first.database.document(withID: "doc-4")?.int(forKey: "n") == 44)
        for client in [first, second] {
            #expect(try await client.run() == [])
            #expect(try client.problems() == [])
        }
    }

    @Test("a continuous replicator transfers later changes of either side", arguments: PeerKind.all)
    func continuous(kind: PeerKind) async throws {
        let server = try kind.serve()
        let client = try PeerClient(server)
        let replicator = try client.replicator(continuous: true)
        let documents = replicator.documentReplications()
        replicator.start()
        await replicator.wait(for: .idle)
        try client.database.save("ours", #"{"n":1}"#)
        for await batch in documents where batch.isPush { break }
        let revision = try #require(try await server.documents(of: "db")["ours"]).revision
        #expect(revision == (try client.collection.document(id: "ours")?.revisionID))
        try await server.put(#"{"n":2}"#, "ours", in: "db", replacing: revision)
        for await batch in documents where !batch.isPush { break }
        #expect(client.database.document(withID: "ours")?.int(forKey: "n") == 2)
        await replicator.wait(for: .idle)
        replicator.stop()
        await replicator.wait(for: .stopped)
        #expect(replicator.status.error == nil)
        #expect(try await client.run() == [])
    }

    @Test("revisions that the server cannot send are skipped", arguments: PeerKind.all)
    func missingRevisions(kind: PeerKind) async throws {
        let server = try kind.serve(["--norev", "gone"])
        for id in ["a", "gone", "z"] { try await server.put("{}", id, in: "db") }
        let client = try PeerClient(server)
        #expect(try await client.run(.pull) == ["pull a", "pull z"])
        #expect(try await client.run(.pull) == [])
    }

    @Test("a replicator pulls from a server with compound sequences, and pulls nothing twice", arguments: ["3", "2"])
    func compoundSequences(protocolNumber: String) async throws {
        let kind = PeerKind(mode: .syncGateway, protocolNumber: protocolNumber)
        let server = try kind.serve(["--compound-sequences", "--norev", "doc-7,doc-8,doc-9"])
        for number in 0..<30 { try await server.put("{}", "doc-\(number)", in: "db") }
        let client = try PeerClient(server)
        #expect(try await client.run(.pull).count == 27)
        #expect(try await client.run(.pull) == [])
        for number in 30..<34 { try await server.put("{}", "doc-\(number)", in: "db") }
        #expect(try await client.run(.pull).count == 4)
        #expect(try await client.run(.pull) == [])
    }

    @Test("a document to which the user has lost access is purged unless auto-purge is disabled", arguments: [true, false])
    func lostAccess(purges: Bool) async throws {
        let server = try IndependentPeer.serve(.syncGateway)
        let client = try PeerClient(server)
        for id in ["kept", "lost"] { try await server.put("{}", id, in: "db") }
        #expect(try await client.run(.pull).count == 2)
        try await server.revoke(["lost"], in: "db")
        #expect(try await client.run { $0.enableAutoPurge = purges } == ["pull lost"])
        #expect((client.database.document(withID: "lost") == nil) == purges)
        #expect(client.database.document(withID: "kept") != nil)
        #expect(try await client.run { $0.enableAutoPurge = purges } == [])
        #expect(try client.problems() == [])
    }

    @Test("users need their password, and pull only the documents of their channels", arguments: ["3", "2"])
    func users(protocolNumber: String) async throws {
        let server = try IndependentPeer.serve(
            .syncGateway,
            ["--protocol", protocolNumber, "--user", "anna:secret:red", "--user", "boss:secret"]
        )
        try await server.put(#"{"channels":["red"]}"#, "red", in: "db")
        try await server.put(#"{"channels":["blue"]}"#, "blue", in: "db")
        let client = try PeerClient(server)
        #expect(await thrown { try await client.run(.pull) } == .couchbaseLite(CBLError.httpAuthRequired))
        let guess = await thrown {
            try await client.run(.pull) { $0.authenticator = BasicAuthenticator(username: "anna", password: "x") }
        }
        #expect(guess == .couchbaseLite(CBLError.httpAuthRequired))
        let anna = BasicAuthenticator(username: "anna", password: "secret")
        #expect(try await client.run(.pull) { $0.authenticator = anna } == ["pull red"])
        let boss = try PeerClient(server)
        var blue = CollectionConfiguration()
        blue.channels = ["blue"]
        let authenticator = BasicAuthenticator(username: "boss", password: "secret")
        #expect(try await boss.run(.pull, collection: blue) { $0.authenticator = authenticator } == ["pull blue"])
        #expect(try await boss.run(.pull) { $0.authenticator = authenticator } == ["pull red"])
    }

    @Test("replication is restricted by document IDs and by a pull filter")
    func filters() async throws {
        let server = try IndependentPeer.serve(.syncGateway)
        for number in 0..<6 { try await server.put(#"{"n":\#(number)}"#, "doc-\(number)", in: "db") }
        let client = try PeerClient(server)
        var some = CollectionConfiguration()
        some.documentIDs = ["doc-1", "doc-4", "none"]
        #expect(try await client.run(collection: some) == ["pull doc-1", "pull doc-4"])
        let other = try PeerClient(server)
        var even = CollectionConfiguration()
        even.pullFilter = { document, _ in document.int(forKey: "n") % 2 == 0 }
        let refused = await thrown { try await other.run(.pull, collection: even) }
        #expect(refused == .couchbaseLite(CBLError.httpForbidden))
        #expect(try other.database.contents().keys.sorted() == ["doc-0", "doc-2", "doc-4"])
    }

    @Test("a document rejected by the server is reported as an error, and the other documents are pushed")
    func rejected() async throws {
        let server = try IndependentPeer.serve(.syncGateway)
        let client = try PeerClient(server)
        try client.database.save("bad", #"{"reject":true}"#)
        try client.database.save("good", "{}")
        #expect(await thrown { try await client.run() } == .couchbaseLite(CBLError.httpForbidden))
        #expect(try await server.documents(of: "db").keys.sorted() == ["good"])
        #expect(try await client.run() == [])
    }

    @Test("collections are replicated over one connection, and an unknown collection is an error", arguments: IndependentPeer.Mode.allCases)
    func collections(mode: IndependentPeer.Mode) async throws {
        let server = try IndependentPeer.serve(mode, ["--db", "db=_default,colA,colB"])
        let client = try PeerClient(server)
        let config = ReplicatorConfiguration(target: URLEndpoint(url: try #require(URL(string: client.url))))
        for name in ["colA", "colB"] {
            let collection = try client.database.createCollection(name: name)
            try collection.save(document: MutableDocument(id: "ours").setString(name, forKey: "in"))
            config.addCollection(collection)
            try await server.put(#"{"in":"\#(name)"}"#, "theirs", in: "db.\(name)")
        }
        let notified = try await Replicator(config: config).runToEnd()
        #expect(notified == ["pull theirs", "pull theirs", "push ours", "push ours"])
        for name in ["colA", "colB"] {
            let expected = #"{"in":"\#(name)"}"#
            #expect(try await server.documents(of: "db.\(name)")["ours"]?.json == expected)
            #expect(try client.database.contents(name) == ["ours": expected, "theirs": expected])
        }
        #expect(try await Replicator(config: config).runToEnd() == [])
        config.addCollection(try client.database.createCollection(name: "unknown"))
        let code = await thrown { try await Replicator(config: config).runToEnd() }
        #expect(code == .couchbaseLite(CBLError.httpNotFound))
        #expect(try client.problems() == [])
    }

    @Test("a server that has lost its data gets all documents again", arguments: PeerKind.all)
    func emptied(kind: PeerKind) async throws {
        let server = try kind.serve()
        let client = try PeerClient(server)
        for number in 0..<10 { try client.database.save("doc-\(number)", "{}") }
        try await server.put("{}", "theirs", in: "db")
        #expect(try await client.run().count == 11)
        server.kill()
        let next = try IndependentPeer.serve(kind.mode, port: server.port, ["--protocol", kind.protocolNumber])
        try await next.put("{}", "new", in: "db")
        #expect(try await client.run().count == 12)
        #expect(try await next.documents(of: "db").count == 12)
        #expect(try await client.run() == [])
    }

    @Test("a TLS connection is made only to a server whose certificate is pinned or accepted as self-signed")
    func encrypted() async throws {
        _ = TestIdentities.directory
        let labels = [UUID().uuidString, UUID().uuidString]
        defer { for label in labels { try? TLSIdentity.deleteIdentity(withLabel: label) } }
        let identities = try labels.map { label in
            try TLSIdentity.createIdentity(forServer: true, attributes: [certAttrCommonName: "peer"], label: label)
        }
        let log = try DocumentLog()
        try log.append([#"{"_id":"theirs","_rev":"1-aa"}"#])
        let server = try IndependentPeer.serve(
            .syncGateway,
            [
                "--load", log.path,
                "--cert", try log.addPEM("CERTIFICATE", identities[0].data.certificates[0].der),
                "--key", try log.addPEM("PRIVATE KEY", identities[0].data.privateKey),
            ]
        )
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let url = try #require(URL(string: "wss://127.0.0.1:\(server.port)/db"))
        func run(_ trust: (ReplicatorConfiguration) -> Void) async throws -> [String] {
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: database.defaultCollection())],
                target: URLEndpoint(url: url)
            )
            trust(config)
            return try await Replicator(config: config).runToEnd()
        }
        #expect(await thrown { _ = try await run { _ in } } == .couchbaseLite(CBLError.tlsCertUnknownRoot))
        let wrong = await thrown { _ = try await run { $0.pinnedServerCertificate = identities[1].certs[0] } }
        #expect(wrong == .couchbaseLite(CBLError.tlsCertUnknownRoot))
        #expect(try await run { $0.pinnedServerCertificate = identities[0].certs[0] } == ["pull theirs"])
        #expect(try await run { $0.acceptOnlySelfSignedServerCertificate = true } == [])
    }
}
#endif
