import TestSupport
import Testing

@testable import Replication

@Suite("Expected sequences of a pull")
struct ExpectedSequencesTests {
    private func sequence(_ number: UInt64) -> RemoteSequence { RemoteSequence(number) }

    @Test("the checkpoint sequence advances only up to the first missing revision")
    func order() {
        let expected = Tested(since: sequence(10))
        for number in [11, 15, 12] as [UInt64] { expected.expect(sequence(number)) }
        expected.skip(sequence(20))
        #expect(expected.awaitedCount == 3 && expected.since == sequence(10))
        for number in [15, 12, 11] as [UInt64] {
            #expect(expected.since == sequence(10))
            #expect(expected.arrive(sequence(number)))
            expected.complete(sequence(number))
        }
        #expect(expected.since == sequence(20))
        #expect(expected.awaitedCount == 0 && expected.count == 0)
    }

    @Test("a skipped sequence counts at once if no earlier sequence is missing")
    func skipping() {
        let expected = Tested(since: nil)
        #expect(expected.since == nil)
        expected.skip(sequence(1))
        #expect(expected.since == sequence(1))
        expected.expect(sequence(2))
        expected.skip(sequence(3))
        #expect(expected.since == sequence(1))
    }

    @Test("a sequence arrives only once, and only if it is expected")
    func arriving() {
        let expected = Tested(since: nil)
        #expect(!expected.arrive(sequence(1)))
        expected.expect(sequence(1))
        expected.skip(sequence(2))
        #expect(!expected.arrive(sequence(2)))
        #expect(expected.arrive(sequence(1)))
        #expect(!expected.arrive(sequence(1)))
        expected.awaitAgain(sequence(1))
        #expect(expected.awaitedCount == 1 && expected.arrive(sequence(1)))
    }

    @Test("a failed sequence holds back the checkpoint, and later sequences take no memory")
    func failing() {
        let expected = Tested(since: sequence(1))
        for number in 2...4 as ClosedRange<UInt64> { expected.expect(sequence(number)) }
        for number in 2...4 as ClosedRange<UInt64> { #expect(expected.arrive(sequence(number))) }
        expected.fail(sequence(3))
        expected.complete(sequence(4))
        expected.complete(sequence(2))
        #expect(expected.since == sequence(2))
        for number in 5...100 as ClosedRange<UInt64> {
            expected.skip(sequence(number))
            expected.expect(sequence(number + 1000))
            #expect(expected.arrive(sequence(number + 1000)))
            expected.complete(sequence(number + 1000))
        }
        #expect(expected.since == sequence(2) && expected.count == 0)
        #expect(!expected.arrive(sequence(3)))
    }

    @Test("completed sequences after a missing one take no memory")
    func completedBehindMissing() {
        let expected = Tested(since: nil)
        expected.expect(sequence(1))
        for number in 2...1000 as ClosedRange<UInt64> {
            expected.skip(sequence(number))
            expected.expect(sequence(number + 1000))
            #expect(expected.arrive(sequence(number + 1000)))
            expected.complete(sequence(number + 1000))
        }
        #expect(expected.count == 1 && expected.since == nil)
        #expect(expected.arrive(sequence(1)))
        expected.complete(sequence(1))
        #expect(expected.count == 0 && expected.since == sequence(2000))
    }

    @Test("the awaited sequences of one list fail together")
    func failingList() {
        let expected = Tested(since: sequence(9))
        for number in 1...4 as ClosedRange<UInt64> { expected.expect(sequence(number), of: "d\(number)", in: number < 4 ? 1 : 2) }
        #expect(expected.arrive(sequence(2)))
        #expect(expected.failAwaited(in: 1) == ["d1", "d3"])
        #expect(expected.awaitedCount == 1 && !expected.arrive(sequence(1)))
        #expect(expected.list(of: sequence(2)) == 1 && expected.list(of: sequence(3)) == nil)
        expected.complete(sequence(2))
        #expect(expected.arrive(sequence(4)))
        expected.complete(sequence(4))
        #expect(expected.since == sequence(9) && expected.count == 0 && expected.awaitedCount == 0)
        #expect(expected.failAwaited(in: 2) == [])
    }

    @Test("a sequence that is announced twice is expected twice")
    func repeated() {
        let expected = Tested(since: nil)
        expected.expect(sequence(7))
        expected.expect(sequence(7))
        #expect(expected.arrive(sequence(7)) && expected.arrive(sequence(7)) && !expected.arrive(sequence(7)))
        expected.complete(sequence(7))
        #expect(expected.since == sequence(7))
        expected.complete(sequence(7))
        #expect(expected.count == 0)
    }

    @Test("a sequence is overtaken only by a later one of its document, and only until it is completed")
    func overtaking() {
        let expected = Tested(since: nil)
        for number in 1...4 as ClosedRange<UInt64> { expected.expect(sequence(number), of: number == 2 ? "b" : "a") }
        for number in 1...4 as ClosedRange<UInt64> { _ = expected.arrive(sequence(number)) }
        expected.overtake(before: sequence(3))
        #expect((1...4).map { expected.isOvertaken(sequence($0)) } == [true, false, false, false])
        expected.complete(sequence(1))
        #expect(!expected.isOvertaken(sequence(1)))
        expected.overtake("a")
        #expect((2...4).map { expected.isOvertaken(sequence($0)) } == [false, true, true])
        expected.expect(sequence(5))
        _ = expected.arrive(sequence(5))
        #expect(!expected.isOvertaken(sequence(5)))
    }

    @Test("expected sequences match a naive model after random operations")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let expected = Tested(since: nil)
            var states: [(number: UInt64, state: Int)] = []  // 0 awaited, 1 arrived, 2 done, 3 failed
            for step in 0..<60 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    states.append((UInt64(step), 0))
                    expected.expect(sequence(UInt64(step)))
                case 2:
                    states.append((UInt64(step), 2))
                    expected.skip(sequence(UInt64(step)))
                default:
                    guard let index = states.indices.filter({ states[$0].state < 2 }).randomElement(using: &random)
                    else {
                        continue
                    }
                    let number = sequence(states[index].number)
                    #expect(expected.arrive(number) == (states[index].state == 0))
                    let event = Int.random(in: 0..<20, using: &random)
                    states[index].state = event == 0 ? 3 : event < 5 ? 1 : 2
                    if event == 0 { expected.fail(number) } else if event >= 5 { expected.complete(number) }
                }
                let done = states.prefix { $0.state == 2 }
                #expect(expected.since == done.last.map { sequence($0.number) }, "seed \(seed), round \(round)")
                #expect(expected.awaitedCount == states.count { $0.state == 0 })
            }
        }
    }
}

/// The sequences as an object, so that expectations can change them.
private final class Tested {
    private var sequences: ExpectedSequences

    init(since: RemoteSequence?) { sequences = ExpectedSequences(since: since) }

    var since: RemoteSequence? { sequences.since }
    var awaitedCount: Int { sequences.awaitedCount }
    var count: Int { sequences.count }

    func expect(_ sequence: RemoteSequence, of documentID: String = "a", in list: Int = 1) {
        sequences.expect(sequence, of: documentID, in: list)
    }
    func skip(_ sequence: RemoteSequence) { sequences.skip(sequence) }
    func arrive(_ sequence: RemoteSequence) -> Bool { sequences.arrive(sequence) != nil }
    func awaitAgain(_ sequence: RemoteSequence) { sequences.awaitAgain(sequence) }
    func complete(_ sequence: RemoteSequence) { sequences.complete(sequence) }
    func fail(_ sequence: RemoteSequence) { sequences.fail(sequence) }
    func failAwaited(in list: Int) -> [String] { sequences.failAwaited(in: list) }
    func list(of sequence: RemoteSequence) -> Int? { sequences.list(of: sequence) }
    func overtake(_ documentID: String) { sequences.overtake(documentID) }
    func overtake(before sequence: RemoteSequence) { sequences.overtake(before: sequence) }
    func isOvertaken(_ sequence: RemoteSequence) -> Bool { sequences.isOvertaken(sequence) }
}
