import Testing

@testable import DocumentStore

@Suite("Conflicts in revision trees")
struct RevisionTreeConflictTests {
    /// 1-11 with the live leaf 2-22.
    private var base: RevisionTree {
        var tree = RevisionTree()
        let first = tree.append(.of("1-11"), parent: nil, flags: [], sequence: 1)
        _ = tree.append(.of("2-22"), parent: first, flags: [], body: [2], sequence: 2)
        tree.sort()
        return tree
    }

    @Test("a revision inserted on top of the current one is not a conflict")
    func linear() throws {
        var tree = base
        let history: [TreeRevisionID] = [.of("4-44"), .of("3-33"), .of("2-22"), .of("1-11")]
        let outcome = tree.insert(history: history, flags: .keepBody, body: [4])
        let inserted = try #require(outcome)
        #expect(!inserted.isConflict)
        tree.sort()
        #expect(tree.outline == ["4-44<3-33 lk+", "3-33<2-22 ", "2-22<1-11 +", "1-11 "])
        #expect(!tree.hasConflict)
    }

    @Test("a known revision is not inserted again")
    func known() {
        var tree = base
        #expect(tree.insert(history: [.of("2-22"), .of("1-11")], flags: [], body: nil) == nil)
        #expect(tree.insert(history: [], flags: [], body: nil) == nil)
        #expect(tree.outline == base.outline)
    }

    @Test("a revision inserted as a sibling of the current one is a conflict, with its missing ancestors")
    func branching() throws {
        var tree = base
        let outcome = tree.insert(history: [.of("3-bb"), .of("2-bb"), .of("1-11")], flags: [], body: [9])
        let inserted = try #require(outcome)
        #expect(inserted.isConflict)
        tree.sort()
        #expect(tree.outline == ["2-22<1-11 l+", "3-bb<2-bb lc+", "1-11 ", "2-bb<1-11 c"])
        #expect(tree.hasConflict)
    }

    @Test("a successor of a conflicting revision is a conflict, and so is a second root")
    func following() {
        var tree = base
        _ = tree.insert(history: [.of("2-bb"), .of("1-11")], flags: [], body: nil)
        let next = tree.insert(history: [.of("3-bb"), .of("2-bb")], flags: [], body: nil)
        #expect(next?.isConflict == true)
        let root = tree.insert(history: [.of("1-99")], flags: [], body: nil)
        #expect(root?.isConflict == true)
        #expect(tree.revisions.last?.parent == nil)
    }

    @Test("a deleted document is created again by a history that has none of its revisions, however long it is", arguments: [2, 100])
    func creatingAgain(_ count: UInt64) {
        var deleted = base
        _ = deleted.append(.of("3-dd"), parent: 0, flags: .deleted)
        deleted.sort()
        let history = (1...count).reversed().map { generation in
            // One byte is a valid digest.
            [UInt8(0xEE)].withUnsafeBytes { TreeRevisionID(generation: generation, digest: $0)! }
        }
        for (known, expected) in [([], .inserted(0)), ([.of("1-11")], .refused)] as [([TreeRevisionID], RevisionTree.ReceiveOutcome)] {
            var tree = deleted
            let outcome = tree.receive(
                history + known,
                flags: [],
                body: [9],
                remote: nil,
                allowsConflict: false,
                maximumDepth: 50
            )
            #expect(outcome == expected)
        }
    }

    @Test("a conflict is resolved for the local branch by purging the other branch")
    func resolveForLocal() {
        var tree = base
        _ = tree.insert(history: [.of("2-bb"), .of("1-11")], flags: [], body: [9])
        tree.remotes[1] = tree.index(of: .of("2-bb"))
        tree.sort()
        tree.resolveConflict(winner: .of("2-22"), loser: .of("2-bb"), closingWith: nil)
        #expect(tree.outline == ["2-22<1-11 l+", "1-11 "])
        #expect(tree.remotes == [:])
    }

    @Test("a conflict is resolved for the other branch by closing the local branch")
    func resolveForRemote() {
        var tree = base
        _ = tree.insert(history: [.of("2-bb"), .of("1-11")], flags: .keepBody, body: [9])
        tree.sort()
        tree.resolveConflict(winner: .of("2-bb"), loser: .of("2-22"), closingWith: .of("3-cc"))
        #expect(tree.outline == ["2-bb<1-11 lk+", "3-cc<2-22 dlx+", "2-22<1-11 ", "1-11 "])
        #expect(!tree.hasConflict)
    }

    @Test("resolving between revisions that are not two leaves changes nothing")
    func resolveNothing() {
        var tree = base
        for (winner, loser) in [("2-22", "1-11"), ("1-11", "2-22"), ("2-22", "2-22"), ("2-22", "9-99")] {
            guard let winner = TreeRevisionID(winner), let loser = TreeRevisionID(loser) else { continue }
            tree.resolveConflict(winner: winner, loser: loser, closingWith: nil)
        }
        #expect(tree.outline == base.outline)
    }

    @Test("keeping one body discards the kept bodies of its ancestors, except those a remote has")
    func keepOne() {
        var tree = RevisionTree()
        let first = tree.append(.of("1-11"), parent: nil, flags: .keepBody, body: [1])
        let second = tree.append(.of("2-22"), parent: first, flags: .keepBody, body: [2])
        let third = tree.append(.of("3-33"), parent: second, flags: [], body: [3])
        tree.remotes[2] = second
        tree.keepBodyOnly(of: third)
        #expect(tree.outline == ["1-11 +", "2-22<1-11 k+", "3-33<2-22 lk+"])
    }

    @Test("keeping a body on a conflicting branch does not affect revisions below the fork")
    func keepOnBranch() {
        var tree = RevisionTree()
        let first = tree.append(.of("1-11"), parent: nil, flags: .keepBody, body: [1])
        let second = tree.append(.of("2-bb"), parent: first, flags: [.keepBody, .isConflict], body: [2])
        let third = tree.append(.of("3-bb"), parent: second, flags: .isConflict, body: [3])
        tree.keepBodyOnly(of: third)
        #expect(tree.outline == ["1-11 k+", "2-bb<1-11 c+", "3-bb<2-bb lkc+"])
    }
}
