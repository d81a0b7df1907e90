import Testing

@testable import DocumentStore

@Suite("What is known about index keys")
struct IndexKeyHistoryTests {
    private let history = IndexKeyHistory()

    private func isExact(at lastSequence: UInt64, version: Int64 = 1) -> Bool? {
        history.isExact("i", in: "default", version: version, lastSequence: lastSequence)
    }

    private func record(_ isExact: Bool, at lastSequence: UInt64) {
        history.record(isExact, "i", version: 1, lastSequence: lastSequence, reportCount: history.reportCount)
    }

    @Test("a finding holds for the same sequence and the same schema")
    func sameState() {
        #expect(isExact(at: 5) == nil)
        record(true, at: 5)
        #expect(isExact(at: 5) == true)
        #expect(isExact(at: 5, version: 2) == nil)
        #expect(isExact(at: 4) == nil)
        #expect(history.isExact("other", in: "default", version: 1, lastSequence: 5) == nil)
    }

    @Test("exact keys stay exact after changes of this process, and must be examined again after those of another one")
    func changes() {
        record(true, at: 5)
        #expect(isExact(at: 7) == nil)
        history.committed(5...7, in: "default")
        #expect(isExact(at: 7) == true)
        history.committed(5...9, in: "default")
        #expect(isExact(at: 9) == true)
        // Another process has assigned the sequences 10 and 11.
        history.committed(11...12, in: "default")
        #expect(isExact(at: 12) == nil)
        record(true, at: 11)
        #expect(isExact(at: 12) == true)
        history.committed(5...20, in: "another")
        #expect(isExact(at: 20) == nil)
    }

    @Test("a commit with keys that differ ends all findings, also those that were being made at that time")
    func reports() {
        record(true, at: 5)
        let count = history.reportCount
        history.committedDifferingKeys()
        history.committed(5...6, in: "default")
        #expect(isExact(at: 6) == nil)
        history.record(true, "i", version: 1, lastSequence: 5, reportCount: count)
        #expect(isExact(at: 6) == nil)
        #expect(isExact(at: 5) == nil)
    }

    @Test("keys that differ are examined again after any change")
    func differing() {
        record(false, at: 5)
        history.committed(5...6, in: "default")
        #expect(isExact(at: 5) == false)
        #expect(isExact(at: 6) == nil)
    }
}
