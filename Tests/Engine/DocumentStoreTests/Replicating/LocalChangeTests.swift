import Fleece
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Local changes to push")
struct LocalChangeTests {
    @Test("local changes are listed in order of their sequences, tombstones included, up to the limit")
    func order() throws {
        let database = try TestDatabase()
        for id in ["a", "b", "c", "d"] { try database.save(id, #"{"n":1}"#) }
        try database.delete("b")
        try database.save("a", #"{"n":2}"#)
        let collection = try database.collection()
        let all = try collection.changes(after: 0, limit: 100, remote: 1)
        #expect(all.map(\.documentID) == ["c", "d", "b", "a"])
        #expect(all.map(\.sequence) == [3, 4, 5, 6])
        #expect(all.map(\.isDeleted) == [false, false, true, false])
        #expect(all.map(\.revision.generation) == [1, 1, 2, 2])
        #expect(try collection.changes(after: 3, limit: 2, remote: nil).map(\.documentID) == ["d", "b"])
        #expect(try collection.changes(after: 6, limit: 2, remote: nil).isEmpty)
        #expect(try collection.changes(after: .max, limit: 2, remote: nil).isEmpty)
    }

    @Test("changes, tombstones and expirations are passed on one by one, until the closure returns false")
    func oneByOne() throws {
        let database = try TestDatabase()
        for id in ["a", "b", "c", "d"] { try database.save(id, #"{"n":1}"#) }
        try database.delete("b")
        try database.delete("a")
        let collection = try database.collection()
        func ids(_ count: Int, _ forEach: ((LocalChange) throws -> Bool) throws -> Void) throws -> [String] {
            var found: [String] = []
            try forEach { change in
                found.append(change.documentID)
                return found.count < count
            }
            return found
        }
        #expect(try ids(10) { try collection.forEachChange(after: 0, $0) } == ["c", "d", "b", "a"])
        #expect(try ids(2) { try collection.forEachChange(after: 3, $0) } == ["d", "b"])
        #expect(try ids(10) { try collection.forEachTombstone($0) } == ["b", "a"])
        #expect(try ids(1) { try collection.forEachTombstone($0) } == ["b"])
        try database.file.transaction { writer in
            _ = try collection.setExpiration(4_000_000_003_000, of: "c", in: writer)
            _ = try collection.setExpiration(4_000_000_002_000, of: "a", in: writer)
        }
        var expirations: [String] = []
        try collection.forEachExpiration { id, time, isDeleted in
            expirations.append("\(id) \(time) \(isDeleted)")
            return true
        }
        #expect(expirations == ["a 4000000002000 true", "c 4000000003000 false"])
    }

    @Test("documents after an ID are enumerated in the order of the bytes")
    func pages() throws {
        let database = try TestDatabase()
        for id in ["a", "b", "é", "z"] { try database.save(id, "{}") }
        try database.delete("z")
        let collection = try database.collection()
        func ids(after id: String?, deleted: Bool = false) throws -> [String] {
            var found: [String] = []
            try collection.forEachDocument(after: id, includingDeleted: deleted) { record in
                found.append(record.id)
                return true
            }
            return found
        }
        #expect(try ids(after: nil) == ["a", "b", "é"])
        #expect(try ids(after: "a") == ["b", "é"])
        #expect(try ids(after: "b", deleted: true) == ["z", "é"])
        #expect(try ids(after: "é") == [])
    }

    @Test("a local change has its body size, attachments, conflict, expiration and remote ancestor")
    func details() throws {
        let database = try TestDatabase(options: .init(clock: VirtualClock(1000)))
        try database.save("a", #"{"n":1}"#, hasBlobs: true)
        try database.receive("a", [.of("1-aa")])
        try database.save("b", "{}")
        let collection = try database.collection()
        try database.sql("UPDATE kv_default SET expiration = CASE key WHEN 'b' THEN 1000 ELSE 1001 END")
        let a = try database.change(of: "a")
        let size = try database.column("length(body)", of: "a")
        #expect(a.isConflicted && a.hasAttachments && !a.isExpired && a.bodySize == Int(size ?? 0))
        #expect(a.remoteAncestor == .of("1-aa"))
        let b = try collection.changes(after: 2, limit: 1, remote: 1)[0]
        #expect(!b.isConflicted && !b.hasAttachments && b.isExpired && b.remoteAncestor == nil)
    }

    @Test("with their indexes, local changes and conflicts are found without table scans or sorting")
    func plan() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        #expect(try collection.lacks(.sequences))
        #expect(try collection.lacks(.conflicts))
        try database.file.transaction {
            try collection.create(.sequences, in: $0)
            try collection.create(.conflicts, in: $0)
        }
        #expect(try !collection.lacks(.sequences) && !collection.lacks(.conflicts))
        let plan = try database.plan(of: collection.changesSQL(isForRemote: true))
        #expect(plan.count { $0.contains("_seqs (sequence>?)") } == 2)
        #expect(!plan.contains { $0.contains("B-TREE") || $0.contains("SCAN kv") })
        let conflicts = try database.plan(of: collection.conflictedDocumentsSQL)
        #expect(conflicts.contains { $0.contains("kv_default_conflicts") }, "\(conflicts)")
        #expect(conflicts.contains { $0.contains("kv_del_default_conflicts") }, "\(conflicts)")
        #expect(!conflicts.contains { $0.contains("_seqs") }, "\(conflicts)")
        try database.checkAndClose()
    }

    @Test("a file opened read-only reports no missing index, and its changes can be listed")
    func readOnly() throws {
        let database = try TestDatabase()
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        try database.save("a", "{}")
        try database.reopen(options: options)
        #expect(try !database.collection().lacks(.sequences))
        #expect(try database.collection().changes(after: 0, limit: 10, remote: 1).count == 1)
    }

    @Test("a collection is empty when it has neither documents nor tombstones")
    func empty() throws {
        let database = try TestDatabase()
        #expect(try database.collection().isEmpty())
        try database.save("a", "{}")
        #expect(try !database.collection().isEmpty())
        try database.delete("a")
        #expect(try !database.collection().isEmpty())
        try database.purge("a")
        #expect(try database.collection().isEmpty())
    }

    // MARK: Single revisions

    @Test("a revision is read with its body and history, whether or not it is current")
    func revision() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("2-bb"), .of("1-aa")], #"{"n":2}"#)
        let local = try #require(try database.save("a", #"{"n":3}"#).revision)
        try database.receive("a", [.of("3-00"), .of("2-bb")], isDeleted: true)
        let collection = try database.collection()
        let current = try #require(try collection.revision(local, of: "a"))
        #expect(try current.json == #"{"n":3}"#)
        #expect(current.history == [.of("2-bb"), .of("1-aa")])
        #expect(current.isCurrent && !current.isDeleted)
        let base = try #require(try collection.revision(.of("2-bb"), of: "a"))
        #expect(try base.json == #"{"n":2}"#)
        #expect(base.history == [.of("1-aa")])
        #expect(!base.isCurrent)
        #expect(try collection.revision(.of("3-00"), of: "a")?.isDeleted == true)
        #expect(try collection.revision(.of("1-aa"), of: "a") == nil)
        #expect(try collection.revision(.of("9-99"), of: "a") == nil)
        #expect(try collection.revision(.of("1-aa"), of: "b") == nil)
    }

    @Test("a revision in the 2.x layout and a tombstone are read with their history")
    func otherRows() throws {
        let database = try TestDatabase { try OldFile.make(302, at: $0) }
        let old = RevisionID.of("1-0123456789abcdef0123456789abcdef")
        let collection = try database.collection()
        #expect(try collection.revision(old, of: "old")?.json == "{}")
        try database.delete("old")
        let tombstone = try database.change(of: "old").revision
        #expect(try collection.revision(tombstone, of: "old")?.history == [old])
    }

    @Test("reads in one snapshot see the same state despite later commits")
    func oneView() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        let collection = try database.collection()
        try collection.withOneSnapshot {
            #expect(try collection.revision(first, of: "a")?.isCurrent == true)
            try database.save("a", #"{"n":2}"#)
            #expect(try collection.revision(first, of: "a")?.isCurrent == true)
        }
        #expect(try collection.revision(first, of: "a")?.isCurrent != true)
    }

    @Test(
        "the memory map of the file is released after a read in one snapshot, and never made by a write",
        .enabled(if: MemoryMaps.contain("") != nil, "this system does not say what is mapped")
    )
    func unmapping() throws {
        let database = try TestDatabase()
        let path = database.path.sqliteFile
        let revision = try #require(try database.save("a", #"{"n":1}"#).revision)
        // The log is written into the file.
        try database.reopen()
        try database.save("b", "{}")
        #expect(MemoryMaps.contain(path) == false)
        try database.reopen()
        let collection = try database.collection()
        #expect(try collection.revision(revision, of: "a") != nil)
        #expect(MemoryMaps.contain(path) == true)
        try collection.withOneSnapshot { _ = try collection.revision(revision, of: "a") }
        #expect(MemoryMaps.contain(path) == false)
    }

    @Test("reading a revision from a damaged tree throws an error")
    func damaged() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", "{}").revision)
        try database.sql("UPDATE kv_default SET extra = x'0000001E00'")
        #expect(throws: StoreError.self) { try database.collection().revision(revision, of: "a") }
    }
}

extension OutgoingRevision {
    var json: String? {
        get throws { try body.withRoot { try JSON.string($0, sharedKeys: sharedKeys, form: .canonical) } }
    }
}

extension TestDatabase {
    /// SQLite's description of how it runs a statement.
    fileprivate func plan(of sql: String) throws -> [String] {
        try file.read { context in
            let statement = try context.connection.prepare("EXPLAIN QUERY PLAN " + sql)
            defer { statement.finalize() }
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(at: 3)) }
            return lines
        }
    }
}
