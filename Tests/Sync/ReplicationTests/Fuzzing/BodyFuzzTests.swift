import ReplicationSimulation
import TestSupport
import Testing

@Suite("Fuzzing of bodies and deltas")
struct BodyFuzzTests {
    @Test("valid bodies and deltas give the expected result, and invalid ones are rejected or give documents")
    func bodies() {
        let outcome = BodyFuzzing.run(count: 20_000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        #expect(outcome.accepted > 5000 && outcome.refused > 4000, "\(outcome)")
    }
}
