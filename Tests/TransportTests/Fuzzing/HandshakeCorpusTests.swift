#if Replication
    import TestSupport
    import Testing
    import TransportFuzzing

    @Suite("Handshakes that fuzzing has kept")
    struct HandshakeCorpusTests {
        @Test("are read or refused as they should be", arguments: HandshakeFuzzing.Kind.allCases)
        func inputs(kind: HandshakeFuzzing.Kind) throws {
            let inputs = try Corpus.inputs(kind.rawValue)
            #expect(inputs.count > 5)
            for input in inputs { #expect(HandshakeFuzzing.examine(kind, input.bytes).failures == [], "\(input.name)") }
        }
    }
#endif
