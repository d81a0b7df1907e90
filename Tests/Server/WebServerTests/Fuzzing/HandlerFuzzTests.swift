#if Replication
import TransportFuzzing
import TestSupport
import Testing
import HandlerFuzzing

@Suite("Handlers of connections on hostile sockets")
struct HandlerFuzzTests {
    @Test(
        "a handler keeps its order and releases everything when the socket delivers, fails, closes or becomes unwritable at any call",
        arguments: HandlerFuzzing.Kind.allCases
    )
    func handlers(kind: HandlerFuzzing.Kind) {
        var seeds = SeededGenerator(seed: TestSeed.forThisTest())
        var accepted = 0
        let count = kind.isSecure ? 120 : 250
        for _ in 0..<count {
            let seed = seeds.next()
            let outcome = HandlerFuzzing.run(kind, seed: seed)
            #expect(outcome.failures == [], "seed \(seed)")
            accepted += outcome.accepted
            if !outcome.failures.isEmpty { break }
        }
        // Otherwise the inputs would be too bad for the handlers.
        #expect(accepted > count / 10)
    }
}
#endif
