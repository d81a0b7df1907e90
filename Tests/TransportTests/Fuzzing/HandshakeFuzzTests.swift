#if Replication
    import TestSupport
    import Testing
    import TransportFuzzing

    @Suite("Handshakes of hostile peers")
    struct HandshakeFuzzTests {
        @Test("heads, redirects, cookies, frames and certificates are read or refused, however they are cut up")
        func handshakes() {
            let outcome = HandshakeFuzzing.run(count: 2000, seed: TestSeed.forThisTest())
            #expect(outcome.failures == [])
            // It is not all refused at once.
            #expect(outcome.accepted > 1000 && outcome.refused > 300, "\(outcome)")
        }
    }
#endif
