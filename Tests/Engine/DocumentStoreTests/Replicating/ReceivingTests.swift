import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Received revisions")
struct ReceivingTests {
    @Test("the first revision of a document is stored with its history and as the remote's revision")
    func first() throws {
        let database = try TestDatabase()
        let outcome = try database.receive("a", [.of("3-cc"), .of("2-bb"), .of("1-aa")], #"{"n":1}"#, remote: 2)
        #expect(outcome == .inserted(sequence: 1, isConflict: false))
        let tree = try database.tree(of: "a")
        #expect(tree.outline == ["3-cc<2-bb lk+", "2-bb<1-aa ", "1-aa "])
        #expect(tree.remotes == [2: 0])
        #expect(try database.json("a") == #"{"n":1}"#)
        #expect(try database.change(of: "a", remote: 2).remoteAncestor == .of("3-cc"))
        #expect(try database.change(of: "a", remote: 1).remoteAncestor == nil)
        try database.checkAndClose()
    }

    @Test("a revision received without a remote is stored without the keep-body flag")
    func passive() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], remote: nil, allowsConflict: false)
        #expect(try database.tree(of: "a").outline == ["1-aa l+"])
        #expect(try database.tree(of: "a").remotes == [:])
        try database.checkAndClose()
    }

    @Test("a tombstone of an unknown document is stored as a tombstone")
    func firstTombstone() throws {
        let database = try TestDatabase()
        #expect(try database.receive("a", [.of("2-bb"), .of("1-aa")], isDeleted: true).isConflict == false)
        #expect(try database.collection().document("a") == nil)
        #expect(try database.collection().document("a", includingDeleted: true)?.flags == .deleted)
        #expect(try database.scalar("SELECT count(*) FROM kv_del_default") == 1)
        #expect(try database.receive("a", [.of("2-bb"), .of("1-aa")], isDeleted: true) == .known)
        try database.checkAndClose()
    }

    @Test("a successor of the current revision becomes current, and only its body is kept")
    func successor() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        #expect(try database.receive("a", [.of("2-bb"), .of("1-aa")], #"{"n":2}"#).isConflict == false)
        #expect(try database.receive("a", [.of("4-dd"), .of("3-cc"), .of("2-bb")], #"{"n":4}"#).isConflict == false)
        #expect(try database.tree(of: "a").outline == ["4-dd<3-cc lk+", "3-cc<2-bb ", "2-bb<1-aa ", "1-aa "])
        #expect(try database.tree(of: "a").remotes == [1: 0])
        #expect(try database.change(of: "a").sequence == 3)
        #expect(try database.json("a") == #"{"n":4}"#)
        try database.checkAndClose()
    }

    @Test("a received sibling of a local change is a conflict, in which the local revision stays current and the base body is kept")
    func conflict() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        let local = try #require(try database.save("a", #"{"n":2}"#).revision)
        #expect(try database.receive("a", [.of("2-00"), .of("1-aa")], #"{"n":3}"#).isConflict == true)
        let tree = try database.tree(of: "a")
        #expect(tree.outline == ["\(local)<1-aa l+", "2-00<1-aa lkc+", "1-aa k+"])
        #expect(tree.remotes == [1: 1])
        #expect(try database.change(of: "a").isConflicted)
        #expect(try database.json("a") == #"{"n":2}"#)
        // A successor on that branch is a conflict as well.
        #expect(try database.receive("a", [.of("3-00"), .of("2-00")], #"{"n":4}"#).isConflict == true)
        #expect(try database.collection().conflict(in: "a")?.remote.id == .of("3-00"))
        try database.checkAndClose()
    }

    @Test("a received second root revision is a conflict")
    func secondRoot() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        #expect(try database.receive("a", [.of("1-aa")], #"{"n":2}"#).isConflict == true)
        #expect(try database.json("a") == #"{"n":1}"#)
        try database.checkAndClose()
    }

    @Test("a known revision changes only the remote ancestor, without a notification")
    func known() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.save("a", #"{"n":2}"#)
        let log = ChangeLog(database.file)
        #expect(try database.receive("a", [first]) == .known)
        #expect(log.all == [])
        #expect(try database.change(of: "a").sequence == 2)
        #expect(try database.change(of: "a").remoteAncestor == first)
        #expect(try database.column("flags >> 16", of: "a") == 1)
        #expect(try database.receive("a", [first]) == .known)
        #expect(try database.column("flags >> 16", of: "a") == 1)
        log.stop(database.file)
        try database.checkAndClose()
    }

    @Test("a revision older than the remote ancestor is ignored as late")
    func late() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("2-bb"), .of("1-aa")], #"{"n":2}"#)
        #expect(try database.receive("a", [.of("1-aa")], #"{"n":1}"#) == .ignoredAsLate)
        #expect(try database.change(of: "a").remoteAncestor == .of("2-bb"))
        #expect(try database.json("a") == #"{"n":2}"#)
        try database.checkAndClose()
    }

    @Test("a server's switch of branches is adopted when there is no local change")
    func switchWithoutLocalChange() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("3-cc"), .of("2-bb"), .of("1-aa")], #"{"n":3}"#)
        #expect(try database.receive("a", [.of("2-dd"), .of("1-aa")], #"{"n":2}"#).isConflict == false)
        #expect(try database.tree(of: "a").outline == ["2-dd<1-aa lk+", "1-aa "])
        #expect(try database.json("a") == #"{"n":2}"#)
        #expect(try database.change(of: "a").remoteAncestor == .of("2-dd"))
        #expect(try database.change(of: "a").sequence == 2)
        try database.checkAndClose()
    }

    @Test("a server's switch of branches is adopted when the local revision was already pushed")
    func switchAfterPush() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        let pushed = try #require(try database.save("a", #"{"n":2}"#).revision)
        try database.note(pushed, of: "a")
        #expect(try database.receive("a", [.of("2-00"), .of("1-aa")], #"{"n":3}"#).isConflict == false)
        #expect(try database.tree(of: "a").outline == ["2-00<1-aa lk+", "1-aa "])
        try database.checkAndClose()
    }

    @Test("a server's switch from a conflicting branch removes this branch")
    func switchOfConflict() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        let local = try #require(try database.save("a", #"{"n":2}"#).revision)
        try database.receive("a", [.of("2-00"), .of("1-aa")], #"{"n":3}"#)
        #expect(try database.receive("a", [.of("2-01"), .of("1-aa")], #"{"n":4}"#).isConflict == true)
        #expect(try database.tree(of: "a").outline == ["\(local)<1-aa l+", "2-01<1-aa lkc+", "1-aa k+"])
        #expect(try database.change(of: "a").remoteAncestor == .of("2-01"))
        try database.checkAndClose()
    }

    @Test("a server's switch of branches is a conflict when the old branch was changed locally")
    func switchBelowLocalChange() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("2-bb"), .of("1-aa")], #"{"n":2}"#)
        let local = try #require(try database.save("a", #"{"n":3}"#).revision)
        #expect(try database.receive("a", [.of("2-cc"), .of("1-aa")], #"{"n":4}"#).isConflict == true)
        #expect(try database.change(of: "a").revision == local)
        #expect(try database.change(of: "a").remoteAncestor == .of("2-cc"))
        try database.checkAndClose()
    }

    // MARK: Without conflicts

    @Test("a conflicting revision is refused where conflicts are not allowed, and nothing is stored")
    func refused() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], remote: nil)
        let local = try #require(try database.save("a", #"{"n":2}"#).revision)
        for history: [RevisionID] in [[.of("2-bb"), .of("1-aa")], [.of("1-bb")]] {
            #expect(try database.receive("a", history, remote: nil, allowsConflict: false) == .refusedAsConflict)
        }
        #expect(try database.tree(of: "a").outline == ["\(local)<1-aa l+", "1-aa "])
        #expect(try database.change(of: "a").sequence == 2)
        #expect(try database.receive("a", [.of("3-cc"), local], remote: nil, allowsConflict: false).isConflict == false)
        try database.checkAndClose()
    }

    @Test("a deleted document can be created again by a peer that does not know the tombstone")
    func resurrection() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.delete("a")
        let outcome = try database.receive("a", [.of("1-bb")], #"{"n":2}"#, remote: nil, allowsConflict: false)
        #expect(outcome == .inserted(sequence: 3, isConflict: false))
        #expect(try database.json("a") == #"{"n":2}"#)
        #expect(try database.change(of: "a").isConflicted == false)
        #expect(try database.scalar("SELECT count(*) FROM kv_del_default") == 0)
        try database.checkAndClose()
    }

    @Test("a tombstone below a recreated document hides no conflict, and does not become current again")
    func tombstoneBelowResurrection() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.save("a", #"{"n":1}"#)
        try database.delete("a")
        try database.receive("a", [.of("1-bb")], #"{"n":2}"#, remote: nil, allowsConflict: false)
        #expect(try database.receive("a", [.of("1-aa")], #"{"n":3}"#).isConflict == true)
        #expect(try database.change(of: "a").isConflicted)
        let conflict = try #require(try database.collection().conflict(in: "a"))
        #expect(conflict.remote.id == .of("1-aa"))
        _ = try database.file.transaction { try database.collection().resolve(conflict, with: .local, in: $0) }
        try database.delete("a")
        #expect(try database.collection().history(of: "a")?.last == .of("1-aa"))
        try database.checkAndClose()
    }

    // MARK: Tombstones

    @Test("a received tombstone moves the document to the tombstones, and a later live revision moves it back")
    func moving() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        try database.receive("a", [.of("2-bb"), .of("1-aa")], isDeleted: true)
        #expect(try database.scalar("SELECT count(*) FROM kv_default") == 0)
        #expect(try database.change(of: "a").isDeleted)
        try database.receive("a", [.of("3-cc"), .of("2-bb")], #"{"n":3}"#)
        #expect(try database.scalar("SELECT count(*) FROM kv_del_default") == 0)
        #expect(try database.json("a") == #"{"n":3}"#)
        try database.checkAndClose()
    }

    @Test("a remote tombstone in conflict leaves the local revision current and in conflict")
    func conflictingTombstone() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        try database.save("a", #"{"n":2}"#)
        #expect(try database.receive("a", [.of("2-bb"), .of("1-aa")], isDeleted: true).isConflict == true)
        #expect(try database.json("a") == #"{"n":2}"#)
        #expect(try database.collection().conflict(in: "a")?.remote.isDeleted == true)
        try database.checkAndClose()
    }
}
