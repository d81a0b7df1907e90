import QueryOracle
import TestSupport
import Testing

@Suite("Damaged vector indexes")
struct DamagedVectorTests {
    @Test("damage is an error at most, keeps no document from being saved, and is repaired by rebuilding")
    func damage() throws {
        let outcome = try DamagedVectorIndexes.run(count: 200, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        #expect(outcome.files == 200)
        #expect(outcome.errors > 10)
    }
}
