import Foundation
import ReplicationSimulation
import TestSupport
import Testing

/// Each seed is a separate world. `SIMULATION_SEED=17 swift test --filter LossSimulation` repeats a world, and prints its events.
@Suite("Random losses between replications")
struct LossSimulationTests {
    private static let partCount = 6
    private static let seedsInPart = 50

    @Test(
        "after a last replication, both databases have the same documents, and all that one of them still had",
        arguments: 0..<partCount
    )
    func worlds(part: Int) throws {
        let chosen = ProcessInfo.processInfo.environment["SIMULATION_SEED"]
        let seeds = try chosen.map { [try #require(UInt64($0), "SIMULATION_SEED is not a number")] }
        let first = UInt64(part * Self.seedsInPart) + 1
        for seed in seeds ?? Array(first..<first + UInt64(Self.seedsInPart)) {
            for finding in LossyWorld.run(seed: seed, log: chosen == nil ? nil : { print($0) }) {
                Issue.record("SIMULATION_SEED=\(seed): \(finding)")
            }
        }
    }
}
