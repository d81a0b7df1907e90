import ReplicationSimulation
import TestSupport
import Testing

@Suite("Fuzzing of BLIP frames")
struct BLIPFuzzTests {
    @Test("a BLIP connection accepts or rejects random frames within its limits and completes every request once")
    func frames() {
        let outcome = BLIPFuzzing.run(count: 20_000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        // Some of the inputs must be accepted.
        #expect(outcome.accepted > 10_000 && outcome.refused > 500 && outcome.messages > 4000, "\(outcome)")
    }
}
