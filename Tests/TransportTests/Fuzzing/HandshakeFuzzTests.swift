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
        // It is not all refused at once.
        #expect(outcome.accepted > 1000 && outcome.refused > 300, "\(outcome)")
    }
}
#endif
