import ReplicationSimulation
import TestSupport
import Testing

@Suite("Frames from hostile peers")
struct BLIPFuzzTests {
    @Test("every frame is taken or refused, within the limits, and every request has one end")
    func frames() {
        let outcome = BLIPFuzzing.run(count: 20_000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        // It is not all refused at once.
        #expect(outcome.accepted > 10_000 && outcome.refused > 500 && outcome.messages > 4000, "\(outcome)")
    }
}
