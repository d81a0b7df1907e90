import TestSupport
import Testing

@testable import DocumentStore

@Suite("Revision IDs in trees")
struct TreeRevisionIDTests {
    @Test("a revision ID has a textual and a binary form, and each form can be converted to the other")
    func forms() throws {
        let text = "2-826d806217508838cdfee7e9e3b72900175dc85f"
        let binary = hex("02 826D806217508838CDFEE7E9E3B72900175DC85F")
        let fromText = try #require(TreeRevisionID(text))
        let fromBinary = try #require(binary.withUnsafeBytes { TreeRevisionID(binary: $0) })
        #expect(fromText == fromBinary)
        #expect(fromText.hashValue == fromBinary.hashValue)
        #expect(fromText.binary == binary)
        #expect(fromBinary.description == text)
        #expect(fromBinary.generation == 2)
        #expect(fromBinary.digest == Array(binary.dropFirst()))
    }

    @Test(
        "a revision ID with a large generation is unchanged after a round trip through both forms",
        arguments: [1, 127, 128, 300, 1 << 32, TreeRevisionID.maximumGeneration]
    )
    func generations(_ generation: UInt64) throws {
        let id = try #require([UInt8(0xAB)].withUnsafeBytes { TreeRevisionID(generation: generation, digest: $0) })
        #expect(id.description == "\(generation)-ab")
        #expect(TreeRevisionID(id.description) == id)
        #expect(id.binary.withUnsafeBytes { TreeRevisionID(binary: $0) } == id)
    }

    @Test(
        "an invalid textual revision ID is rejected",
        arguments: [
            "", "-", "1", "1-", "-ab", "0-ab", "1-ag", "1-éa", "1 -ab", "+1-ab", "x-ab", "1-ab ",
            "99999999999999999999-ab", "9999999999999999999-ab", "1--ab", "1@ab",
        ]
    )
    func invalidText(_ text: String) {
        #expect(TreeRevisionID(text) == nil)
    }

    @Test("digits that are not pairs of lowercase ones are kept as they are, and each ID has one binary form")
    func unusualDigits() throws {
        // The last ones look like the binary form of others.
        let mark = "017465787401"
        let texts = [
            "1-a", "1-abc", "1-AB", "1-Ab", "1-aB", "1-ABCDEF0123456789ABCDEF0123456789ABCDEF01", "7-\(String(repeating: "a", count: 39))",
            "1-\(mark)", "1-\(mark)61", "1-\(mark)616263", "1-\(mark)41", "1-\(mark)6162", "1-\(mark)\(mark)61", "1-\(mark)7A",
            "1-\(mark)ff", "1-\(mark)\(mark.utf8.map { "3\($0 - 0x30)" }.joined())",
        ]
        var known: Set<[UInt8]> = []
        for text in texts {
            let id = try #require(TreeRevisionID(text), "\(text)")
            #expect(id.description == text)
            #expect("\(id.generation)-\(id.digestText)" == text)
            let read = try #require(id.binary.withUnsafeBytes { TreeRevisionID(binary: $0) })
            #expect(read == id && read.description == text)
            #expect(known.insert(id.binary).inserted, "\(text)")
        }
        #expect(TreeRevisionID("1-AB") != TreeRevisionID("1-ab"))
        #expect(TreeRevisionID("1-A" + String(repeating: "a", count: 39)) != nil)
        #expect(TreeRevisionID("1-A" + String(repeating: "a", count: 40)) == nil)
    }

    @Test("random binary IDs and texts are converted into each other without a loss")
    func randomForms() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<20_000 {
            var digest = (0..<Int.random(in: 1...20, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            if Bool.random(using: &random) {
                digest = Array("\u{01}text\u{01}".utf8) + digest.map { UInt8(ascii: "0") + $0 % 10 + ($0 % 3 == 0 ? 17 : 0) }
            }
            let id = try #require(([3] + digest).withUnsafeBytes { TreeRevisionID(binary: $0) })
            #expect(TreeRevisionID(id.description) == id, "\(id)")
        }
    }

    @Test("an invalid binary revision ID is rejected", arguments: ["", "01", "00AB", "80", "8080", "FFFFFFFFFFFFFFFFFF01AB"])
    func invalidBinary(_ digits: String) {
        #expect(hex(digits).withUnsafeBytes { TreeRevisionID(binary: $0) } == nil)
    }

    @Test("a revision ID has at most 56 bytes")
    func lengths() {
        for length in 2...TreeRevisionID.maximumLength {
            let binary = [1] + [UInt8](repeating: 7, count: length - 1)
            #expect(binary.withUnsafeBytes { TreeRevisionID(binary: $0) }?.binary == binary)
        }
        let tooLong = [UInt8](repeating: 1, count: TreeRevisionID.maximumLength + 1)
        #expect(tooLong.withUnsafeBytes { TreeRevisionID(binary: $0) } == nil)
        #expect(TreeRevisionID("1-" + String(repeating: "ab", count: 46)) != nil)
        #expect(TreeRevisionID("1-" + String(repeating: "ab", count: 47)) == nil)
    }

    @Test("revision IDs are ordered by generation as a number, then by the bytes of the digest")
    func order() {
        let ordered: [TreeRevisionID] = [
            .of("1-ff"), .of("2-00"), .of("2-01"), .of("2-0100"), .of("2-02"), .of("2-80"), .of("10-00"), .of("300-00"),
        ]
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        #expect(ordered.shuffled(using: &generator).sorted() == ordered, "seed \(seed)")
        for (left, right) in zip(ordered, ordered.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
            #expect(left != right)
        }
    }

    @Test("a generated revision ID is the digest of parent, deletion and body")
    func worked() {
        let ann = hex("43416E6E 7001 0000 8004 8003")
        let bob = hex("43426F62 7001 0000 8004 8003")
        let first = ann.withUnsafeBytes { TreeRevisionID.generate(parent: nil, isDeleted: false, body: $0) }
        #expect(first.description == "1-6d60dfc18b493f408915ab4c3f92bc4570084029")
        let second = bob.withUnsafeBytes { TreeRevisionID.generate(parent: first, isDeleted: false, body: $0) }
        #expect(second.description == "2-826d806217508838cdfee7e9e3b72900175dc85f")
        let real = hex("45664E616D65 456C4E616D65 7002 0000 8008 0001 8007 8005")
        #expect(
            real.withUnsafeBytes { TreeRevisionID.generate(parent: nil, isDeleted: false, body: $0) }
                == .of("1-9386ed569cb066aa3b3a32909fef8dea17878c53")
        )
        let deletion = hex("7000").withUnsafeBytes { TreeRevisionID.generate(parent: first, isDeleted: true, body: $0) }
        let update = hex("7000").withUnsafeBytes { TreeRevisionID.generate(parent: first, isDeleted: false, body: $0) }
        #expect(deletion != update)
    }

    @Test("a revision ID generated from the highest generation does not overflow")
    func highestGeneration() throws {
        let last = try #require(
            [UInt8(1)].withUnsafeBytes {
                TreeRevisionID(generation: TreeRevisionID.maximumGeneration, digest: $0)
            }
        )
        let next = hex("7000").withUnsafeBytes { TreeRevisionID.generate(parent: last, isDeleted: false, body: $0) }
        #expect(next.generation == TreeRevisionID.maximumGeneration)
    }
}
