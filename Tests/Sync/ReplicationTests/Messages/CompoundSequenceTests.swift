import Testing

@testable import Replication

@Suite("Compound sequences")
struct CompoundSequenceTests {
    private func sequence(_ json: String) throws -> CompoundSequence { try #require(CompoundSequence(json: json), "\(json)") }

    @Test(
        "the earlier of two compound sequences is the one with which less has been received",
        arguments: [
            ("7", "8"), ("7", "8:1"), ("7", "7:1:1"), ("7", "7::1"), ("8:9", "8"), ("8:20", "9:1"), ("8:1", "8:2"), ("8:20", "8:1:1"),
            ("8:20", "8::1"), ("7::20", "8"), ("7:9:20", "8:1"), ("7::20", "8::10"), ("7::10", "7::11"), ("7:8:20", "7:9:10"),
            ("7:8:9", "7:8:10"), ("7:8:9", "7::8"), ("18446744073709551614", "18446744073709551615"),
        ]
    )
    func order(earlier: String, later: String) throws {
        for (earlier, later) in [(earlier, later), ("\"\(earlier)\"", later), (earlier, "\"\(later)\"")] {
            #expect(try sequence(earlier).isBefore(sequence(later)), "\(earlier) \(later)")
            #expect(try !sequence(later).isBefore(sequence(earlier)), "\(later) \(earlier)")
        }
    }

    @Test("equal compound sequences are not before each other", arguments: ["7", "7:8", "6:7:8", "6::8"])
    func equal(text: String) throws {
        #expect(try !sequence(text).isBefore(sequence("\"\(text)\"")))
    }

    @Test(
        "other texts are not compound sequences",
        arguments: [
            "", "\"\"", "\"", "-1", "7:", ":7", "::7", "7::", "1:2:3:4", "a", "7:b", "1.5", "[1]", "18446744073709551616",
            "1::99999999999999999999", "+1", "\"7", "７",
        ]
    )
    func malformed(json: String) {
        #expect(CompoundSequence(json: json) == nil)
    }
}
