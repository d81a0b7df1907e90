import QueryOracle
import TestSupport
import Testing

@Suite("Random queries")
struct RandomQueryTests {
    // Twenty thousand queries together, in parts that run concurrently.
    @Test("random queries return the same rows as a naive evaluator", arguments: 0..<4)
    func randomQueries(part: UInt64) throws {
        let seed = TestSeed.forThisTest() &+ part
        let outcome = try RandomQueries.run(count: 5000, seed: seed)
        for difference in outcome.differences { Issue.record(Comment(rawValue: difference)) }
        // Most queries must have a specified result.
        #expect(outcome.unspecified < outcome.compared / 2)
    }
}
