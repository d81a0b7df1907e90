import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Answers to offered revisions")
struct OfferTests {
    private func answer(
        _ revision: RevisionID,
        of documentID: String = "a",
        in database: TestDatabase,
        remote: Int? = 1,
        needsBodies: Bool = false,
        refusesConflicts: Bool = false
    ) throws -> OfferAnswer {
        try database.collection().compare(
            [OfferedRevision(documentID: documentID, revision: revision)],
            OfferOptions(remote: remote, needsBodies: needsBodies, refusesConflicts: refusesConflicts)
        )[0]
    }

    @Test("an offered revision of an unknown document is wanted")
    func unknownDocument() throws {
        let database = try TestDatabase()
        #expect(try answer(.of("2-bb"), in: database) == .want(ancestors: []))
        #expect(try answer(.of("2-bb"), in: database, refusesConflicts: true) == .want(ancestors: []))
    }

    @Test("a known revision moves the remote ancestor only if the remote was not known to have the revision")
    func known() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        let second = try #require(try database.save("a", #"{"n":2}"#).revision)
        let news = OfferAnswer.have(isRemoteAncestorMoved: true, isConflictBranch: false)
        let known = OfferAnswer.have(isRemoteAncestorMoved: false, isConflictBranch: false)
        #expect(try answer(first, in: database) == news)
        #expect(try answer(second, in: database) == news)
        #expect(try answer(second, in: database, remote: nil) == known)
        try database.note(second, of: "a")
        #expect(try answer(second, in: database) == known)
        #expect(try answer(first, in: database) == known)
        #expect(try answer(second, in: database, remote: 2) == news)
        try database.note(second, of: "a", remote: 2)
        #expect(try answer(second, in: database, remote: 2) == known)
    }

    @Test("a revision on a conflicting branch is known, and reported as a conflict branch")
    func conflictBranch() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")])
        try database.save("a", #"{"n":2}"#)
        try database.receive("a", [.of("3-00"), .of("2-00"), .of("1-aa")])
        #expect(try answer(.of("3-00"), in: database) == .have(isRemoteAncestorMoved: false, isConflictBranch: true))
        #expect(try answer(.of("2-00"), in: database) == .have(isRemoteAncestorMoved: false, isConflictBranch: true))
    }

    @Test("an answer names at most ten ancestors, the remote's first, then the newest first")
    func ancestors() throws {
        let database = try TestDatabase()
        let history = (1...12).reversed().compactMap { RevisionID("\($0)-aa") }
        try database.receive("a", history)
        let local = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.save("a", #"{"n":2}"#)
        #expect(
            try answer(.of("14-cc"), in: database)
                == .want(ancestors: [.of("12-aa"), local] + history[1...8])
        )
        #expect(try answer(.of("3-cc"), in: database) == .want(ancestors: [.of("2-aa"), .of("1-aa")]))
    }

    @Test("an answer that needs bodies names only ancestors with bodies")
    func bodies() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("2-bb"), .of("1-aa")])
        try database.save("a", #"{"n":1}"#)
        let current = try #require(try database.save("a", #"{"n":2}"#).revision)
        #expect(try answer(.of("9-cc"), in: database, needsBodies: true) == .want(ancestors: [.of("2-bb"), current]))
    }

    @Test("when conflicts are refused, a revision that cannot follow the current one is a conflict")
    func refusal() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("2-bb"), .of("1-aa")], remote: nil)
        #expect(try answer(.of("2-cc"), in: database, remote: nil, refusesConflicts: true) == .conflict)
        #expect(
            try answer(.of("3-cc"), in: database, remote: nil, refusesConflicts: true)
                == .want(ancestors: [.of("2-bb"), .of("1-aa")])
        )
    }

    @Test("offers of tombstones and of documents in the 2.x layout are answered like other offers")
    func otherRows() throws {
        let database = try TestDatabase { try OldFile.make(302, at: $0) }
        let old = RevisionID.of("1-0123456789abcdef0123456789abcdef")
        #expect(try answer(old, of: "old", in: database) == .have(isRemoteAncestorMoved: true, isConflictBranch: false))
        #expect(try answer(.of("2-aa"), of: "old", in: database) == .want(ancestors: [old]))
        try database.delete("old")
        let tombstone = try database.change(of: "old").revision
        #expect(
            try answer(tombstone, of: "old", in: database)
                == .have(isRemoteAncestorMoved: true, isConflictBranch: false)
        )
    }

    @Test("an offered revision of a damaged document is wanted, and inserting the revision throws an error")
    func damaged() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        try database.sql("UPDATE kv_default SET extra = x'0000001E00'")
        #expect(try answer(.of("2-bb"), in: database) == .want(ancestors: []))
        #expect(throws: StoreError.self) { try database.receive("a", [.of("2-bb")]) }
    }

    @Test("many offers are answered in one call")
    func many() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", "{}").revision)
        let offers = (0..<300).map { OfferedRevision(documentID: $0 % 2 == 0 ? "a" : "b\($0)", revision: revision) }
        let answers = try database.collection().compare(offers, OfferOptions(remote: nil, needsBodies: false))
        #expect(answers.count { $0 == .want(ancestors: []) } == 150)
    }

    @Test("the answer to a proposed revision depends only on the current revision")
    func proposals() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        let current = try #require(try database.save("a", #"{"n":2}"#).revision)
        try database.save("gone", "{}")
        try database.delete("gone")
        let tombstone = try database.change(of: "gone").revision
        func evaluate(_ id: String, _ revision: RevisionID, _ server: RevisionID?) throws -> ProposalAnswer {
            let proposal = ProposedRevision(documentID: id, revision: revision, serverRevision: server)
            return try database.collection().evaluate([proposal])[0]
        }
        #expect(try evaluate("new", .of("1-aa"), nil) == .send)
        #expect(try evaluate("new", .of("2-aa"), .of("1-aa")) == .send)
        #expect(try evaluate("a", current, first) == .have)
        #expect(try evaluate("a", .of("3-aa"), current) == .send)
        #expect(try evaluate("a", .of("3-aa"), first) == .conflict(current: current))
        #expect(try evaluate("a", .of("3-aa"), nil) == .conflict(current: current))
        #expect(try evaluate("gone", .of("1-aa"), nil) == .send)
        #expect(try evaluate("gone", .of("3-aa"), tombstone) == .send)
        #expect(try evaluate("gone", .of("3-aa"), .of("2-aa")) == .conflict(current: tombstone))
        try database.sql("UPDATE kv_default SET version = x'00'")
        #expect(try evaluate("a", .of("3-aa"), nil) == .unreadable)
    }
}
