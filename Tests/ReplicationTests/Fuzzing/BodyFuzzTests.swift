import ReplicationSimulation
import TestSupport
import Testing

@Suite("Bodies from peers that make mistakes")
struct BodyFuzzTests {
    @Test("right bodies and deltas give what they should; wrong ones are refused, or give documents")
    func bodies() {
        let outcome = BodyFuzzing.run(count: 20_000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        #expect(outcome.accepted > 5000 && outcome.refused > 4000, "\(outcome)")
    }
}
