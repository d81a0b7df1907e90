import Testing

@testable import DocumentStore

@Suite("Pruning and purging of revisions")
struct RevisionTreePruningTests {
    /// A branch of `count` revisions, generation g having the digest g.
    private func branch(_ count: UInt64) -> RevisionTree {
        var tree = RevisionTree()
        for generation in 1...count {
            _ = tree.append(id(generation), parent: generation == 1 ? nil : Int(generation) - 2, flags: [])
        }
        tree.sort()
        return tree
    }

    private func id(_ generation: UInt64) -> TreeRevisionID {
        // One byte is a valid digest.
        [UInt8(generation)].withUnsafeBytes { TreeRevisionID(generation: generation, digest: $0)! }
    }

    private func generations(_ tree: RevisionTree) -> [UInt64] { tree.revisions.map(\.id.generation) }

    @Test("pruning keeps the newest revisions of a branch")
    func depth() {
        var tree = branch(7)
        tree.prune(toDepth: 7)
        #expect(generations(tree) == [7, 6, 5, 4, 3, 2, 1])
        tree.prune(toDepth: 3)
        #expect(generations(tree) == [7, 6, 5])
        #expect(tree.revisions.map(\.parent) == [1, 2, nil])
    }

    @Test("pruning keeps revisions with kept bodies and remote ancestors, and relinks parents over the gap")
    func kept() {
        var tree = branch(8)
        tree.revisions[6].flags.insert(.keepBody)
        tree.remotes[1] = 4
        tree.prune(toDepth: 2)
        #expect(generations(tree) == [8, 7, 4, 2])
        #expect(tree.revisions.map(\.parent) == [1, 2, 3, nil])
        #expect(tree.remotes == [1: 2])
    }

    @Test("pruning removes a revision that is too far from one leaf, even if it is close to another")
    func branches() {
        // The flags decide which leaf comes first.
        for flags in [[], .deleted] as [RevisionFlags] {
            var tree = branch(6)
            tree.revisions[0].flags.formUnion(flags)
            _ = tree.append(.of("3-f0"), parent: 4, flags: [])
            tree.sort()
            tree.prune(toDepth: 2)
            #expect(Set(generations(tree)) == [3, 5, 6])
        }
    }

    @Test("pruning removes the rejections of pruned revisions")
    func rejected() {
        var tree = branch(4)
        tree.rejected = [0, 3]
        tree.prune(toDepth: 2)
        #expect(tree.rejected == [0])
    }

    @Test("purging a leaf removes its branch up to the fork, and its remote")
    func purgeBranch() {
        var tree = branch(3)
        let fork = tree.append(.of("2-f0"), parent: 2, flags: .isConflict)
        let leaf = tree.append(.of("3-f0"), parent: fork, flags: .isConflict)
        tree.remotes = [1: leaf, 2: 1]
        tree.purge(leaf: leaf)
        #expect(generations(tree) == [3, 2, 1])
        #expect(tree.remotes == [2: 1])
        #expect(tree.revisions[0].isLeaf)
    }

    @Test("purging the only leaf empties the tree, and purging an ancestor does nothing")
    func purgeAll() {
        var tree = branch(3)
        tree.purge(leaf: 1)
        #expect(generations(tree) == [3, 2, 1])
        tree.purge(leaf: 0)
        #expect(tree.revisions.isEmpty)
    }

    @Test("bodies of ancestors are dropped with their attachment flags, unless they are kept or new")
    func bodies() {
        var tree = RevisionTree()
        let first = tree.append(.of("1-11"), parent: nil, flags: .hasAttachments, body: [1], sequence: 1)
        let second = tree.append(.of("2-22"), parent: first, flags: [.keepBody, .hasAttachments], body: [2], sequence: 2)
        let third = tree.append(.of("3-33"), parent: second, flags: [], body: [3])
        _ = tree.append(.of("4-44"), parent: third, flags: [], body: [4])
        tree.dropBodiesOfAncestors()
        #expect(tree.outline == ["1-11 ", "2-22<1-11 ak+", "3-33<2-22 +", "4-44<3-33 l+"])
    }
}
