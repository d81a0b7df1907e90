import Testing

@testable import DocumentStore

@Suite("Revision order and winners")
struct RevisionTreeOrderTests {
    /// A root whose children are leaves with the given flags.
    private func tree(_ leaves: [(TreeRevisionID, RevisionFlags)]) -> RevisionTree {
        var tree = RevisionTree()
        let root = tree.append(.of("1-00"), parent: nil, flags: [])
        for (id, flags) in leaves { _ = tree.append(id, parent: root, flags: flags) }
        tree.sort()
        return tree
    }

    @Test("the leaf with the higher ID wins, a higher generation before a higher digest")
    func higherID() {
        #expect(tree([(.of("2-aa"), []), (.of("2-bb"), [])]).current?.id == .of("2-bb"))
        #expect(tree([(.of("3-aa"), []), (.of("2-bb"), [])]).current?.id == .of("3-aa"))
        #expect(tree([(.of("10-aa"), []), (.of("9-bb"), [])]).current?.id == .of("10-aa"))
    }

    @Test("a live revision wins over a tombstone, and conflicting revisions come last")
    func precedence() {
        let sorted = tree([
            (.of("9-01"), [.isConflict, .deleted]), (.of("8-01"), .isConflict), (.of("7-01"), [.deleted, .closed]),
            (.of("6-01"), .deleted), (.of("2-01"), []),
        ])
        #expect(sorted.revisions.map(\.id.description) == ["2-01", "6-01", "7-01", "8-01", "9-01", "1-00"])
    }

    @Test("ancestors are sorted after leaves, and parents, remotes and rejections are updated")
    func links() {
        var tree = RevisionTree()
        let first = tree.append(.of("1-11"), parent: nil, flags: [])
        let second = tree.append(.of("2-22"), parent: first, flags: [])
        _ = tree.append(.of("3-33"), parent: second, flags: [])
        tree.remotes = [1: first, 2: second]
        tree.rejected = [first]
        tree.sort()
        #expect(tree.outline == ["3-33<2-22 l", "2-22<1-11 ", "1-11 "])
        #expect(tree.remotes == [1: 2, 2: 1])
        #expect(tree.rejected == [2])
    }

    @Test("when all leaves are conflicts, the winner becomes an ordinary branch and keeps one body")
    func allConflicts() {
        var tree = RevisionTree()
        let root = tree.append(.of("1-00"), parent: nil, flags: [.isConflict, .keepBody], body: [1])
        let second = tree.append(.of("2-00"), parent: root, flags: [.isConflict, .keepBody], body: [2])
        _ = tree.append(.of("3-bb"), parent: second, flags: .isConflict, body: [3])
        _ = tree.append(.of("3-aa"), parent: second, flags: .isConflict, body: [4])
        tree.sort()
        #expect(tree.outline == ["3-bb<2-00 l+", "3-aa<2-00 lc+", "2-00<1-00 k+", "1-00 +"])
    }

    @Test("a tree has a conflict when a second leaf is live or known to a remote")
    func activeLeaves() {
        #expect(!tree([(.of("2-aa"), [])]).hasConflict)
        #expect(tree([(.of("2-aa"), []), (.of("2-bb"), [])]).hasConflict)
        #expect(tree([(.of("2-aa"), []), (.of("2-bb"), .isConflict)]).hasConflict)
        var deleted = tree([(.of("2-aa"), []), (.of("2-bb"), .deleted)])
        #expect(!deleted.hasConflict)
        deleted.remotes[1] = 1
        #expect(deleted.hasConflict)
    }
}
