import DocumentStore
import ReplicationSimulation
import TestSupport
import Testing

@testable import Replication

@Suite("Memory of long replications")
struct LongReplicationTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let client: SimulatedDatabase
    private let server: SimulatedDatabase

    init() throws {
        client = try SimulatedDatabase("client", in: simulation)
        server = try SimulatedDatabase("server", in: simulation)
    }

    private func save(_ numbers: Range<Int>, in database: SimulatedDatabase) throws {
        try database.file.transaction { _ in
            for number in numbers { try database.save("\(number)", #"{"n":\#(number)}"#) }
        }
    }

    private func held(_ replication: SimulatedReplication) -> [Int] {
        [replication.active, replication.passive].map { HeldElements.count(in: $0.session) }
    }

    @Test("an idle session holds about as many objects after 2000 documents as after 600", arguments: ["push", "pull"])
    func rest(direction: String) throws {
        let source = direction == "push" ? client : server
        var options = SimulatedReplication.Options()
        options.push = direction == "push" ? .continuous : .disabled
        options.pull = direction == "pull" ? .continuous : .disabled
        let replication = SimulatedReplication(client, with: server, options, in: simulation)
        func waitForRest(_ count: UInt64) throws {
            try simulation.run { replication.isIdle && replication.active.status.counts.replicated == count }
            // Checkpoints are saved after an interval.
            simulation.run(for: .seconds(30))
        }
        try save(0..<600, in: source)
        try waitForRest(600)
        let before = held(replication)

        try save(600..<2000, in: source)
        try simulation.run { replication.active.status.counts.replicated > 1000 }
        #expect(held(replication).max() ?? 0 > 100, "what is on its way is not seen")
        try waitForRest(2000)
        for (before, after) in zip(before, held(replication)) { #expect(after <= before + 10) }
    }
}
