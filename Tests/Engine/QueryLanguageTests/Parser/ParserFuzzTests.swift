import Foundation
import QueryOracle
import TestSupport
import Testing

@Suite("Parser fuzzing")
struct ParserFuzzTests {
    @Test("parsers accept or reject mutated texts without failures", arguments: FuzzedParser.allCases)
    func mutatedTexts(parser: FuzzedParser) {
        let outcome = ParserFuzzing.run(parser, count: 6000, seed: TestSeed.forThisTest())
        for failure in outcome.failures { Issue.record(Comment(rawValue: failure)) }
        #expect(outcome.accepted > 0 && outcome.refused > 0)
    }

    @Test("parsers accept or reject every prefix of a valid text without failures", arguments: FuzzedParser.allCases)
    func beginnings(parser: FuzzedParser) {
        let outcome = ParserFuzzing.runBeginnings(parser)
        for failure in outcome.failures.prefix(3) { Issue.record(Comment(rawValue: failure)) }
        #expect(outcome.accepted > 0)
    }
}
