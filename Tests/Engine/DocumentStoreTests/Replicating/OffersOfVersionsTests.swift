import TestSupport
import Testing

@testable import DocumentStore

@Suite("Offers and proposals with version vectors")
struct OffersOfVersionsTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private let base: UInt64 = 0x18EA_0000_0000_0000

    /// Returns a version by a source of the examples, at a number of ticks after a fixed time.
    private func version(_ tick: UInt64, _ source: Character) -> RevisionID {
        .version(Version(existing: base + tick << 16, exampleSources[source] ?? .me))
    }

    private func answer(
        _ revision: RevisionID,
        after history: [RevisionID] = [],
        in database: TestDatabase,
        remote: Int? = nil,
        needsBodies: Bool = false,
        refusesConflicts: Bool = true
    ) throws -> OfferAnswer {
        var offer = OfferedRevision(documentID: "a", revision: revision)
        if !history.isEmpty {
            let vector = try VersionVector(checking: ([revision] + history).compactMap(\.version), currentCount: 1)
            offer = try #require(OfferedRevision(documentID: "a", vector: vector))
        }
        let options = OfferOptions(remote: remote, needsBodies: needsBodies, refusesConflicts: refusesConflicts)
        return try database.collection().compare([offer], options)[0]
    }

    private let known = OfferAnswer.have(isRemoteAncestorMoved: false, isConflictBranch: false)

    @Test("a version is known if the vector includes it, wanted if it includes the vector, and a conflict otherwise")
    func versions() throws {
        let database = try TestDatabase.withVersions(clock)
        #expect(try answer(version(1, "E"), in: database) == .want(ancestors: []))
        try database.receive("a", [version(1, "E")], #"{"n":1}"#)
        try database.receive("a", [version(4, "I"), version(1, "E")], #"{"n":2}"#, remote: nil)
        let named = OfferAnswer.want(ancestors: [version(4, "I"), version(1, "E")])
        #expect(try answer(version(5, "I"), in: database) == named)
        #expect(try answer(version(5, "I"), after: [version(1, "E")], in: database) == named)
        #expect(try answer(version(6, "E"), after: [version(4, "I")], in: database) == named)
        #expect(try answer(version(4, "I"), in: database) == known)
        #expect(try answer(version(1, "E"), in: database) == known)
        for late in [version(6, "E"), version(2, "E"), version(1, "M")] {
            #expect(try answer(late, in: database) == .conflict)
            // An active puller asks for it: the complete vector may include the one that is stored here.
            #expect(try answer(late, in: database, refusesConflicts: false) == named)
        }
        // Vectors that include each other are no history.
        let branch = OfferAnswer.have(isRemoteAncestorMoved: false, isConflictBranch: true)
        #expect(try answer(version(1, "E"), after: [version(4, "I")], in: database) == branch)
        try database.sql("UPDATE kv_default SET extra = NULL")
        #expect(try answer(version(1, "E"), after: [version(4, "I")], in: database) == .conflict)
    }

    @Test("at most two revisions are named: the current one, and the one of the peer, with their bodies if deltas need them")
    func named() throws {
        let database = try TestDatabase.withVersions(clock)
        let mine = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.receive("a", [version(1, "E")], #"{"n":2}"#, remote: 1)
        try database.receive("a", [version(1, "I")], #"{"n":3}"#, remote: 2)
        #expect(try answer(version(9, "M"), in: database, refusesConflicts: false) == .want(ancestors: [mine, version(1, "E")]))
        #expect(
            try answer(version(9, "M"), in: database, remote: 2, refusesConflicts: false)
                == .want(ancestors: [mine, version(1, "I")])
        )
        try database.save("b", #"{"n":1}"#)
        // Only the ID is known.
        let last = try #require(try database.save("b", #"{"n":2}"#).revision)
        let vector = try database.row(of: "b").lineage.vector
        #expect(vector.versions.count == 1)
        try database.note(last, of: "b")
        for (needsBodies, expected) in [(true, [last]), (false, [last])] {
            let offer = OfferedRevision(documentID: "b", revision: version(9, "M"))
            let options = OfferOptions(remote: 1, needsBodies: needsBodies)
            #expect(try database.collection().compare([offer], options) == [.want(ancestors: expected)])
        }
    }

    @Test("a known version moves the one of the remote only if recording it changes anything")
    func moving() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.receive("a", [version(4, "I"), version(1, "E")], #"{"n":1}"#, remote: nil)
        let news = OfferAnswer.have(isRemoteAncestorMoved: true, isConflictBranch: false)
        for remote in [1, 2] {
            #expect(try answer(version(1, "E"), in: database, remote: remote) == news)
            try database.note(version(1, "E"), of: "a", remote: remote)
            #expect(try answer(version(1, "E"), in: database, remote: remote) == known)
            #expect(try answer(version(4, "I"), in: database, remote: remote) == news)
            try database.note(version(4, "I"), of: "a", remote: remote)
            #expect(try answer(version(4, "I"), in: database, remote: remote) == known)
            // The remote does not go back.
            #expect(try answer(version(1, "E"), in: database, remote: remote) == known)
        }
        try database.checkAndClose()
    }

    @Test("a revision in conflict that is stored is known, as a conflict branch")
    func conflictBranch() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        try database.receive("a", [version(1, "E")], #"{"n":2}"#, remote: 1)
        #expect(try answer(version(1, "E"), in: database, remote: 1) == .have(isRemoteAncestorMoved: false, isConflictBranch: true))
        #expect(try answer(version(1, "E"), in: database, remote: 2) == .have(isRemoteAncestorMoved: true, isConflictBranch: true))
        #expect(try answer(version(2, "E"), in: database, remote: 1) == .conflict)
    }

    @Test("revisions of trees and their versions are compared with vectors, and with the last revision of the former tree")
    func trees() throws {
        let database = try TestDatabase(options: .init(clock: clock))
        try database.receive("a", [.of("3-ab"), .of("2-cd")], #"{"n":1}"#)
        try database.setVersionVectors()
        _ = try database.file.transaction { _ in }
        let tree = RevisionID.of("3-ab")
        let asVersion = RevisionID.version(try #require(tree.version))
        // The document has a tree.
        #expect(try answer(tree, in: database) == known)
        #expect(try answer(asVersion, in: database) == known)
        #expect(try answer(.version(try #require(RevisionID.of("2-ff").version)), in: database) == known)
        #expect(try answer(.of("2-cd"), in: database) == known)
        #expect(try answer(.of("3-bb"), in: database) == .conflict)
        #expect(try answer(.of("4-aa"), in: database, remote: 1) == .want(ancestors: [tree, .of("2-cd")]))
        #expect(try answer(.version(try #require(RevisionID.of("4-aa").version)), in: database) == .want(ancestors: [tree]))
        #expect(try answer(version(1, "E"), in: database) == .want(ancestors: [tree]))
        // It has a vector.
        try database.receive("a", [version(2, "E"), tree, .of("2-cd")], #"{"n":2}"#)
        #expect(try answer(tree, in: database) == known)
        #expect(try answer(asVersion, in: database) == known)
        #expect(try answer(.of("4-aa"), in: database) == .want(ancestors: [version(2, "E")]))
        #expect(try answer(.version(try #require(RevisionID.of("4-aa").version)), in: database) == .conflict)
        try database.checkAndClose()
    }

    @Test("revisions of trees are compared with a vector that contains the version of one")
    func versionsOfTrees() throws {
        let database = try TestDatabase.withVersions(clock)
        let version = RevisionID.version(try #require(RevisionID.of("2-c5557c751fcbfe4cd1f7221085d9ff70").version))
        try database.receive("a", [version], #"{"n":1}"#, remote: nil)
        #expect(try answer(.of("2-c5557c751fcbfe4cd1f7221085d9ff70"), in: database) == known)
        #expect(try answer(.of("2-aa"), in: database) == known)
        #expect(try answer(.of("3-aa"), in: database) == .want(ancestors: [version]))
        try database.receive("a", [self.version(1, "E"), version], #"{"n":2}"#, remote: nil)
        #expect(try answer(.of("2-c5557c751fcbfe4cd1f7221085d9ff70"), in: database) == known)
        #expect(try answer(.of("2-aa"), in: database) == known)
        #expect(try answer(version, in: database) == known)
        #expect(try answer(.of("3-aa"), in: database) == .want(ancestors: [self.version(1, "E")]))
    }

    @Test("a revision of a tree that only its generation makes older is known if the remote had a later one, and wanted otherwise")
    func otherBranches() throws {
        let database = try TestDatabase.withVersions(clock)
        let tree = RevisionID.of("3-c5557c751fcbfe4cd1f7221085d9ff70")
        let earlier = RevisionID.of("3-a5557c751fcbfe4cd1f7221085d9ff70")
        let standIn = RevisionID.version(try #require(tree.version))
        try database.receive("a", [version(1, "E"), standIn], #"{"n":1}"#, remote: nil)
        for id in [.of("2-aa"), earlier] {
            #expect(try answer(id, in: database, remote: 1) == .want(ancestors: [version(1, "E")]))
        }
        try database.note(standIn, of: "a")
        #expect(try answer(.of("2-aa"), in: database, remote: 1) == known)
        #expect(try answer(earlier, in: database, remote: 1) == .want(ancestors: [version(1, "E"), standIn]))
        try database.note(version(1, "E"), of: "a")
        for id in [.of("2-aa"), earlier] { #expect(try answer(id, in: database, remote: 1) == known) }
        // A passive side has no such remote.
        #expect(try answer(earlier, in: database) == known)
        try database.checkAndClose()
    }

    @Test("a damaged document is requested")
    func damaged() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        for column in ["extra = x'0000000012'", "version = x'0099'"] {
            try database.sql("UPDATE kv_default SET \(column)")
            #expect(try answer(version(1, "E"), in: database) == .want(ancestors: []))
        }
    }

    @Test("a proposal is accepted over the named revision, a deletion or nothing, and a conflict names the whole vector")
    func proposals() throws {
        let database = try TestDatabase.withVersions(clock)
        func evaluate(_ id: String, _ revision: RevisionID, _ parent: RevisionID?) throws -> ProposalAnswer {
            try database.collection().evaluate([ProposedRevision(documentID: id, revision: revision, serverRevision: parent)])[0]
        }
        try database.receive("a", [version(4, "I"), version(1, "E")], #"{"n":1}"#, remote: nil)
        #expect(try evaluate("new", version(1, "E"), nil) == .send)
        #expect(try evaluate("a", version(4, "I"), nil) == .have)
        #expect(try evaluate("a", version(5, "E"), version(4, "I")) == .send)
        let current = ProposalAnswer.conflictWithVector(try VersionVector("\(version(4, "I")); \(version(1, "E"))"))
        #expect(try evaluate("a", version(5, "E"), nil) == current)
        #expect(try evaluate("a", version(5, "E"), version(1, "E")) == current)
        try database.receive("a", [version(6, "I"), version(1, "E")], "{}", isDeleted: true, remote: nil)
        #expect(try evaluate("a", version(7, "E"), nil) == .send)
        #expect(try evaluate("a", version(7, "E"), version(1, "E")) != .send)
        // A tree and its version are the same parent.
        try database.receive("t", [.of("3-ab")], #"{"n":1}"#, remote: nil)
        let asVersion = RevisionID.version(try #require(RevisionID.of("3-ab").version))
        #expect(try evaluate("t", .of("3-ab"), nil) == .have)
        #expect(try evaluate("t", asVersion, nil) == .have)
        #expect(try evaluate("t", version(1, "E"), asVersion) == .send)
        #expect(try evaluate("t", version(1, "E"), nil) == .conflict(current: .of("3-ab")))
    }

    @Test("changes for a remote have their vectors, and a revision knows all that its vector includes")
    func outgoing() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.receive("a", [version(4, "I"), version(1, "E")], #"{"n":1}"#)
        let change = try database.change(of: "a")
        #expect(try change.versions == VersionVector("\(version(4, "I")); \(version(1, "E"))"))
        #expect(try database.collection().changes(after: 0, limit: 1, remote: nil)[0].versions.isEmpty)
        let revision = try #require(try database.collection().revision(change.revision, of: "a"))
        for id in [version(4, "I"), version(3, "I"), version(1, "E")] { #expect(revision.descends(from: id)) }
        for id in [version(5, "I"), version(2, "E"), version(1, "M"), .of("1-aa")] { #expect(!revision.descends(from: id)) }
    }

    @Test("a version of this database in the future is refused, unless it is stored here")
    func ownFuture() throws {
        let database = try TestDatabase.withVersions(clock)
        let future = Version(existing: clock.nanoseconds + 3_600_000_000_000 & ~0xFFFF, .me)
        let refused = ReceivedRevisionOutcome.invalidTime(.invalidTime(future))
        #expect(try database.receive("a", [.version(future)], "{}") == refused)
        #expect(try database.receive("a", [version(1, "E"), .version(future)], "{}") == refused)
        // The clock of the device was wrong when the revision was made.
        clock.jump(to: clock.now + 7_200_000)
        try database.receive("a", [.version(future)], "{}")
        clock.jump(to: clock.now - 7_200_000)
        #expect(try database.receive("a", [version(1, "E"), .version(future)], "{}") == .inserted(sequence: 2, isConflict: false))
        try database.checkAndClose()
    }
}
