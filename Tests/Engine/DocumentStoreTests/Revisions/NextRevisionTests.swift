import TestSupport
import Testing

@testable import DocumentStore

@Suite("Trees to which a revision was added without decoding them")
struct NextRevisionTests {
    private static let maximumDepth = 12
    private static let recordSequence: UInt64 = 77

    @Test("a revision added to a stored tree gives the same bytes as one added to the decoded tree")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        var trees = RandomBranches(generator: SeededGenerator(seed: seed &+ 1))
        var (count, prunedCount) = (0, 0)
        for _ in 0..<2000 {
            let tree = trees.next(longest: Self.maximumDepth + 2)
            let hasAttachments = Bool.random(using: &random)
            guard let next = try added(to: tree, hasAttachments: hasAttachments) else { continue }
            count += 1
            if tree.revisions.count == Self.maximumDepth { prunedCount += 1 }
            let expected = try addedDecoded(to: tree, hasAttachments: hasAttachments)
            #expect(next.tree == expected.tree, "seed \(seed), \(tree.outline)")
            #expect(next.hasAttachments == expected.hasAttachments, "seed \(seed), \(tree.outline)")
        }
        #expect(count > 1000, "seed \(seed)")
        #expect(prunedCount > 20, "seed \(seed)")
    }

    @Test("a revision added to any valid tree gives the same bytes as one added to the decoded tree, or is left to it")
    func branched() throws {
        let seed = TestSeed.forThisTest()
        var trees = RandomTrees(generator: SeededGenerator(seed: seed))
        for _ in 0..<2000 {
            let tree = trees.next()
            guard let next = try added(to: tree, hasAttachments: false) else { continue }
            let expected = try addedDecoded(to: tree, hasAttachments: false)
            #expect(next.tree == expected.tree, "seed \(seed), \(tree.outline)")
            #expect(next.hasAttachments == expected.hasAttachments, "seed \(seed), \(tree.outline)")
        }
    }

    @Test("a revision added to a damaged tree is the same as one added to the decoded tree, or is left to it")
    func damaged() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        var trees = RandomBranches(generator: SeededGenerator(seed: seed &+ 1))
        for _ in 0..<3000 {
            let tree = trees.next(longest: 5)
            guard let current = tree.current else { continue }
            var bytes = stored(tree)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: bytes.indices, using: &random)
                bytes[position] = [0, 1, 2, 0xFF, bytes[position] ^ 4, bytes[position] ^ 0x80].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            let parent = NextRevision.Parent(version: current.id, sequence: Self.recordSequence, body: body, tree: bytes)
            let id = TreeRevisionID.generate(parent: current.id, isDeleted: false, body: .init(start: nil, count: 0))
            guard let next = NextRevision(id, hasAttachments: false, after: parent, maximumDepth: Self.maximumDepth) else { continue }
            let decoded = try RevisionTree(stored: bytes, recordSequence: Self.recordSequence)
            let expected = try addedDecoded(to: decoded, isDecoded: true, hasAttachments: false)
            // The bytes of a sequence can have a longer form, which decoding makes shorter.
            #expect(
                try RevisionTree(stored: next.tree).outline == RevisionTree(stored: expected.tree).outline,
                "seed \(seed), \(bytes)"
            )
        }
    }

    @Test(
        "a tree with a tombstone, a conflict, a second branch, a rejected revision or a body to be dropped is left to the decoded tree",
        arguments: ["tombstone", "conflict", "branch", "rejected", "body", "current revision of another row"]
    )
    func unusual(_ difference: String) throws {
        var tree = RevisionTree()
        _ = tree.append(.of("1-01"), parent: nil, flags: [], sequence: 1)
        _ = tree.append(.of("2-02"), parent: 0, flags: [], sequence: 2)
        tree.sort()
        #expect(try added(to: tree, hasAttachments: false) != nil)
        var version = TreeRevisionID.of("2-02")
        switch difference {
        case "tombstone": tree.revisions[1].flags.insert(.deleted)
        case "conflict": tree.revisions[0].flags.insert(.isConflict)
        case "branch": _ = tree.append(.of("2-01"), parent: 1, flags: [], sequence: 3)
        case "rejected": tree.rejected = [1]
        case "body": tree.revisions[1].body = [1]
        default: version = .of("2-03")
        }
        #expect(try added(to: tree, version: version, hasAttachments: false) == nil)
    }

    // MARK: Both ways

    private let body: [UInt8] = [0x70, 0x00]

    /// The tree as it is stored: the body of the current revision is in the record.
    private func stored(_ tree: RevisionTree) -> [UInt8] {
        var tree = tree
        tree.revisions[0].body = nil
        return tree.encoded()
    }

    private func added(to tree: RevisionTree, version: TreeRevisionID? = nil, hasAttachments: Bool) throws -> NextRevision? {
        let version = try version ?? #require(tree.current).id
        let parent = NextRevision.Parent(version: version, sequence: Self.recordSequence, body: body, tree: stored(tree))
        return NextRevision(try nextID(tree), hasAttachments: hasAttachments, after: parent, maximumDepth: Self.maximumDepth)
    }

    private func nextID(_ tree: RevisionTree) throws -> TreeRevisionID {
        TreeRevisionID.generate(parent: try #require(tree.current).id, isDeleted: false, body: .init(start: nil, count: 0))
    }

    private func addedDecoded(
        to tree: RevisionTree,
        isDecoded: Bool = false,
        hasAttachments: Bool
    ) throws -> (tree: [UInt8], hasAttachments: Bool) {
        let id = try nextID(tree)
        var tree = try isDecoded ? tree : RevisionTree(stored: stored(tree), recordSequence: Self.recordSequence)
        tree.revisions[0].body = body
        _ = tree.append(id, parent: 0, flags: hasAttachments ? .hasAttachments : [], body: [1])
        tree.prune(toDepth: Self.maximumDepth)
        tree.sort()
        tree.dropBodiesOfAncestors()
        return (stored(tree), tree.revisions.contains { $0.flags.contains(.hasAttachments) })
    }
}

/// Trees with one branch, most of them without anything unusual.
private struct RandomBranches {
    var generator: SeededGenerator

    mutating func next(longest: Int) -> RevisionTree {
        var tree = RevisionTree()
        let count = Int.random(in: 1...longest, using: &generator)
        let firstGeneration = UInt64.random(in: 1...300, using: &generator)
        // Each sequence is rarely that of the record.
        for number in 0..<count {
            let digest = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let keepsBody = Int.random(in: 0..<8, using: &generator) == 0
            var flags: RevisionFlags = keepsBody ? .keepBody : []
            if keepsBody || number == count - 1, Bool.random(using: &generator) { flags.insert(.hasAttachments) }
            let id = digest.withUnsafeBytes { TreeRevisionID(generation: firstGeneration + UInt64(number), digest: $0)! }
            let isOfRecord = number == count - 1 && Bool.random(using: &generator)
            let sequence = isOfRecord ? 0 : UInt64.random(in: 1...1 << UInt64.random(in: 1...60, using: &generator), using: &generator)
            _ = tree.append(
                id,
                parent: number == 0 ? nil : number - 1,
                flags: flags,
                body: keepsBody && number < count - 1 ? Array(digest[..<Int.random(in: 1...20, using: &generator)]) : nil,
                sequence: sequence
            )
        }
        tree.sort()
        for remote in 1...3 where Int.random(in: 0..<4, using: &generator) == 0 {
            tree.remotes[UInt16(remote)] = tree.revisions.indices.randomElement(using: &generator)
        }
        if Int.random(in: 0..<16, using: &generator) == 0 { tree.rejected = [0] }
        return tree
    }
}
