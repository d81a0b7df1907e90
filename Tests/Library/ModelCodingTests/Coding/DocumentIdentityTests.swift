import Dispatch
import DocumentStore
import ModelCoding
import Testing

@Suite("States of the IDs of models")
struct DocumentIdentityTests {
    private let revision = RevisionID("1-aa")

    @Test("setting the ID of a copy does not change the original, which knows that the copy has another state")
    func copyOnWrite() {
        var first = DocumentIdentity("a")
        var second = first
        #expect(second.sharesState(with: first))
        second.id = "b"
        #expect(first.id == "a" && second.id == "b" && !second.sharesState(with: first))
        #expect(first.wasReplaced && !second.wasReplaced)
        first.id = nil
        #expect(first.id == nil && second.id == "b")
    }

    @Test("a separated state is the same, and does not get a revision with the original")
    func separated() throws {
        let first = DocumentIdentity("a", revision: revision)
        let second = first.separated()
        #expect(second.id == "a" && second.revision == revision)
        #expect(!second.sharesState(with: first) && first.sharesState(with: first))
        let next = try #require(RevisionID("2-bb"))
        second.stands(for: "a", next)
        #expect(first.revision == revision && second.revision == next)
        second.didPurge(transactionOutcome: nil)
        #expect(second.id == "a" && second.revision == nil)
    }

    @Test("a change is based on the revision that was read, or on the latest one if conflicts do not matter")
    func base() throws {
        let read = DocumentIdentity("a", revision: revision)
        #expect(read.base(failsOnConflict: true).text == "revision 1-aa")
        #expect(read.base(failsOnConflict: false).text == "latest, knowing 1-aa")
        let new = DocumentIdentity(nil)
        #expect(new.base(failsOnConflict: true).text == "none" && new.base(failsOnConflict: false).text == "latest")
        #expect(try read.existing == "a")
        #expect(throws: StoreError.self) { try new.existing }
    }

    @Test("a state can be used by several threads at once")
    func threads() throws {
        let shared = DocumentIdentity("a")
        let next = try #require(RevisionID("2-bb"))
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            var copy = shared
            if number.isMultiple(of: 2) {
                copy.id = "\(number)"
                if copy.id != "\(number)" { Issue.record("the ID of a copy was changed by another thread") }
            } else {
                copy.separated().stands(for: "b", next)
            }
        }
        #expect(shared.id == "a" && shared.revision == nil)
    }
}
