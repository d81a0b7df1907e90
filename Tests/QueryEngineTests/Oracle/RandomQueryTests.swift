import QueryOracle
import TestSupport
import Testing

@Suite("Random queries against a naive evaluator")
struct RandomQueryTests {
    // Twenty thousand together, in parts that run beside each other.
    @Test("random queries give the rows that the specification demands", arguments: 0..<4)
    func randomQueries(part: UInt64) throws {
        let seed = TestSeed.forThisTest() &+ part
        let outcome = try RandomQueries.run(count: 5000, seed: seed)
        for difference in outcome.differences { Issue.record(Comment(rawValue: difference)) }
        // Most queries must say something.
        #expect(outcome.unspecified < outcome.compared / 2)
    }
}
