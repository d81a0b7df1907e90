import Foundation
import QueryOracle
import TestSupport
import Testing

@Suite("Mutated texts for every parser")
struct ParserFuzzTests {
    @Test(
        "no text does harm, and errors lie inside of it",
        arguments: FuzzedParser.allCases
    )
    func mutatedTexts(parser: FuzzedParser) {
        let outcome = ParserFuzzing.run(parser, count: 6000, seed: TestSeed.forThisTest())
        for failure in outcome.failures { Issue.record(Comment(rawValue: failure)) }
        #expect(outcome.accepted > 0 && outcome.refused > 0)
    }

    @Test("no beginning of a well-formed text does harm", arguments: FuzzedParser.allCases)
    func beginnings(parser: FuzzedParser) {
        let outcome = ParserFuzzing.runBeginnings(parser)
        for failure in outcome.failures.prefix(3) { Issue.record(Comment(rawValue: failure)) }
        #expect(outcome.accepted > 0)
    }
}
