import TestSupport
import Testing

@testable import DocumentStore

@Suite("Stored revision trees")
struct RevisionTreeCodingTests {
    static let first = TreeRevisionID.of("1-6d60dfc18b493f408915ab4c3f92bc4570084029")
    static let second = TreeRevisionID.of("2-826d806217508838cdfee7e9e3b72900175dc85f")
    static let ann = hex("43416E6E 7001 0000 8004 8003")
    static let bob = hex("43426F62 7001 0000 8004 8003")

    static let layout2 = hex(
        """
        0000002A 0001 82 15 02826D806217508838CDFEE7E9E3B72900175DC85F 00 43426F6270010000 80048003
        0000002A FFFF 90 15 016D60DFC18B493F408915AB4C3F92BC4570084029 07 43416E6E70010000 80048003
        00000000
        0001 0001
        """
    )
    static let layout3 = hex(
        """
        0000001E 0001 02 15 02826D806217508838CDFEE7E9E3B72900175DC85F 00
        0000002A FFFF 90 15 016D60DFC18B493F408915AB4C3F92BC4570084029 07 43416E6E70010000 80048003
        00000000
        0001 0001
        """
    )

    static var example: RevisionTree {
        var tree = RevisionTree()
        let parent = tree.append(first, parent: nil, flags: .keepBody, body: ann, sequence: 7)
        tree.remotes[1] = parent
        _ = tree.append(second, parent: parent, flags: [], body: bob)
        tree.sort()
        return tree
    }

    @Test("a revision tree is encoded as in the example of the file format, in both layouts")
    func encoding() {
        var tree = Self.example
        #expect(tree.encoded() == Self.layout2)
        tree.revisions[0].body = nil
        #expect(tree.encoded() == Self.layout3)
    }

    @Test("the example of the file format is decoded, and a sequence of zero means the sequence of the record")
    func decoding() throws {
        let tree = try RevisionTree(stored: Self.layout2, recordSequence: 9)
        #expect(tree.outline == ["\(Self.second)<\(Self.first) l+", "\(Self.first) k+"])
        #expect(tree.revisions.map(\.sequence) == [9, 7])
        #expect(tree.revisions.map(\.body) == [Self.bob, Self.ann])
        #expect(tree.remotes == [1: 1])
        #expect(tree.rejected == [])
        #expect(tree.history(from: 0).map(\.id) == [Self.second, Self.first])
        let separate = try RevisionTree(stored: Self.layout3, recordSequence: 9)
        #expect(separate.revisions.map(\.body) == [nil, Self.ann])
    }

    @Test("the tree of a new document has the same bytes, whether encoded directly or from a tree", arguments: [false, true])
    func firstRevision(_ hasAttachments: Bool) {
        var tree = RevisionTree()
        _ = tree.append(Self.first, parent: nil, flags: hasAttachments ? .hasAttachments : [])
        let direct = Self.first.withBinary { version in
            FirstRevision.withTree(of: version, hasAttachments: hasAttachments) { Array($0) }
        }
        #expect(direct == tree.encoded())
    }

    @Test("a stored tree keeps conflicts, closed branches and remotes")
    func flags() throws {
        var tree = Self.example
        let conflict = tree.append(.of("2-aa"), parent: 1, flags: [.isConflict, .keepBody], body: Self.ann, sequence: 8)
        _ = tree.append(.of("2-bb"), parent: 1, flags: [.deleted, .closed], body: hex("7000"), sequence: 8)
        tree.remotes[300] = conflict
        tree.sort()
        let read = try RevisionTree(stored: tree.encoded())
        #expect(read.outline == tree.outline)
        #expect(read.outline[1...2] == ["2-bb<\(Self.first) dlx+", "2-aa<\(Self.first) lkc+"])
        #expect(read.remotes == [1: 3, 300: 2])
        #expect(read.hasConflict == tree.hasConflict)
    }

    @Test("rejected revisions are stored after a separator, which is omitted if there are none")
    func rejected() throws {
        var tree = Self.example
        tree.rejected = [0]
        #expect(tree.encoded() == Self.layout2 + hex("00000000 0000 0000"))
        let read = try RevisionTree(stored: tree.encoded())
        #expect(read.rejected == [0])
        #expect(read.remotes == [1: 1])
        // As release 3.2 writes it: the separator without entries.
        let bare = try RevisionTree(stored: Self.layout2 + hex("00000000"), recordSequence: 0)
        #expect(bare.rejected == [])
        #expect(bare.encoded() == Self.layout2)
        // A successor has resolved the rejection.
        var settled = read
        _ = settled.append(.of("3-cc"), parent: 0, flags: [])
        #expect(settled.rejected == [])
    }

    @Test("a stored tree may have its ancestors in any order")
    func staleOrder() throws {
        let stored = hex(
            """
            0000000B 0002 02 02 03BB 00   0000000B FFFF 00 02 0111 01   0000000B 0001 00 02 02AA 02   00000000
            """
        )
        let tree = try RevisionTree(stored: stored, recordSequence: 5)
        #expect(tree.history(from: 0).map(\.id) == [.of("3-bb"), .of("2-aa"), .of("1-11")])
        #expect(tree.revisions.map(\.sequence) == [5, 1, 2])
    }

    @Test(
        "a damaged stored tree throws an error with its reason and offset",
        arguments: [
            ("", .missingEnd, 0),
            ("00000000", .empty, 0),
            ("0000000B FFFF 02 02 0111 00", .missingEnd, 11),
            ("0000000C FFFF 02 02 0111 00", .truncated, 0),
            ("00000008 FFFF 02 00 00000000", .truncated, 0),
            ("FFFFFFFF FFFF 02 02 0111 00 00000000", .truncated, 0),
            ("0000000B FFFF 02 FF 0111 00 00000000", .truncated, 0),
            ("0000000B FFFF 02 03 011100 00000000", .truncated, 0),
            ("0000000B FFFF 02 02 0011 00 00000000", .badRevisionID, 8),
            ("0000000A FFFF 02 01 01 00 00000000", .badRevisionID, 8),
            ("0000000B FFFF 02 02 0111 80 00000000", .badSequence, 10),
            ("0000000B 0001 02 02 0111 00 00000000", .badParent, 0),
            ("0000000B 0000 02 02 0111 00 00000000", .badParent, 0),
            ("0000000B 0001 02 02 0211 00 0000000B 0000 02 02 0111 00 00000000", .badParent, 0),
            ("0000000B FFFF 02 02 0211 00 0000000B 0002 02 02 0111 00 00000000", .badParent, 11),
            ("0000000B FFFF 02 02 0111 00 00000000 00", .trailingBytes, 15),
            ("0000000B FFFF 02 02 0111 00 00000000 0001 0001", .badRemote, 15),
            ("0000000B FFFF 02 02 0111 00 00000000 0000 0001", .badRemote, 15),
            ("0000000B FFFF 02 02 0111 00 00000000 00000000 0001 0000", .badRemote, 19),
        ] as [(String, RevisionTreeError.Reason, Int)]
    )
    func damaged(_ digits: String, _ reason: RevisionTreeError.Reason, _ offset: Int) {
        #expect(throws: RevisionTreeError(reason: reason, offset: offset)) { try RevisionTree(stored: hex(digits)) }
    }

    @Test("a stored tree can have 65535 revisions, but not more")
    func count() throws {
        let record = hex("0000000B FFFF 02 02 0111 00")
        var bytes: [UInt8] = []
        for _ in 0..<RevisionTree.maximumCount { bytes += record }
        #expect(try RevisionTree(stored: bytes + [0, 0, 0, 0]).revisions.count == 65535)
        #expect(throws: RevisionTreeError(reason: .tooMany, offset: bytes.count)) {
            try RevisionTree(stored: bytes + record + [0, 0, 0, 0])
        }
    }

    @Test("stored trees are distinguished from bodies by their first bytes")
    func recognition() {
        func isTree(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { RevisionTree.isTree($0) } }
        #expect(isTree(Self.layout2))
        #expect(isTree(Self.layout3))
        for body in ["", "7000", "43416E6E 7001 0000 8004 8003", "0000 0000 0000 0000 0000", "00000001 0000 0000 0000"] {
            #expect(!isTree(hex(body)))
        }
        for length in 0..<Self.layout2.count - 8 { #expect(!isTree(Array(Self.layout2.prefix(length)))) }
    }

    @Test("random trees are unchanged after a round trip", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(_ seed: UInt64) throws {
        var trees = RandomTrees(generator: SeededGenerator(seed: seed))
        for _ in 0..<300 {
            let tree = trees.next()
            let bytes = tree.encoded()
            let read = try RevisionTree(stored: bytes)
            #expect(read.outline == tree.outline, "seed \(seed)")
            #expect(read.revisions.map(\.sequence) == tree.revisions.map(\.sequence), "seed \(seed)")
            #expect(read.revisions.map(\.body) == tree.revisions.map(\.body), "seed \(seed)")
            #expect(read.remotes == tree.remotes, "seed \(seed)")
            #expect(read.rejected == tree.rejected, "seed \(seed)")
            #expect(read.encoded() == bytes, "seed \(seed)")
        }
    }
}
