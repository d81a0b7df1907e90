import Testing

@testable import DocumentStore

@Suite("Order of 1.x revision IDs")
struct LegacyRevisionOrderTests {
    private func compare(_ first: String, _ second: String) -> Int {
        Array(first.utf8).withUnsafeBytes { first in
            Array(second.utf8).withUnsafeBytes { LegacyRevisionOrder.compare(first, $0).signum() }
        }
    }

    @Test("1.x revision IDs are ordered by generation and digest, after all invalid IDs")
    func order() {
        let sorted = [
            "", "-", "-aa", "1", "18446744073709551616-aa", "x-1", "1-", "1-aa", "1-ab", "1-abc", "2-aa", "10-aa",
            "10-ab",
            "18446744073709551615-aa",
        ]
        for (i, first) in sorted.enumerated() {
            for (j, second) in sorted.enumerated() {
                #expect(compare(first, second) == (i - j).signum(), "\(first) \(second)")
            }
        }
        #expect(compare("01-aa", "1-aa") == 0)
    }
}
