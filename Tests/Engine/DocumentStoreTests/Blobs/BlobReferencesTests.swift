import DocumentStore
import Fleece
import TestSupport
import Testing

@Suite("Blob references in documents")
struct BlobReferencesTests {
    static let first = "sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E="
    static let second = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="

    private func check(_ json: String, _ expected: Set<String>, contains: Bool, sharing: Bool) throws {
        let keys = MutableSharedKeys(SharedKeys([]))
        let data = try JSON.fleece(json, sharedKeys: sharing ? keys : nil)
        let root = try #require(data.root)
        let found = BlobReferences.digests(in: root, sharedKeys: keys.snapshot)
        #expect(Set(found.map(\.string)) == expected)
        #expect(BlobReferences.containsBlobs(root, sharedKeys: keys.snapshot) == contains)
    }

    @Test("blob references are found at any depth of a document", arguments: [false, true])
    func everywhere(sharing: Bool) throws {
        let blob = #"{"@type":"blob","digest":"\#(Self.first)","length":37}"#
        try check(#"{"a":\#(blob)}"#, [Self.first], contains: true, sharing: sharing)
        try check(#"{"a":[1,{"b":[\#(blob)]}]}"#, [Self.first], contains: true, sharing: sharing)
        try check(
            #"{"a":{"@type":"blob","digest":"\#(Self.first)","more":{"@type":"blob","digest":"\#(Self.second)"}}}"#,
            [Self.first, Self.second],
            contains: true,
            sharing: sharing
        )
    }

    @Test("1.x attachments at the top level are found as blob references", arguments: [false, true])
    func attachments(sharing: Bool) throws {
        let attachment = #"{"digest":"\#(Self.second)","length":3,"revpos":1,"stub":true}"#
        try check(#"{"_attachments":{"x":\#(attachment)}}"#, [Self.second], contains: true, sharing: sharing)
        try check(#"{"nested":{"_attachments":{"x":\#(attachment)}}}"#, [], contains: false, sharing: sharing)
    }

    @Test(
        "properties that only resemble blob references are not blob references",
        arguments: [
            "{}", #"{"a":"@type"}"#, #"{"@type":"blob"}"#,
            #"{"@type":"cat","digest":"sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E="}"#,
            #"{"digest":"sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E="}"#, #"{"a":{"@type":"blob","digest":3}}"#,
            #"{"mail":"a@b.c"}"#,
        ]
    )
    func lookalikes(_ json: String) throws {
        try check(json, [], contains: false, sharing: true)
    }

    @Test("an invalid digest is ignored, but the document is still flagged as containing blobs")
    func badDigest() throws {
        try check(#"{"a":{"@type":"blob","digest":"sha1-x"}}"#, [], contains: true, sharing: true)
    }

    @Test("damaged bodies do not crash the search for blobs")
    func damaged() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let json =
            #"{"a":[{"@type":"blob","digest":"\#(Self.first)"},{"b":{"@type":"blob","digest":"\#(Self.second)"}}]}"#
        let data = try JSON.fleece(json)
        let original = withExtendedLifetime(data) { Array(data.bytes) }
        for _ in 0..<3000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            let data = FleeceData(bytes)
            guard let root = data.root else { continue }
            _ = BlobReferences.digests(in: root, sharedKeys: .empty)
            _ = BlobReferences.containsBlobs(root, sharedKeys: .empty)
        }
    }
}
