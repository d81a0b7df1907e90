import DocumentStore
import TestSupport
import Testing
import VersionHistories

@Suite("Random histories of versions")
struct RandomHistoryTests {
    @Test("version vectors relate revisions as complete histories do")
    func histories() {
        let seed = TestSeed.forThisTest()
        print("seed \(seed)")
        let outcome = RandomHistories.run(count: 5000, seed: seed)
        for difference in outcome.differences { Issue.record("\(difference)") }
        #expect([.same, .older, .newer, .conflicting].allSatisfy { outcome.compared[$0] ?? 0 > 1000 })
    }
}
