#if Replication
import DocumentStore
import SyncCore
import TestSupport
import Testing

@testable import SyncRuntime

@Suite("Attempts to resolve a conflict")
struct ConflictSolvingTests {
    /// A document whose conflict changes each time a result is stored.
    private struct Steps: ConflictSolving {
        var resolver: ConflictAnswering<Int, Int> = .onThread { $0 }
        /// The number of attempts after which the document has no conflict.
        let attempts: Int
        let isStored: Bool
        let ends = Recorder<Int>()

        func conflict(of documentID: String) -> Int? { ends.all.count < attempts ? ends.all.count : nil }
        func isStored(_ documentID: String) -> Bool { isStored }

        func end(_ conflict: Int, with answer: Int) -> ResolvedConflict? {
            ends.append(answer)
            return nil
        }
    }

    private func error(_ settlement: ConflictSettlement) -> SyncError? {
        guard case .failed(let error) = settlement else { return nil }
        return error as? SyncError
    }

    @Test("a conflict that changes at every attempt fails after ten attempts")
    func tooManyChanges() async {
        let steps = Steps(attempts: .max, isStored: true)
        #expect(error(steps.solve("doc"))?.code == EngineCode.conflict.rawValue)
        #expect(steps.ends.all == Array(0..<10))
        let inTask = Steps(resolver: .inTask { $0 }, attempts: .max, isStored: true)
        #expect(error(await inTask.solveInTask("doc", StoringPermit()))?.code == EngineCode.conflict.rawValue)
        #expect(inTask.ends.all == Array(0..<10))
    }

    @Test("resolving fails if the document is purged in the meantime, but not if the document has lost its conflict")
    func purged() {
        #expect(error(Steps(attempts: 3, isStored: false).solve("doc"))?.code == EngineCode.notFound.rawValue)
        for steps in [Steps(attempts: 3, isStored: true), Steps(attempts: 0, isStored: false)] {
            guard case .none = steps.solve("doc") else {
                Issue.record("the settlement is not empty")
                return
            }
        }
    }

    @Test("a result is not stored without the permit to store it")
    func permit() async {
        let permit = StoringPermit()
        #expect(permit.revoke())
        let steps = Steps(resolver: .inTask { $0 }, attempts: 1, isStored: true)
        guard case .none = await steps.solveInTask("doc", permit) else {
            Issue.record("the settlement is not empty")
            return
        }
        #expect(steps.ends.all.isEmpty)
    }
}
#endif
