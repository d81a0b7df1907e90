#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Upgrades to version vectors of databases that are replicated", .ownThreads)
struct RemoteVersioningTests {
    private let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    private func replicator(_ database: Database, with target: any Endpoint) throws -> Replicator {
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: database.defaultCollection())],
            target: target
        )
        config.maxAttempts = 1
        return Replicator(config: config)
    }

    /// Runs a replicator, which connects and gets an error when the gateway ends the connection.
    private func connect(_ replicator: Replicator) async {
        let error = await thrown { _ = try await replicator.runToEnd() }
        #expect(error != nil)
    }

    /// Whether new revisions of the database have version vectors.
    private func hasVectors(_ database: Database) throws -> Bool {
        let document = MutableDocument()
        try database.defaultCollection().save(document: document)
        return document.revisionID?.hasSuffix("@*") == true
    }

    @Test("a database is upgraded after the one in the same app with which it replicates, and after they have replicated again")
    func databaseEndpoint() async throws {
        let (near, far) = (try folder.open("near"), try folder.open("far"))
        let target = DatabaseEndpoint(database: far)
        try await replicator(near, with: target).runToEnd()
        let error = #expect(throws: NSError.self) { try near.upgradeToVersionVectors() }
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.unsupported)
        #expect(error?.localizedDescription.contains("local://") == true)
        #expect(error?.localizedDescription.contains("ignoringRemotes: true") == true)
        #expect(try !hasVectors(near))
        try far.upgradeToVersionVectors()
        let second = #expect(throws: NSError.self) { try near.upgradeToVersionVectors() }
        #expect(second?.code == CBLError.unsupported)
        try await replicator(near, with: target).runToEnd()
        try near.upgradeToVersionVectors()
        #expect(try hasVectors(near))
        try await replicator(near, with: target).runToEnd()
    }

    @Test("a database is not upgraded after it has connected to a Sync Gateway before 4.0, but as soon as it has connected to a newer one")
    func gateway() async throws {
        let gateway = try ScriptedGateway(server: "Couchbase Sync Gateway/3.3.7 CE")
        let database = try folder.open()
        let url = try #require(URL(string: "ws://127.0.0.1:\(gateway.port)/travel?token=secret"))
        let replicator = try replicator(database, with: URLEndpoint(url: url))
        await connect(replicator)
        let error = #expect(throws: NSError.self) { try database.upgradeToVersionVectors() }
        #expect(error?.code == CBLError.unsupported)
        #expect(error?.localizedDescription.contains("because ws://127.0.0.1:\(gateway.port)/travel served only revision trees") == true)
        #expect(error?.localizedDescription.contains("secret") == false)
        gateway.setServer("Couchbase Sync Gateway/4.0.7 CE")
        await connect(replicator)
        try database.upgradeToVersionVectors()
        #expect(try hasVectors(database))
    }

    @Test("an app that ignores the remotes upgrades a database whose gateway is one before 4.0")
    func ignoring() async throws {
        let gateway = try ScriptedGateway(server: "Couchbase Sync Gateway/3.3.7 CE")
        let database = try folder.open()
        let url = try #require(URL(string: "ws://127.0.0.1:\(gateway.port)/travel"))
        let replicator = try replicator(database, with: URLEndpoint(url: url))
        await connect(replicator)
        #expect(throws: NSError.self) { try database.upgradeToVersionVectors() }
        try database.upgradeToVersionVectors(ignoringRemotes: true)
        #expect(try hasVectors(database))
    }
}
#endif
