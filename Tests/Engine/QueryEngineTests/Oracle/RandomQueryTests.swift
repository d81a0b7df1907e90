import QueryOracle
import TestSupport
import Testing

@Suite("Random queries and statements")
struct RandomQueryTests {
    // In parts that run concurrently. `script/fuzz` runs many more.
    @Test("random queries return the same rows as a naive evaluator", arguments: 0..<4)
    func randomQueries(part: UInt64) throws {
        let seed = TestSeed.forThisTest() &+ part
        let outcome = try RandomQueries.run(count: 1000, seed: seed)
        for difference in outcome.differences { Issue.record(Comment(rawValue: difference)) }
        // Most queries must have a specified result.
        #expect(outcome.unspecified < outcome.compared / 2)
        for feature in QueryFeature.allCases {
            #expect(outcome.features[feature, default: 0] >= 2, "too few queries have the feature \(feature)")
        }
    }

    @Test("random statements change the same documents as a naive evaluator, and return the same rows", arguments: 0..<2)
    func randomStatements(part: UInt64) throws {
        let seed = TestSeed.forThisTest() &+ part
        let outcome = try RandomStatements.run(count: 500, seed: seed)
        for difference in outcome.differences { Issue.record(Comment(rawValue: difference)) }
        #expect(outcome.unspecified < outcome.compared / 2)
        for feature in StatementFeature.allCases {
            #expect(outcome.features[feature, default: 0] >= 2, "too few statements have the feature \(feature)")
        }
    }
}
