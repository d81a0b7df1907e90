import DocumentStore
import Replication
import ReplicationSimulation
import TestSupport
import Testing

@Suite("Replication with long round trips")
struct LongWayTests {
    /// Only round trips take time here, so the time shows how often one side waits for the other.
    @Test("8000 documents are replicated in at most seven round trips", arguments: ["push", "pull"])
    func roundTrips(direction: String) throws {
        let simulation = Simulation(seed: TestSeed.forThisTest())
        let client = try SimulatedDatabase("client", in: simulation)
        let server = try SimulatedDatabase("server", in: simulation)
        let source = direction == "push" ? client : server
        try source.file.transaction { _ in
            for number in 0..<8000 { try source.save("\(number)", #"{"n":\#(number)}"#) }
        }
        var options = SimulatedReplication.Options()
        options.push = direction == "push" ? .oneShot : .disabled
        options.pull = direction == "pull" ? .oneShot : .disabled
        options.link.latency = .milliseconds(50)
        let replication = SimulatedReplication(client, with: server, options, in: simulation)
        try simulation.run { replication.active.status.counts.replicated == 8000 }
        #expect(simulation.now <= .milliseconds(700))
    }
}
