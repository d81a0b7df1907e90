import QueryOracle
import TestSupport
import Testing

@Suite("Damaged vector indexes")
struct DamagedVectorTests {
    @Test("damage is an error at most, keeps no document from being saved, and is repaired by rebuilding")
    func damage() throws {
        // Each column twice, in indexes of two kinds.
        let count = 2 * DamagedVectorIndexes.columnCount
        let outcome = try DamagedVectorIndexes.run(count: count, seed: TestSeed.forThisTest())
        #expect(outcome.failures == [])
        #expect(outcome.files == count)
        #expect(outcome.errors > 0)
    }
}
