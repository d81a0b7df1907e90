import DocumentStore
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Conflicts that two clients resolve differently")
struct CrossedResolutionsTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let server: SimulatedDatabase
    private let first: SimulatedDatabase
    private let second: SimulatedDatabase
    private let relay: SimulatedDatabase

    init() throws {
        server = try SimulatedDatabase("server", in: simulation, .versionVectors)
        first = try SimulatedDatabase("first", in: simulation, .versionVectors)
        second = try SimulatedDatabase("second", in: simulation, .versionVectors)
        relay = try SimulatedDatabase("relay", in: simulation, .versionVectors)
    }

    /// Replicates with the server, or pulls from another database. Each database prefers its own revision. Returns the number of conflicts.
    @discardableResult
    private func replicate(_ client: SimulatedDatabase, pullingFrom source: SimulatedDatabase? = nil) throws -> Int {
        simulation.run(for: .seconds(1))
        var options = SimulatedReplication.Options()
        if source != nil { options.push = .disabled }
        options.resolve = { _ in .local }
        let replication = try simulation.replicate(client, with: source ?? server, options)
        #expect(replication.active.error == nil)
        #expect(replication.active.documents.allSatisfy { $0.error == nil })
        return replication.active.conflictCount
    }

    @Test("the server takes the resolution that is pushed last as a version of its own, and all clients get it")
    func crossed() throws {
        try first.save("a", #"{"n":0}"#)
        try replicate(first)
        try replicate(second)
        try first.save("a", #"{"n":1}"#)
        try second.save("a", #"{"n":2}"#)
        // Each of the two has the revision of the other one in the history of its own one.
        try replicate(relay, pullingFrom: first)
        #expect(try replicate(first, pullingFrom: second) == 1)
        #expect(try replicate(second, pullingFrom: relay) == 1)
        #expect(try replicate(second) == 0)
        #expect(try server.json("a") == #"{"n":2}"#)
        for client in [first, first, second] { #expect(try replicate(client) == 0) }
        let content = try server.content()
        for database in [server, first, second] {
            #expect(try database.json("a") == #"{"n":1}"#)
            #expect(try database.content().hasSameDocuments(as: content) && database.content().conflicts.isEmpty)
        }
        let sequences = try [server, first, second].map { try $0.collection().lastSequence() }
        for client in [first, second] { try replicate(client) }
        #expect(try [server, first, second].map { try $0.collection().lastSequence() } == sequences)
    }
}
