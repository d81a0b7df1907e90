import QueryOracle
import TestSupport
import Testing

@Suite("Random queries")
struct RandomQueryTests {
    // Twenty thousand together, in parts that run beside each other.
    @Test("random queries return the same rows as a naive evaluator", arguments: 0..<4)
    func randomQueries(part: UInt64) throws {
        let seed = TestSeed.forThisTest() &+ part
        let outcome = try RandomQueries.run(count: 5000, seed: seed)
        for difference in outcome.differences { Issue.record(Comment(rawValue: difference)) }
        // Most queries must say something.
        #expect(outcome.unspecified < outcome.compared / 2)
    }
}
