import Base
import DocumentStore
import TestSupport
import Testing

@testable import ModelCoding

@Suite("Merging counters")
struct CounterStateTests {
    private func revision(_ number: Int) throws -> RevisionID { try #require(RevisionID("\(number)-\(number % 10)abcdef")) }

    @Test("a merge does not depend on the order of the versions, and merging its result again changes nothing")
    func symmetric() throws {
        let seed = TestSeed.forThisTest()
        print("seed", seed)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var base = CounterState(Int64.random(in: -50...50, using: &random))
            func changed(_ state: CounterState) throws -> CounterState {
                var state = state
                for step in 0..<Int.random(in: 1...4, using: &random) {
                    let device = try #require(["a", "b", "c"].randomElement(using: &random))
                    let change = Int128.random(in: -5...5, using: &random)
                    state = try #require(state.changed(by: change, on: device, revision(5 + step)))
                }
                // A program that knows no counters.
                if Bool.random(using: &random) { state.sum += Int64.random(in: -5...5, using: &random) }
                return state
            }
            base = try changed(base)
            let (first, second) = (try changed(base), try changed(base))
            let versions = (first: (first, try revision(20)), second: (second, try revision(21)), base: (base, try revision(5)))
            let merged = try #require(CounterState.merged(versions.first, versions.second, base: versions.base))
            #expect(merged == CounterState.merged(versions.second, versions.first, base: versions.base), "seed \(seed)")
            let again = try #require(CounterState.merged((merged, revision(30)), (merged, revision(31)), base: versions.base))
            #expect(again == merged, "seed \(seed)")
            // Without the base, the starts are equal, because no tally was dropped.
            #expect(CounterState.merged((merged, try revision(30)), versions.first, base: nil)?.sum == merged.sum, "seed \(seed)")
        }
    }

    @Test("a counter without tallies cannot be merged without a base, and can with one")
    func untallied() throws {
        let tallied = try #require(CounterState(10).changed(by: -1, on: "a", revision(1)))
        var plain = CounterState(7)
        plain.isTallied = false
        let (newer, older) = ((tallied, try revision(2)), (plain, try revision(3)))
        #expect(CounterState.merged(newer, older, base: nil) == nil)
        var base = CounterState(10)
        base.isTallied = false
        #expect(CounterState.merged(newer, older, base: (base, try revision(1)))?.sum == 6)
    }

    @Test("numbers that exceed 64 bits are no counter, and never trap")
    func overflow() throws {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for start in extremes {
            for sum in extremes {
                for amount in extremes where amount >= 0 {
                    var state = CounterState(start)
                    state.sum = sum
                    state.tallies = [
                        "a": CounterState.Tally(added: amount, subtracted: 0), "b": CounterState.Tally(added: 0, subtracted: amount),
                    ]
                    for change in extremes {
                        let changed = state.changed(by: Int128(change), on: "a", try revision(1))
                        if let changed { #expect(Int128(changed.sum) == Int128(sum) + Int128(change)) }
                        let other = changed ?? CounterState(change)
                        for base in [state, CounterState(change)] {
                            let versions = ((state, try revision(2)), (other, try revision(3)))
                            guard let merged = CounterState.merged(versions.0, versions.1, base: (base, try revision(1))) else { continue }
                            let tallied = merged.tallies.values.reduce(0) { $0 + $1.total }
                            #expect(Int128(merged.start) + tallied == Int128(merged.sum))
                        }
                    }
                }
            }
        }
    }
}
