import Testing

@testable import Replication

@Suite("Permits that sessions share")
struct FairPermitsTests {
    @Test("a holder without a permit gets one above the limit, and more only when others release theirs")
    func first() {
        let permits = FairPermits(count: 3)
        let (greedy, other) = (FairPermits.Holder(permits), FairPermits.Holder(permits))
        var taken = (0..<3).map { _ in greedy.acquire() }
        #expect(taken.allSatisfy { $0 != nil } && greedy.acquire() == nil)
        let first = other.acquire()
        #expect(first != nil && other.acquire() == nil)
        taken.removeLast()
        #expect(other.acquire() == nil)
        taken.removeLast()
        let second = other.acquire()
        #expect(second != nil)
        withExtendedLifetime((taken, first, second)) {}
    }

    @Test("a holder gets no more than its share while others wait, and the rest once they do not")
    func share() {
        let permits = FairPermits(count: 4)
        let (greedy, other) = (FairPermits.Holder(permits), FairPermits.Holder(permits))
        var taken = (0..<4).map { _ in greedy.acquire() }
        var others = [other.acquire()]
        #expect(other.acquire() == nil)
        taken.removeLast(2)
        // One permit is free, and the greedy holder has as many as its share.
        #expect(greedy.acquire() == nil)
        others.append(other.acquire())
        #expect(others.allSatisfy { $0 != nil })
        others = []
        taken += [greedy.acquire(), greedy.acquire()]
        #expect(taken.count == 4 && taken.allSatisfy { $0 != nil })
    }

    @Test("a holder that is gone does not wait anymore")
    func gone() {
        let permits = FairPermits(count: 2)
        let holder = FairPermits.Holder(permits)
        var taken = (0..<2).map { _ in holder.acquire() }
        var other: FairPermits.Holder? = FairPermits.Holder(permits)
        var kept = other?.acquire()
        #expect(kept != nil && other?.acquire() == nil)
        kept = nil
        other = nil
        taken.removeLast()
        taken.append(holder.acquire())
        #expect(taken.allSatisfy { $0 != nil })
    }
}
