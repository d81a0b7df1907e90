#if Replication
import Foundation
import PeerSupport
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Conflicts with an independent server", .ownThreads)
struct PeerConflictTests {
    /// Changes a shared document on both sides.
    ///
    /// - Parameters:
    ///   - local: The local change; nil for a deletion.
    ///   - remote: The remote change.
    private func conflict(_ client: PeerClient, _ server: IndependentPeer.Server, local: String?, remote: String?) async throws {
        try client.database.save("doc", #"{"from":"base"}"#)
        try await client.run()
        let base = try #require(try await server.documents(of: "db")["doc"]).revision
        if let local { try client.database.save("doc", local) } else { try client.database.delete("doc") }
        if let remote {
            try await server.put(remote, "doc", in: "db", replacing: base)
        } else {
            try await server.delete("doc", in: "db", revision: base)
        }
    }

    /// Replicates until nothing is transferred, at most a few times.
    private func settle(_ client: PeerClient, _ collection: CollectionConfiguration = CollectionConfiguration())
        async throws
    {
        for _ in 0..<4 where try await !client.run(collection: collection).isEmpty {}
        #expect(try await client.run(collection: collection) == [])
    }

    @Test("both sides end with the same revision after a conflict is resolved by default", arguments: PeerKind.all)
    func byDefault(kind: PeerKind) async throws {
        let server = try kind.serve()
        let client = try PeerClient(server)
        try await conflict(client, server, local: #"{"from":"local"}"#, remote: #"{"from":"remote"}"#)
        try await settle(client)
        let stored = try #require(try await server.documents(of: "db")["doc"])
        #expect(try client.database.contents()["doc"] == stored.json)
        #expect(try client.collection.document(id: "doc")?.revisionID == stored.revision)
        #expect(try client.problems() == [])
    }

    @Test("the default resolver prefers the revision with the longer history")
    func longerHistory() async throws {
        for localIsLonger in [true, false] {
            let server = try IndependentPeer.serve(.syncGateway)
            let client = try PeerClient(server)
            try await conflict(client, server, local: #"{"from":"local"}"#, remote: #"{"from":"remote"}"#)
            if localIsLonger {
                try client.database.save("doc", #"{"from":"local"}"#)
            } else {
                let revision = try #require(try await server.documents(of: "db")["doc"]).revision
                try await server.put(#"{"from":"remote"}"#, "doc", in: "db", replacing: revision)
            }
            try await settle(client)
            let expected = #"{"from":"\#(localIsLonger ? "local" : "remote")"}"#
            #expect(try client.database.contents()["doc"] == expected)
            #expect(try await server.documents(of: "db")["doc"]?.json == expected)
        }
    }

    @Test("a document merged by a resolver is pushed", arguments: PeerKind.all)
    func merged(kind: PeerKind) async throws {
        let server = try kind.serve()
        let client = try PeerClient(server)
        try await conflict(client, server, local: #"{"a":1}"#, remote: #"{"b":2}"#)
        var collection = CollectionConfiguration()
        collection.conflictResolver = MergingResolver()
        try await settle(client, collection)
        #expect(try client.database.contents()["doc"] == #"{"a":1,"b":2}"#)
        #expect(try await server.documents(of: "db")["doc"]?.json == #"{"a":1,"b":2}"#)
        #expect(try client.problems() == [])
    }

    @Test("a continuous replicator pushes a resolved document at once")
    func mergedContinuously() async throws {
        let server = try IndependentPeer.serve(.syncGateway)
        let client = try PeerClient(server)
        try await conflict(client, server, local: #"{"a":1}"#, remote: #"{"b":2}"#)
        var collection = CollectionConfiguration()
        collection.conflictResolver = MergingResolver()
        let replicator = try client.replicator(continuous: true, collection: collection)
        let documents = replicator.documentReplications()
        replicator.start()
        for await batch in documents where batch.isPush && batch.documents.contains(where: { $0.error == nil }) {
            break
        }
        #expect(try await server.documents(of: "db")["doc"]?.json == #"{"a":1,"b":2}"#)
        replicator.stop()
        await replicator.wait(for: .stopped)
    }

    @Test("a deletion wins over an edit, whichever side has deleted the document", arguments: PeerKind.all, [true, false])
    func deletions(kind: PeerKind, isLocal: Bool) async throws {
        let server = try kind.serve()
        let client = try PeerClient(server)
        let edit = #"{"from":"edit"}"#
        try await conflict(client, server, local: isLocal ? nil : edit, remote: isLocal ? edit : nil)
        try await settle(client)
        #expect(client.database.document(withID: "doc") == nil)
        #expect(try await server.documents(of: "db", deleted: true)["doc"]?.isDeleted == true)
        #expect(try client.problems() == [])
    }

    @Test("a conflict is resolved the same on both sides if the server allows conflicts")
    func allowed() async throws {
        let server = try IndependentPeer.serve(.syncGateway, ["--allow-conflicts"])
        let client = try PeerClient(server)
        try await conflict(client, server, local: #"{"from":"local"}"#, remote: #"{"from":"remote"}"#)
        try await settle(client)
        let stored = try #require(try await server.documents(of: "db")["doc"])
        #expect(try client.database.contents()["doc"] == stored.json)
    }

    @Test("a push-only replicator ends with the error HTTP 409 for a conflict, and neither side is changed")
    func pushOnly() async throws {
        let server = try IndependentPeer.serve(.syncGateway)
        let client = try PeerClient(server)
        try await conflict(client, server, local: #"{"from":"local"}"#, remote: #"{"from":"remote"}"#)
        #expect(await thrown { try await client.run(.push) } == .couchbaseLite(CBLError.httpConflict))
        #expect(client.database.document(withID: "doc")?.string(forKey: "from") == "local")
        #expect(try await server.documents(of: "db")["doc"]?.json == #"{"from":"remote"}"#)
    }
}

/// Merges the contents of both sides.
private struct MergingResolver: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return nil }
        let merged = local.toMutable()
        for key in remote.keys { merged.setValue(remote.value(forKey: key), forKey: key) }
        return merged
    }
}
#endif
