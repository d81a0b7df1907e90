import ReplicationSimulation
import TestSupport
import Testing

@Suite("Inputs that fuzzing has kept")
struct CorpusTests {
    @Test("are read or refused as they should be", arguments: ReplicationCorpus.allCases)
    func inputs(kind: ReplicationCorpus) throws {
        let inputs = try Corpus.inputs(kind.rawValue)
        #expect(inputs.count > 10)
        for input in inputs { #expect(kind.findings(in: input.bytes) == [], "\(input.name)") }
    }
}
