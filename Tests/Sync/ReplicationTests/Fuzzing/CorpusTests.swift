import ReplicationSimulation
import TestSupport
import Testing

@Suite("Saved fuzzing inputs")
struct CorpusTests {
    @Test("every saved fuzzing input is accepted or rejected as expected", arguments: ReplicationCorpus.allCases)
    func inputs(kind: ReplicationCorpus) throws {
        let inputs = try Corpus.inputs(kind.rawValue)
        #expect(inputs.count > 10)
        for input in inputs { #expect(kind.findings(in: input.bytes) == [], "\(input.name)") }
    }
}
