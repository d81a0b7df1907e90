#if Replication
import TestSupport
import Testing
import TransportFuzzing

@Suite("Handshake fuzzing")
struct HandshakeFuzzTests {
    @Test("random heads, redirects, cookies, frames and certificates are parsed or rejected without failures")
    func handshakes() {
        let outcome = HandshakeFuzzing.run(count: 2000, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        // Some of the inputs must be accepted.
        #expect(outcome.accepted > 1000 && outcome.refused > 300, "\(outcome)")
    }
}
#endif
