import DocumentStore
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Conflicts of revision trees that are resolved after an upgrade to version vectors")
struct UpgradedConflictsTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let server: SimulatedDatabase
    /// A client of the server, which serves a client of its own.
    private let middle: SimulatedDatabase
    private let client: SimulatedDatabase

    init() throws {
        server = try SimulatedDatabase("server", in: simulation)
        middle = try SimulatedDatabase("middle", in: simulation)
        client = try SimulatedDatabase("client", in: simulation)
    }

    /// Replicates once, where each database prefers its own revision.
    @discardableResult
    private func replicate(_ local: SimulatedDatabase, with remote: SimulatedDatabase) throws -> SessionRunner {
        simulation.run(for: .seconds(1))
        var options = SimulatedReplication.Options()
        options.resolve = { _ in .local }
        let active = try simulation.replicate(local, with: remote, options).active
        #expect(active.error == nil)
        #expect(active.documents.allSatisfy { $0.error == nil })
        return active
    }

    @Test("the server takes the result from a database that keeps the names of its branch for clients of its own")
    func named() throws {
        try client.save("a", #"{"n":0}"#)
        try replicate(client, with: middle)
        try replicate(middle, with: server)
        try middle.save("a", #"{"n":1}"#)
        try server.save("a", #"{"n":2}"#)
        for database in [server, middle] { try database.file.upgradeToVersionVectors() }
        #expect(try replicate(middle, with: server).conflictCount == 1)
        #expect(try server.json("a") == #"{"n":1}"#)
        // The client of the branch goes on.
        try replicate(client, with: middle)
        try client.save("a", #"{"n":3}"#)
        for (local, remote) in [(client, middle), (middle, server)] { #expect(try replicate(local, with: remote).conflictCount == 0) }
        for database in [server, middle] { #expect(try database.json("a") == #"{"n":3}"#) }
        for (local, remote) in [(client, middle), (middle, server)] { #expect(try replicate(local, with: remote).documents.isEmpty) }
    }
}
