import Testing

@testable import DocumentStore

@Suite("Revision IDs")
struct RevisionIDTests {
    @Test("a text is an ID in a tree or a version")
    func text() throws {
        let tree = try #require(RevisionID("2-ab"))
        #expect(tree == .tree(.of("2-ab")))
        #expect(tree.description == "2-ab")
        #expect(tree.generation == 2 && tree.timestamp == 2 && tree.digestText == "ab")
        let version = try #require(RevisionID("18c5f3a2b1000000@*"))
        #expect(version == .version(Version(existing: 0x18C5_F3A2_B100_0000, .me)))
        #expect(version.description == "18c5f3a2b1000000@*")
        #expect(version.generation == 0 && version.timestamp == 0x18C5_F3A2_B100_0000 && version.digestText.isEmpty)
        for invalid in ["", "2", "2-", "0@*", "a@", "2-ab@*"] { #expect(RevisionID(invalid) == nil) }
        #expect(RevisionID(tree: "2-ab") == tree)
        #expect(RevisionID(tree: "18c5f3a2b1000000@*") == nil)
    }

    @Test("the column of a record has an ID in a tree, or a vector whose first version is the ID")
    func binary() {
        func read(_ bytes: String) -> RevisionID? { hex(bytes).withUnsafeBytes { RevisionID(binary: $0) } }
        #expect(read("02 ab") == .tree(.of("2-ab")))
        #expect(read("00 82c495babeb10c 80 02 10 000102030405060708090a0b0c0d0e0f")?.description == "18c5f3a2b1010000@*")
        #expect(read("00") == nil)
        #expect(read("") == nil)
        for text in ["2-ab", "18c5f3a2b1000000@*"] {
            let id = RevisionID(text)
            #expect(id?.binary.withUnsafeBytes { RevisionID(binary: $0) } == id)
        }
    }

    @Test(
        "a version stands for an ID in a tree",
        arguments: [
            ("2-c5557c751fcbfe4cd1f7221085d9ff70", "2c5557c751f"), ("3-ab", "3ab00000000"),
            ("1-ca9ad22802b66f662ff171f226211d5c", "1ca9ad22802"),
            ("8388607-ffffffffff", "7fffffffffffffff"),
        ]
    )
    func treeVersions(_ text: String, _ time: String) throws {
        let id = try #require(RevisionID(text))
        let version = try #require(RevisionID("\(time)@Revision+Tree+Encoding"))
        #expect(id.version?.description == version.description)
        #expect(id.version?.isTreeRevision == true)
        #expect(id.isSame(as: version) && version.isSame(as: id) && id.isSame(as: id) && version.isSame(as: version))
        #expect(id != version)
    }

    @Test("an ID whose generation is too high for a time has no version")
    func highGeneration() throws {
        let id = try #require(RevisionID("8388608-ab"))
        #expect(id.version == nil)
        #expect(!id.isSame(as: try #require(RevisionID("1@*"))))
    }

    @Test("IDs in trees are before all versions, and versions are ordered by their times")
    func order() {
        let ordered = ["1-ab", "1-ac", "2-aa", "1@*", "1@EREREREREREREREREREREQ", "2@*"].compactMap { RevisionID($0) }
        #expect(ordered.count == 6)
        #expect(ordered.shuffled().sorted() == ordered)
    }
}
