#if Replication
import Base
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replication of documents whose IDs are canonically equivalent", .ownThreads)
struct LookalikeReplicatorTests {
    private static let ids = LookalikeTests.names

    let folder: DatabaseFolder
    let client: Database

    init() throws {
        folder = try DatabaseFolder()
        client = try folder.open("client")
    }

    private func fill(_ database: Database, _ mark: String) throws {
        try database.inBatch {
            for (number, id) in Self.ids.enumerated() { try database.save(id + mark, #"{"n":\#(number)}"#) }
        }
    }

    private func expectAll(in database: Database, _ mark: String) {
        for (number, id) in Self.ids.enumerated() {
            #expect(database.document(withID: id + mark)?.int(forKey: "n") == number)
        }
    }

    /// Replicates, and returns the reported documents.
    private func replicate(
        _ endpoint: any Endpoint,
        _ configure: (inout CollectionConfiguration) -> Void = { _ in }
    ) async throws -> [ExactString] {
        let config = ReplicatorConfiguration(target: endpoint)
        var collectionConfig = CollectionConfiguration()
        configure(&collectionConfig)
        config.addCollection(try client.defaultCollection(), config: collectionConfig)
        return try await Replicator(config: config).runToEnd().map { ExactString($0) }
    }

    private func check(_ endpoint: any Endpoint, _ remote: Database) async throws {
        try fill(client, "1")
        try fill(remote, "2")
        let expected = Self.ids.flatMap { ["push \($0)1", "pull \($0)2"] }
        #expect(Set(try await replicate(endpoint)) == Set(exactly: expected))
        for database in [client, remote] {
            expectAll(in: database, "1")
            expectAll(in: database, "2")
            #expect(try database.defaultCollection().count == 10)
        }
        #expect(try await replicate(endpoint).isEmpty)
        try client.delete(Self.ids[3] + "1")
        try remote.save(Self.ids[1] + "2", #"{"n":7}"#)
        #expect(try await replicate(endpoint).count == 2)
        #expect(remote.document(withID: Self.ids[3] + "1") == nil)
        #expect(remote.document(withID: Self.ids[4] + "1") != nil)
        #expect(client.document(withID: Self.ids[1] + "2")?.int(forKey: "n") == 7)
        #expect(client.document(withID: Self.ids[0] + "2")?.int(forKey: "n") == 0)
    }

    @Test("documents with canonically equivalent IDs are replicated with a database of the same process")
    func local() async throws {
        let remote = try folder.open("remote")
        try await check(DatabaseEndpoint(database: remote), remote)
    }

    @Test("documents with canonically equivalent IDs are replicated over sockets")
    func sockets() async throws {
        let served = try ServedDatabases(["db": []])
        let url = try #require(URL(string: try served.url()))
        try await check(URLEndpoint(url: url), try served.database())
    }

    @Test("document IDs of a configuration match by their bytes in both directions")
    func chosen() async throws {
        let remote = try folder.open("remote")
        try fill(client, "1")
        try fill(remote, "2")
        _ = try await replicate(DatabaseEndpoint(database: remote)) {
            $0.documentIDs = [Self.ids[2] + "1", Self.ids[4] + "2"]
        }
        #expect(try remote.defaultCollection().count == 6)
        #expect(try client.defaultCollection().count == 6)
        #expect(remote.document(withID: Self.ids[2] + "1") != nil)
        #expect(client.document(withID: Self.ids[4] + "2") != nil)
    }

    @Test("a listener compares user names and passwords by their bytes")
    func passwords() async throws {
        let served = try ServedDatabases(["db": []], in: folder) { config in
            config.authenticator = ListenerPasswordAuthenticator(username: "zo\u{EB}", password: "caf\u{E9}")
        }
        let url = try #require(URL(string: try served.url()))
        for (name, password, isGood) in [
            ("zo\u{EB}", "caf\u{E9}", true), ("zo\u{EB}", "cafe\u{301}", false), ("zoe\u{308}", "caf\u{E9}", false),
            ("zo\u{EB}", "", false), ("zo\u{EB}", "\u{301}", false),
        ] {
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: client.defaultCollection())],
                target: URLEndpoint(url: url)
            )
            config.maxAttempts = 1
            config.authenticator = BasicAuthenticator(username: name, password: password)
            let code = await thrown { try await Replicator(config: config).runToEnd() }
            #expect(code == (isGood ? nil : .couchbaseLite(CBLError.httpAuthRequired)))
        }
    }
}
#endif
