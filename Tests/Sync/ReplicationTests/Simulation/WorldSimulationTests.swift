import Foundation
import ReplicationSimulation
import TestSupport
import Testing

/// Each seed is a separate world: the databases, their replicators, the edits and the faults.
///
/// `SIMULATION_SEED=17 swift test --filter WorldSimulation` repeats a world, and `ReplicationFuzz simulate --seed 17 --verbose` prints its
/// events.
@Suite("Random replication simulations")
struct WorldSimulationTests {
    // Short parts, so that other tests can run in between. CI and `script/fuzz` run thousands of worlds with an optimized program.
    private static let partCount = 4
    private static let seedsInPart = 20

    @Test("in every random simulation all databases agree in the end, and no data is lost or left to send", arguments: 0..<partCount)
    func worlds(part: Int) throws {
        for seed in try Self.seeds(of: part) {
            // The independent checker takes longer than a world.
            for finding in World.run(seed: seed, checksBundles: seed % 200 == 0) {
                Issue.record("SIMULATION_SEED=\(seed): \(finding)")
            }
        }
    }

    private static func seeds(of part: Int) throws -> [UInt64] {
        guard let text = ProcessInfo.processInfo.environment["SIMULATION_SEED"] else {
            let first = UInt64(part * seedsInPart) + 1
            return Array(first..<first + UInt64(seedsInPart))
        }
        return part == 0 ? [try #require(UInt64(text), "SIMULATION_SEED is not a number")] : []
    }

    @Test("databases with version vectors name themselves by their IDs in messages")
    func sources() {
        var count = 0
        for seed: UInt64 in 1...40 where WorldOptions(seed: seed).usesVersions && count < 5 {
            count += 1
            var messages: [String] = []
            let findings = World.run(seed: seed) { if $0.contains(" → ") || $0.contains(" ← ") { messages.append($0) } }
            #expect(findings == [] && messages.contains { $0.contains("proposeChanges") })
            #expect(!messages.contains { $0.contains("@*") }, "seed \(seed)")
        }
        #expect(count == 5)
    }

    @Test("a simulation with the same seed always has the same log")
    func repeated() {
        for seed: UInt64 in [3, 18, 118] {
            var logs: [[String]] = []
            for _ in 0..<2 {
                var log: [String] = []
                #expect(World.run(seed: seed) { log.append($0) } == [])
                logs.append(log)
            }
            let difference = zip(logs[0], logs[1]).first { $0 != $1 }
            #expect(difference == nil && logs[0].count == logs[1].count, "seed \(seed)")
        }
    }
}
