#if Replication
import TestSupport
import Testing
import TransportFuzzing

@Suite("Fuzzing corpus of handshakes")
struct HandshakeCorpusTests {
    @Test("all inputs of the handshake fuzzing corpus are parsed or rejected without failures", arguments: HandshakeFuzzing.Kind.allCases)
    func inputs(kind: HandshakeFuzzing.Kind) throws {
        let inputs = try Corpus.inputs(kind.rawValue)
        #expect(inputs.count > 5)
        for input in inputs { #expect(HandshakeFuzzing.examine(kind, input.bytes).failures == [], "\(input.name)") }
    }
}
#endif
