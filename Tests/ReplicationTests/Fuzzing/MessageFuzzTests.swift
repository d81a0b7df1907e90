import ReplicationSimulation
import TestSupport
import Testing

@Suite("Messages from hostile peers")
struct MessageFuzzTests {
    @Test("sessions of both kinds answer or end, and the database stays whole")
    func messages() {
        let outcome = MessageFuzzing.run(count: 2000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        // It is not all refused at once.
        #expect(outcome.answers > 200 && outcome.errors > 200 && outcome.errors < outcome.requests, "\(outcome)")
    }
}
