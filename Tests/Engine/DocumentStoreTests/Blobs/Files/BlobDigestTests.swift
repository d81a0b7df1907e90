import DocumentStore
import TestSupport
import Testing

@Suite("Blob digests")
struct BlobDigestTests {
    static let content = Array("This is a blob to store in the store!".utf8)

    @Test("a blob digest has the file name and string of the example in the file format")
    func example() {
        let digest = Self.content.withUnsafeBytes { BlobDigest(of: $0) }
        #expect(digest.fileName == "QneWo5IYIQ0ZrbCG0hXPGC6jy7E=.blob")
        #expect(digest.string == "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E=")
        #expect(BlobDigest(digest.string) == digest)
        #expect(BlobDigest(fileName: digest.fileName) == digest)
    }

    @Test("random digests are unchanged after a round trip through their string and file name")
    func roundTrip() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let digest = try #require(bytes.withUnsafeBytes { BlobDigest(bytes: $0) })
            #expect(digest.bytes == bytes, "seed \(seed)")
            #expect(BlobDigest(digest.string) == digest)
            #expect(BlobDigest(fileName: digest.fileName) == digest)
            #expect(digest.fileName.utf8.count == 33)
            #expect(!digest.fileName.contains("/"))
        }
    }

    @Test(
        "a string in any other form is not a digest",
        arguments: [
            "", "sha1-", "QneWo5IYIQ0ZrbCG0hXPGC6jy7E=", "sha256-QneWo5IYIQ0ZrbCG0hXPGC6jy7E=",
            "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7EA", "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E",
            "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7F=",
            "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7==", "sha1-Qne_o5IYIQ0ZrbCG0hXPGC6jy7E=",
            "sha1-Qne Wo5IYIQ0ZrbCG0hXPGC6jyE=",
        ]
    )
    func bad(_ text: String) {
        #expect(BlobDigest(text) == nil)
    }

    @Test("a file name in any other form is not a digest", arguments: ["", ".blob", "incoming_abc123", "QneWo5IYIQ0ZrbCG0hXPGC6jy7E="])
    func badNames(_ name: String) {
        #expect(BlobDigest(fileName: name) == nil)
    }

    @Test("a digest has exactly twenty bytes", arguments: [0, 19, 21])
    func badLength(_ count: Int) {
        #expect([UInt8](repeating: 1, count: count).withUnsafeBytes { BlobDigest(bytes: $0) } == nil)
    }
}
