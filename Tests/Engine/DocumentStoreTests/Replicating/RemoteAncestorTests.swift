import TestSupport
import Testing

@testable import DocumentStore

@Suite("Remote ancestors")
struct RemoteAncestorTests {
    @Test("the current revision is marked as the first remote's in its row, without a notification")
    func mark() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", #"{"n":1}"#).revision)
        let log = ChangeLog(database.file)
        let tree = try database.text("SELECT hex(extra) FROM kv_default")
        #expect(try database.note(revision, of: "a"))
        #expect(try database.column("flags", of: "a") == 0x10008)
        #expect(try database.text("SELECT hex(extra) FROM kv_default") == tree)
        #expect(try database.change(of: "a").sequence == 1)
        #expect(try database.change(of: "a").remoteAncestor == revision)
        #expect(try !database.note(revision, of: "a"))
        #expect(try database.column("flags", of: "a") == 0x10008)
        #expect(log.all == [])
        log.stop(database.file)
        try database.checkAndClose()
    }

    @Test("a tombstone is marked as the first remote's in its row")
    func tombstone() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        let revision = try #require(try database.delete("a").revision)
        #expect(try database.note(revision, of: "a"))
        #expect(try database.column("flags", of: "a") == 0x10009)
        try database.checkAndClose()
    }

    @Test("marking a remote ancestor keeps unknown flags")
    func unknownFlags() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.sql("UPDATE kv_default SET flags = flags | 0x80")
        #expect(try database.note(revision, of: "a"))
        #expect(try database.column("flags", of: "a") == 0x10088)
        #expect(try database.note(revision, of: "a", remote: 2))
        #expect(try database.column("flags", of: "a") == 0x20080)
    }

    @Test("the ancestors of other remotes are stored in the tree, without a new sequence or a notification")
    func otherRemotes() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.note(revision, of: "a")
        let log = ChangeLog(database.file)
        #expect(try database.note(revision, of: "a", remote: 3))
        #expect(try database.tree(of: "a").remotes == [1: 0, 3: 0])
        #expect(try database.tree(of: "a").outline == ["\(revision) lk+"])
        #expect(try database.column("flags", of: "a") == 0x20000)
        #expect(try database.change(of: "a", remote: 3).remoteAncestor == revision)
        #expect(try database.change(of: "a", remote: 2).remoteAncestor == nil)
        #expect(try database.change(of: "a").sequence == 1)
        #expect(log.all == [])
        log.stop(database.file)
        try database.checkAndClose()
    }

    @Test("an older revision is noted as remote ancestor only if it is newer than the known one")
    func older() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        let second = try #require(try database.save("a", #"{"n":2}"#).revision)
        let third = try #require(try database.save("a", #"{"n":3}"#).revision)
        #expect(try database.note(second, of: "a"))
        #expect(try database.change(of: "a").remoteAncestor == second)
        #expect(try !database.note(first, of: "a"))
        #expect(try database.change(of: "a").remoteAncestor == second)
        #expect(try database.note(third, of: "a"))
        #expect(try !database.note(second, of: "a"))
        #expect(try database.change(of: "a").remoteAncestor == third)
        try database.checkAndClose()
    }

    @Test("an unknown revision is not noted as remote ancestor")
    func unknown() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        #expect(try !database.note(.of("1-aa"), of: "a"))
        #expect(try !database.note(.of("1-aa"), of: "b"))
        #expect(try database.column("flags", of: "a") == 0)
    }

    @Test("the body of a remote ancestor is kept until the remote is known to have a newer revision")
    func bodies() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.note(first, of: "a", remote: 2)
        try database.save("a", #"{"n":2}"#)
        try database.save("a", #"{"n":3}"#)
        #expect(try database.collection().body(of: first, documentID: "a") != nil)
        let current = try database.change(of: "a").revision
        try database.note(current, of: "a", remote: 2)
        #expect(try database.collection().body(of: first, documentID: "a") == nil)
        try database.checkAndClose()
    }

    @Test("a remote ancestor of a row in the 2.x layout is noted without a new sequence")
    func oldLayout() throws {
        let revision = RevisionID.of("1-0123456789abcdef0123456789abcdef")
        let database = try TestDatabase { try OldFile.make(302, at: $0) }
        let sequence = try database.change(of: "old").sequence
        #expect(try database.note(revision, of: "old"))
        #expect(try database.scalar("SELECT extra IS NULL FROM kv_default") == 1)
        #expect(try database.change(of: "old").remoteAncestor == revision)
        #expect(try database.note(revision, of: "old", remote: 2))
        #expect(try database.scalar("SELECT extra IS NULL FROM kv_default") == 0)
        #expect(try database.tree(of: "old").remotes == [1: 0, 2: 0])
        #expect(try database.change(of: "old").sequence == sequence)
        #expect(try database.change(of: "old", remote: 2).remoteAncestor == revision)
        try database.checkAndClose()
    }

    @Test("a conflict with a remote tombstone ends when the remote has the local revision")
    func conflictedTombstone() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")])
        let local = try #require(try database.save("a", #"{"n":2}"#).revision)
        try database.receive("a", [.of("2-bb"), .of("1-aa")], isDeleted: true)
        #expect(try database.change(of: "a").isConflicted)
        #expect(try database.note(local, of: "a"))
        #expect(try !database.change(of: "a").isConflicted)
        try database.checkAndClose()
    }

    // MARK: Numbers of remotes

    @Test("remote IDs are numbered from one, and stay the same")
    func numbers() throws {
        let database = try TestDatabase()
        #expect(try database.file.remoteID(for: "ws://one/db/_blipsync") == 1)
        #expect(try database.file.remoteID(for: "ws://two/db/_blipsync") == 2)
        try database.reopen()
        #expect(try database.file.remoteID(for: "ws://one/db/_blipsync") == 1)
        #expect(try database.file.remoteID(for: "ws://three/db/_blipsync") == 3)
        try database.checkAndClose()
    }

    @Test("remote IDs are stored as in the example of the file format")
    func storedNumbers() throws {
        let database = try TestDatabase()
        _ = try database.file.remoteID(for: "ws://cli/")
        #expect(
            try database.text("SELECT hex(body) FROM kv_info WHERE key = 'remotes'")
                == "4977733A2F2F636C692F7001800600018003"
        )
    }

    @Test("a damaged list of remote IDs throws an error")
    func damagedNumbers() throws {
        let database = try TestDatabase()
        try database.sql("INSERT INTO kv_info (key, body) VALUES ('remotes', x'FFFF')")
        #expect(throws: StoreError.self) { try database.file.remoteID(for: "ws://one/") }
    }

    @Test("a conflicting branch is removed when its remote is known to have the local revision")
    func conflictEnds() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", #"{"n":1}"#).revision)
        try database.receive("a", [.of("2-bb"), .of("1-aa")], isDeleted: true)
        #expect(try database.change(of: "a").isConflicted)
        #expect(try database.note(revision, of: "a"))
        #expect(try database.tree(of: "a").outline == ["\(revision) lk+"])
        #expect(try !database.change(of: "a").isConflicted)
        #expect(try database.collection().conflict(in: "a") == nil)
        #expect(try database.change(of: "a").remoteAncestor == revision)
        #expect(try database.json("a") == #"{"n":1}"#)
        try database.checkAndClose()
    }

    @Test("a conflicting branch stays while another remote has it")
    func conflictStays() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", #"{"n":1}"#).revision)
        for remote in [1, 2] { try database.receive("a", [.of("1-aa")], #"{"n":2}"#, remote: remote) }
        #expect(try database.note(revision, of: "a"))
        #expect(try database.change(of: "a").isConflicted)
        #expect(try database.note(revision, of: "a", remote: 2))
        #expect(try !database.change(of: "a").isConflicted)
        try database.checkAndClose()
    }
}
