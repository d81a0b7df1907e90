import DocumentStore
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Clients that are upgraded to version vectors after their server")
struct NamedVersionsTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let server: SimulatedDatabase
    /// Clients with revision trees.
    private let client: SimulatedDatabase
    private let second: SimulatedDatabase

    init() throws {
        server = try SimulatedDatabase("server", in: simulation, .versionVectors)
        client = try SimulatedDatabase("client", in: simulation)
        second = try SimulatedDatabase("second", in: simulation)
    }

    @discardableResult
    private func replicate(
        _ client: SimulatedDatabase,
        with target: SimulatedDatabase? = nil,
        _ options: SimulatedReplication.Options = .init()
    ) throws -> SimulatedReplication {
        simulation.run(for: .seconds(1))
        let replication = try simulation.replicate(client, with: target ?? server, options)
        #expect(replication.active.error == nil && replication.active.conflictCount == 0)
        #expect(replication.active.documents.allSatisfy { $0.error == nil })
        return replication
    }

    /// Makes the next replication of the client begin at the first sequence.
    private func reset(_ options: SimulatedReplication.Options = .init()) throws {
        try client.replica.discardCheckpoints(SimulatedReplication.activeOptions(options, with: server))
    }

    /// Gives the client and the server the same document, and upgrades the client.
    ///
    /// - Parameter isPushed: Whether the client has made the document.
    private func prepare(isPushed: Bool) throws {
        try (isPushed ? client : server).save("a", #"{"n":1}"#)
        try replicate(client)
        #expect(try client.json("a") == server.json("a"))
        try client.file.upgradeToVersionVectors()
    }

    private func expectNothingLeft(_ databases: [SimulatedDatabase]) throws {
        let sequences = try databases.map { try $0.collection().lastSequence() }
        for client in databases where client !== server { #expect(try replicate(client).active.documents.isEmpty) }
        #expect(try databases.map { try $0.collection().lastSequence() } == sequences)
    }

    @Test(
        "the server's version of a revision that was changed after the upgrade is received once, without a conflict",
        arguments: [true, false]
    )
    func receiving(isPushed: Bool) throws {
        try prepare(isPushed: isPushed)
        try client.save("a", #"{"n":2}"#)
        var options = SimulatedReplication.Options()
        options.push = .disabled
        try reset(options)
        #expect(try replicate(client, options).active.succeeded == ["a"])
        let own = try #require(try server.file.versionSource())
        let version = try #require(try server.collection().document("a")).revision.absolute(own)
        let remote = try client.file.remoteID(for: SimulatedReplication.activeOptions(options, with: server).remoteURL)
        #expect(try client.collection().change(of: "a", remote: remote)?.remoteAncestor == version)
        try reset(options)
        #expect(try replicate(client, options).active.documents.isEmpty)
        #expect(try replicate(client).active.succeeded == ["a"])
        #expect(try server.json("a") == #"{"n":2}"# && client.json("a") == #"{"n":2}"#)
        try expectNothingLeft([server, client])
    }

    @Test("a change that was made after the upgrade is pushed while the server offers its version again", arguments: [true, false])
    func pushing(isPushed: Bool) throws {
        try prepare(isPushed: isPushed)
        try client.save("a", #"{"n":2}"#)
        try reset()
        try replicate(client)
        #expect(try server.json("a") == #"{"n":2}"#)
        try replicate(client)
        #expect(try client.json("a") == #"{"n":2}"# && client.content().conflicts.isEmpty)
        try expectNothingLeft([server, client])
    }

    @Test("a client that has got the revision from another client pushes its change in the first session", arguments: [true, false])
    func fromAnotherClient(isChangedInTree: Bool) throws {
        try client.save("a", #"{"n":1}"#)
        try replicate(client)
        try replicate(second, with: client)
        if isChangedInTree { try second.save("a", #"{"n":2}"#) }
        try second.file.upgradeToVersionVectors()
        if !isChangedInTree { try second.save("a", #"{"n":2}"#) }
        try replicate(second)
        #expect(try server.json("a") == #"{"n":2}"# && second.json("a") == #"{"n":2}"#)
        for database in [second, client] { try replicate(database) }
        #expect(try client.json("a") == #"{"n":2}"# && second.content().conflicts.isEmpty)
        try expectNothingLeft([server, client, second])
    }

    @Test("a client that misses a change of an upgraded client has no conflict with the next one")
    func missedChange() throws {
        let other = try SimulatedDatabase("other", in: simulation, .versionVectors)
        try client.save("a", #"{"n":1}"#)
        for database in [client, other] { try replicate(database) }
        try client.file.upgradeToVersionVectors()
        for number in 2...3 {
            try client.save("a", #"{"n":\#(number)}"#)
            try replicate(client)
        }
        try replicate(other)
        #expect(try other.json("a") == #"{"n":3}"#)
        try expectNothingLeft([server, client, other])
    }

    @Test("an upgraded database shows its clients the server's version of a revision under the ID that they know")
    func chain() throws {
        try second.save("a", #"{"n":1}"#)
        try replicate(second, with: client)
        try replicate(client)
        try client.file.upgradeToVersionVectors()
        try reset()
        try replicate(client)
        #expect(try client.collection().document("a")?.revision.tree == nil)
        try second.save("a", #"{"n":2}"#)
        try replicate(second, with: client)
        try replicate(client)
        for database in [server, client] { #expect(try database.json("a") == #"{"n":2}"#) }
    }
}
