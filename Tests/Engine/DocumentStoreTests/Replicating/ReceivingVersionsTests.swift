import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Received revisions with version vectors")
struct ReceivingVersionsTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private let base = UInt64(1_799_999_999) * 1_000_000_000

    /// Returns a version by a source of the examples, at a number of ticks after a fixed time.
    private func version(_ tick: UInt64, _ source: Character) -> RevisionID {
        .version(Version(existing: (base & ~0xFFFF) + tick << 16, exampleSources[source] ?? .me))
    }

    private func conflict(in database: TestDatabase) throws -> StoredConflict {
        try #require(try database.collection().conflict(in: "a"))
    }

    private func resolve(_ resolution: ConflictResolution, in database: TestDatabase) throws -> ResolvedConflict {
        let (collection, conflict) = (try database.collection(), try conflict(in: database))
        return try #require(try database.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) })
    }

    @Test("a first revision and later ones become the current one, and the one of their remote")
    func newer() throws {
        let database = try TestDatabase.withVersions(clock)
        #expect(try database.receive("a", [version(1, "E")], #"{"n":1}"#) == .inserted(sequence: 1, isConflict: false))
        #expect(try database.receive("a", [version(1, "E")], #"{"n":1}"#) == .known)
        let next = [version(2, "M"), version(1, "E")]
        #expect(try database.receive("a", next, #"{"n":2}"#) == .inserted(sequence: 2, isConflict: false))
        #expect(try database.receive("a", [version(1, "E")], #"{"n":1}"#, remote: 2) == .known)
        #expect(try database.json("a") == #"{"n":2}"#)
        let known = try database.knownRevisions(of: "a")
        #expect(known.remotes[1]?.lineage.id == next[0] && known.remotes[2]?.lineage.id == next[1])
        #expect(try database.change(of: "a").remoteAncestor == next[0])
        #expect(try database.historyText(of: "a") == "\(next[0]); \(next[1])")
        let mine = try database.save("a", #"{"n":3}"#)
        #expect(try database.historyText(of: "a") == "\(mine.revision?.description ?? ""); \(next[0]), \(next[1])")
        // Another database has changed this one's revision.
        let theirs = [version(9, "S"), mine.revision ?? next[0]] + next
        #expect(try database.receive("a", theirs, "{}", isDeleted: true) == .inserted(sequence: 4, isConflict: false))
        #expect(try database.row(of: "a").isInTombstoneTable)
        try database.checkAndClose()
    }

    @Test("a merge is stored with the versions that were merged, and the same merge made elsewhere is known")
    func merges() throws {
        let database = try TestDatabase.withVersions(clock)
        var revision = ReceivedRevision(
            documentID: "a",
            revision: version(5, "M"),
            history: [version(2, "E"), version(1, "I")],
            mergedCount: 2,
            body: try database.body(#"{"n":1}"#)
        )
        #expect(try database.receive(revision) == .inserted(sequence: 1, isConflict: false))
        #expect(try database.historyText(of: "a") == "\(version(5, "M")), \(version(2, "E")), \(version(1, "I"));")
        #expect(try database.collection().revision(revision.revision, of: "a")?.mergedCount == 2)
        revision.revision = version(6, "D")
        #expect(try database.receive(revision, remote: 2) == .known)
        revision.body = try database.body(#"{"n":2}"#)
        #expect(try database.receive(revision, remote: 3).isConflict == true)
        try database.checkAndClose()
    }

    @Test("a conflicting revision is kept as the one of its remote, without a new sequence, or refused")
    func conflicting() throws {
        let database = try TestDatabase.withVersions(clock)
        let mine = try database.save("a", #"{"n":1,"name":"Hal"}"#)
        let theirs = version(1, "E")
        #expect(try database.receive("a", [theirs], #"{"n":2}"#, remote: nil) == .refusedAsConflict)
        #expect(try database.receive("a", [theirs], #"{"n":2}"#, allowsConflict: false) == .refusedAsConflict)
        let log = ChangeLog(database.file)
        #expect(try database.receive("a", [theirs], #"{"n":2}"#) == .inserted(sequence: 1, isConflict: true))
        #expect(log.all == [["a"]])
        log.stop(database.file)
        #expect(try database.receive("a", [theirs], #"{"n":2}"#) == .known)
        let row = try database.row(of: "a")
        #expect(row.version == mine.revision && row.flags == .conflicted && row.subsequence == 1)
        #expect(try conflict(in: database).remote.id == theirs)
        // A change does not resolve the conflict.
        try database.save("a", #"{"n":3}"#)
        #expect(try database.collection().conflictedDocuments() == ["a"])
        try database.checkAndClose()
    }

    @Test(
        "a document that is deleted here and was created elsewhere without knowledge of it is accepted from a client, and from a remote that had the deletion"
    )
    func createdAgain() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        try database.delete("a")
        // The remote is not known to have the deletion.
        #expect(try database.receive("a", [version(1, "E")], #"{"n":2}"#).isConflict == true)
        try database.save("b", #"{"n":1}"#)
        try database.delete("b")
        let revision = try database.change(of: "b").revision
        try database.note(revision, of: "b")
        #expect(try database.receive("b", [version(1, "E")], #"{"n":2}"#).isConflict == false)
        #expect(try database.json("b") == #"{"n":2}"#)
        try database.save("c", #"{"n":1}"#)
        try database.delete("c")
        #expect(try database.receive("c", [version(1, "E")], #"{"n":2}"#, remote: nil, allowsConflict: false).isConflict == false)
        #expect(try database.json("c") == #"{"n":2}"#)
        // A later revision of the same source is a conflict, because it continues a history that the deletion continues, too.
        try database.receive("d", [version(1, "E")], #"{"n":1}"#, remote: nil)
        try database.delete("d")
        let known = [version(2, "M"), version(1, "E")]
        #expect(try database.receive("d", known, #"{"n":2}"#, remote: nil, allowsConflict: false) == .refusedAsConflict)
        try database.checkAndClose()
    }

    @Test("the resolutions of a conflict make both revisions ancestors of the result")
    func resolving() throws {
        for (resolution, json) in [("local", #"{"n":1}"#), ("remote", #"{"n":2}"#), ("merged", #"{"n":3}"#), ("deleted", nil)] {
            let database = try TestDatabase.withVersions(clock)
            let mine = try #require(try database.save("a", #"{"n":1}"#).revision)
            let theirs = version(1, "E")
            try database.receive("a", [theirs], #"{"n":2}"#)
            #expect(try conflict(in: database).prefersLocal)
            let resolved: ResolvedConflict
            let expected: String
            switch resolution {
            case "local":
                resolved = try resolve(.local, in: database)
                expected = "\(mine); \(theirs)"
            case "remote":
                resolved = try resolve(.remote, in: database)
                expected = "\(theirs); \(mine)"
            default:
                resolved = try resolve(resolution == "deleted" ? .deleted : .merged(database.body(#"{"n":3}"#)), in: database)
                expected = "\(resolved.revision), \(mine), \(theirs);"
            }
            #expect(resolved.sequence == 2 && resolved.isNew == (resolution != "remote") && !resolved.isStillConflicted)
            #expect(resolved.isDeleted == (resolution == "deleted"))
            #expect(try database.historyText(of: "a") == expected)
            #expect(try database.json("a") == json)
            #expect(try database.change(of: "a").remoteAncestor == theirs)
            #expect(try database.collection().conflictedDocuments() == [])
            try database.checkAndClose()
        }
    }

    @Test("conflicts with two remotes are resolved one after the other, the one with the lower number first")
    func twoConflicts() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", #"{"n":1}"#)
        try database.receive("a", [version(1, "E")], #"{"n":2}"#, remote: 2)
        try database.receive("a", [version(2, "I")], #"{"n":3}"#, remote: 1)
        #expect(try resolve(.local, in: database).isStillConflicted)
        #expect(try conflict(in: database).remote.id == version(1, "E"))
        #expect(try !resolve(.remote, in: database).isStillConflicted)
        #expect(try database.json("a") == #"{"n":2}"#)
        try database.checkAndClose()
    }

    @Test("a conflict of two revisions by the same source, as in copies of a database, is merged by a version on top of both")
    func sameSource() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.receive("a", [version(5, "E"), version(1, "I")], #"{"n":1}"#)
        try database.receive("a", [version(4, "E"), version(2, "I")], #"{"n":2}"#, remote: 2)
        // A later version by the same source counts as a descendant.
        #expect(try database.collection().conflictedDocuments() == [])
        #expect(try database.knownRevisions(of: "a").remotes[2]?.lineage.id == version(4, "E"))
    }

    @Test("a history that is not one of vectors, and a time in the future, are refused")
    func invalid() throws {
        let database = try TestDatabase.withVersions(clock)
        let future = version(30_000_000, "E")
        for history in [
            [version(2, "M"), .of("1-aa"), version(1, "E")], [version(2, "M"), version(1, "E"), version(1, "E")],
            [.of("2-bb"), version(1, "E")],
            [version(2, "M"), .of("1-aa"), .of("2-bb")],
        ] as [[RevisionID]] {
            #expect(try database.receive("a", history, "{}") == .invalidHistory)
        }
        let late = ReceivedRevisionOutcome.invalidTime(.invalidTime(try #require(future.version)))
        for history in [[future], [version(2, "M"), future]] { #expect(try database.receive("a", history, "{}") == late) }
        #expect(try database.collection().count() == 0)
    }

    @Test("revisions of trees are stored in trees, as long as the document has no vector")
    func trees() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        try database.receive("a", [.of("2-bb"), .of("1-aa")], #"{"n":2}"#)
        #expect(try database.tree(of: "a").outline.count == 2)
        try database.note(.of("2-bb"), of: "a", remote: 2)
        #expect(try database.row(of: "a").hasTree)
        // Its history has the ID in the tree.
        let outcome = try database.receive("a", [version(1, "E"), .of("2-bb"), .of("1-aa")], #"{"n":3}"#)
        #expect(outcome == .inserted(sequence: 3, isConflict: false))
        #expect(try database.historyText(of: "a") == "\(version(1, "E")); 2-bb")
        #expect(try database.receive("a", [.of("2-bb"), .of("1-aa")], #"{"n":2}"#) == .known)
        #expect(try database.receive("a", [.of("3-cc"), .of("2-bb")], #"{"n":4}"#).isConflict == true)
        try database.checkAndClose()
    }

    @Test("a conflict of trees is resolved as in the original, but the tree is kept where the remote revision wins")
    func treeConflicts() throws {
        for resolution in ["local", "remote", "merged"] {
            let database = try TestDatabase(options: .init(clock: clock))
            try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
            let mine = try #require(try database.save("a", #"{"n":2}"#).revision)
            try database.receive("a", [.of("2-00"), .of("1-aa")], #"{"n":3}"#)
            try database.setVersionVectors()
            _ = try database.file.transaction { _ in }
            // Equal generations: the digest decides.
            #expect(try conflict(in: database).prefersLocal)
            switch resolution {
            case "local":
                _ = try resolve(.local, in: database)
                #expect(try database.historyText(of: "a") == "\(try #require(mine.version)); 2-00")
            case "remote":
                _ = try resolve(.remote, in: database)
                #expect(try database.row(of: "a").hasTree && database.row(of: "a").version == .of("2-00"))
            default:
                let resolved = try resolve(.merged(database.body(#"{"n":5}"#)), in: database)
                #expect(try database.historyText(of: "a") == "\(resolved.revision); 2-00")
            }
            #expect(try database.change(of: "a").remoteAncestor == .of("2-00"))
            try database.checkAndClose()
        }
    }

    @Test("a refused revision can be stored with the resolution of its conflict, and is then the one of no remote")
    func resolvedAtOnce() throws {
        let database = try TestDatabase.withVersions(clock)
        let mine = try #require(try database.save("a", #"{"n":1}"#).revision)
        let received = ReceivedRevision(documentID: "a", revision: version(1, "E"), body: try database.body(#"{"n":2}"#))
        #expect(try database.receive(received, remote: nil) == .refusedAsConflict)
        let collection = try database.collection()
        try database.file.transaction { writer in
            try collection.insert(received, in: writer) { conflict in
                #expect(conflict.local.id == mine && conflict.remote.id == received.revision)
                return .remote
            }
        }
        #expect(try database.historyText(of: "a") == "\(received.revision); \(mine)")
        #expect(try database.json("a") == #"{"n":2}"# && database.row(of: "a").extra == nil)
        try database.checkAndClose()
    }

    @Test("what a remote has is a mark of the first remote, or an item of the record, and does not go back")
    func noting() throws {
        let database = try TestDatabase.withVersions(clock)
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        #expect(try database.note(first, of: "a"))
        #expect(try database.row(of: "a").flags == .synced && database.row(of: "a").extra == nil)
        #expect(try !database.note(first, of: "a"))
        let second = try #require(try database.save("a", #"{"n":2}"#).revision)
        #expect(try database.knownRevisions(of: "a").remotes[1]?.lineage.id == first)
        #expect(try database.note(second, of: "a", remote: 2))
        #expect(try database.knownRevisions(of: "a").remotes[2]?.lineage.id == second)
        // An acknowledgement that arrives late, and a revision that does not exist here.
        #expect(try !database.note(first, of: "a", remote: 2))
        #expect(try !database.note(version(9, "E"), of: "a", remote: 2))
        // Only the ID of an ancestor is known.
        #expect(try database.note(first, of: "a", remote: 3))
        #expect(try database.knownRevisions(of: "a").remotes[3]?.body != nil)
        #expect(try database.row(of: "a").sequence == 2)
        try database.checkAndClose()
    }
}
