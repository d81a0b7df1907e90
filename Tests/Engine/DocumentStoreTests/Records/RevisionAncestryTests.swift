import Testing

@testable import DocumentStore

@Suite("The order of revisions with vectors and IDs in trees")
struct RevisionAncestryTests {
    private func ancestry(_ text: String, _ legacy: [StaticString] = []) throws -> RevisionAncestry {
        RevisionAncestry(vector: try vector(text), legacy: legacy.map { .of($0) })
    }

    private func order(_ left: RevisionAncestry, _ right: RevisionAncestry) -> String {
        let (order, opposite) = (left.compare(right), right.compare(left))
        switch (order, opposite) {
        case (.same, .same), (.conflicting, .conflicting), (.newer, .older), (.older, .newer): return "\(order)"
        default: return "\(order) and \(opposite)"
        }
    }

    @Test("two vectors are compared as vectors, and IDs in trees that only one side sends make no conflict")
    func vectors() throws {
        #expect(try order(ancestry("3@E; 1@*"), ancestry("1@*", ["2-bb"])) == "newer")
        #expect(try order(ancestry("1@*"), ancestry("3@E; 1@*", ["2-bb"])) == "older")
        #expect(try order(ancestry("1@*", ["2-bb"]), ancestry("1@*")) == "same")
        #expect(try order(ancestry("1@*"), ancestry("1@E")) == "conflicting")
        // Both have changed the same revision of a tree.
        #expect(try order(ancestry("1@*", ["2-bb"]), ancestry("1@E", ["2-bb"])) == "conflicting")
        #expect(try order(ancestry(""), ancestry("1@E")) == "older")
        #expect(try order(ancestry(""), ancestry("")) == "same")
    }

    @Test("a vector whose history has the ID in the tree is newer, and one without it is in conflict")
    func vectorAndTree() throws {
        #expect(try order(ancestry("1@E", ["2-bb"]), ancestry("", ["2-bb", "1-aa"])) == "newer")
        #expect(try order(ancestry("1@E", ["2-bb", "1-aa"]), ancestry("", ["1-aa"])) == "newer")
        #expect(try order(ancestry("1@E"), ancestry("", ["2-bb"])) == "conflicting")
        // The tree goes on.
        #expect(try order(ancestry("1@E", ["2-bb"]), ancestry("", ["3-cc", "2-bb"])) == "conflicting")
    }

    @Test("IDs in trees are compared by their histories")
    func trees() throws {
        #expect(try order(ancestry("", ["2-bb", "1-aa"]), ancestry("", ["1-aa"])) == "newer")
        #expect(try order(ancestry("", ["2-bb"]), ancestry("", ["2-bb"])) == "same")
        #expect(try order(ancestry("", ["2-bb"]), ancestry("", ["3-cc"])) == "conflicting")
    }

    @Test("a version with the name of a revision of a tree is newer than it, and older than what was made from it")
    func names() throws {
        var named = try ancestry("1@E", ["2-bb", "1-aa"])
        named.name = .of("2-bb")
        #expect(try named.compare(ancestry("", ["2-bb"])) == .newer)
        #expect(try named.compare(ancestry("", ["3-cc", "2-bb"])) == .older)
        #expect(try named.compare(ancestry("3@*", ["2-bb"])) == .older)
        #expect(try named.compare(ancestry("3@*", ["1-aa"])) == .conflicting)
        #expect(try named.compare(ancestry("1@E; 3@*")) == .same)
    }

    @Test("a version that stands for a revision of a tree counts as its ID")
    func standIns() throws {
        let id: TreeRevisionID = .of("2-c5557c751fcbfe4cd1f7221085d9ff70")
        let version = try #require(id.version)
        let standIn = RevisionAncestry(vector: VersionVector(version), legacy: [])
        let tree = RevisionAncestry(vector: .empty, legacy: [id])
        #expect(order(standIn, tree) == "same")
        let mine = Version(existing: 1 << 50, .me)
        let later = RevisionAncestry(vector: try VersionVector(version).adding(mine), legacy: [])
        #expect(order(later, tree) == "newer")
        #expect(order(later, standIn) == "newer")
        #expect(order(RevisionAncestry(vector: VersionVector(mine), legacy: [id]), standIn) == "newer")
    }
}
