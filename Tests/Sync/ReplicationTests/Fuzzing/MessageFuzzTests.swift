import ReplicationSimulation
import TestSupport
import Testing

@Suite("Fuzzing of messages")
struct MessageFuzzTests {
    @Test("active and passive sessions answer random messages or end, and the database stays intact")
    func messages() {
        let outcome = MessageFuzzing.run(count: 2000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        // Some of the inputs must be accepted.
        #expect(outcome.answers > 200 && outcome.errors > 200 && outcome.errors < outcome.requests, "\(outcome)")
    }
}
