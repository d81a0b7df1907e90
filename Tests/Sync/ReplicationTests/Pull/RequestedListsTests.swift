import Testing

@testable import Replication

@Suite("Requested lists of a pull")
struct RequestedListsTests {
    @Test("only arrivals of the oldest list with awaited revisions count as progress")
    func progress() {
        var lists = RequestedLists()
        let first = lists.add(2, at: .seconds(10))
        let second = lists.add(1, at: .seconds(20))
        #expect(lists.awaitedCount == 3 && lists.oldest == first && lists.progressTime == .seconds(10))
        lists.arrive(second, at: .seconds(30))
        #expect(lists.progressTime == .seconds(10))
        lists.arrive(first, at: .seconds(40))
        #expect(lists.oldest == first && lists.progressTime == .seconds(40))
        lists.endWait(first, at: .seconds(50))
        #expect(lists.awaitedCount == 0 && lists.progressTime == .seconds(50))
        // The time without awaited revisions does not count.
        let third = lists.add(1, at: .seconds(100))
        #expect(lists.oldest == third && lists.progressTime == .seconds(100))
    }

    @Test("lists without wanted revisions and completed lists are skipped")
    func emptyLists() {
        var lists = RequestedLists()
        _ = lists.add(0, at: .zero)
        let second = lists.add(1, at: .zero)
        for _ in 0..<3 { _ = lists.add(0, at: .zero) }
        let last = lists.add(1, at: .zero)
        #expect(lists.oldest == second)
        lists.arrive(second, at: .seconds(1))
        #expect(lists.oldest == last && lists.awaitedCount == 1)
    }

    @Test("a list stays the oldest until its revisions are processed, and a revision can be awaited again in its own list")
    func processing() {
        var lists = RequestedLists()
        let first = lists.add(1, at: .zero)
        let second = lists.add(2, at: .zero)
        #expect(!lists.isProcessingOldest)
        lists.arrive(second, at: .seconds(1))
        // The oldest list does not wait for a later one.
        #expect(!lists.isProcessingOldest)
        lists.arrive(first, at: .seconds(2))
        #expect(lists.oldest == second && lists.isProcessingOldest)
        lists.awaitAgain(first, at: .seconds(3))
        #expect(lists.oldest == first && lists.awaitedCount == 2 && lists.progressTime == .seconds(3))
        #expect(!lists.isProcessingOldest)
        lists.arrive(first, at: .seconds(4))
        lists.end(first)
        #expect(lists.isProcessingOldest)
        lists.end(second)
        #expect(!lists.isProcessingOldest && lists.oldest == second && lists.awaitedCount == 1)
    }
}
