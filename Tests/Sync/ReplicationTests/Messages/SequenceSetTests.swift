import TestSupport
import Testing

@testable import Replication

@Suite("Sequence sets")
struct SequenceSetTests {
    @Test("adjacent sequences are merged into one range")
    func merging() {
        var set = SequenceSet()
        set.insert(3)
        set.insert(5)
        #expect(set.ranges == [3..<4, 5..<6])
        set.insert(4)
        #expect(set.ranges == [3..<6])
        set.insert(0..<3)
        #expect(set.ranges == [0..<6])
        set.insert(2..<2)
        #expect(set.ranges == [0..<6])
    }

    @Test("UInt64.max is never in a sequence set, and the number below it can be")
    func highest() {
        var set = SequenceSet()
        set.insert(.max)
        #expect(set.ranges == [])
        set.insert(.max - 1)
        #expect(set.contains(.max - 1) && !set.contains(.max))
        set.remove(.max)
        set.remove(.max - 1)
        #expect(set.ranges == [])
    }

    @Test("removing a sequence from the middle of a range leaves two ranges")
    func splitting() {
        var set = SequenceSet([0..<10])
        set.remove(4)
        set.remove(0)
        set.remove(9)
        set.remove(77)
        #expect(set.ranges == [1..<4, 5..<9])
    }

    @Test("a sequence set matches a set of integers after random insertions and removals")
    func model() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<300 {
            var set = SequenceSet()
            var model: Set<UInt64> = []
            for _ in 0..<40 {
                let start = UInt64.random(in: 0..<40, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    set.remove(start)
                    model.remove(start)
                case 1:
                    set.insert(start)
                    model.insert(start)
                default:
                    let range = start..<start + UInt64.random(in: 0..<10, using: &random)
                    set.insert(range)
                    model.formUnion(range)
                }
                #expect(set.ranges.flatMap { Array($0) } == model.sorted())
                #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
                #expect((0..<50).allSatisfy { set.contains($0) == model.contains($0) })
            }
        }
    }

    @Test("the intersection of two sequence sets contains exactly their common sequences")
    func intersection() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<300 {
            let sets = (0..<2).map { _ in
                Set((0..<20).map { _ in UInt64.random(in: 0..<40, using: &random) })
            }
            let common = SequenceSet(sets[0].map { $0..<$0 + 1 })
                .intersection(SequenceSet(sets[1].map { $0..<$0 + 1 }))
            #expect(common.ranges.flatMap { Array($0) } == sets[0].intersection(sets[1]).sorted())
        }
    }
}
