import Foundation
import ReplicationSimulation
import TestSupport
import Testing

@Suite("Replicating at random")
struct RandomWorldTests {
    @Test("whatever goes wrong, in the end everybody has everything")
    func worlds() throws {
        let count = ProcessInfo.processInfo.environment["SIMULATION_COUNT"].flatMap { UInt64($0) } ?? 20
        let first = TestSeed.forThisTest()
        for number in 0..<count {
            let world = try RandomWorld(seed: first &+ number)
            try world.run()
            try world.heal()
        }
    }
}
