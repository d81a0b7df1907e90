import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Conflict resolution")
struct ConflictResolutionTests {
    /// A document `a` with 1-aa at the remote, changed to `{"n":2}` locally and to 2-00 remotely.
    private func database(remoteIsDeleted: Bool = false, localIsDeleted: Bool = false) throws -> TestDatabase {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")], #"{"n":1}"#)
        if localIsDeleted { try database.delete("a") } else { try database.save("a", #"{"n":2}"#) }
        try database.receive("a", [.of("2-00"), .of("1-aa")], remoteIsDeleted ? "{}" : #"{"n":3}"#, isDeleted: remoteIsDeleted)
        return database
    }

    private func resolve(
        _ conflict: StoredConflict,
        _ resolution: ConflictResolution,
        in database: TestDatabase
    ) throws -> ResolvedConflict? {
        let collection = try database.collection()
        return try database.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) }
    }

    @Test("a conflict provides the local, the remote and the base revision with their bodies")
    func reading() throws {
        let database = try database()
        let collection = try database.collection()
        #expect(try collection.conflictedDocuments() == ["a"])
        let conflict = try #require(try collection.conflict(in: "a"))
        func json(_ revision: ConflictRevision?) throws -> String? {
            try revision?.body.withRoot { try JSON.string($0, sharedKeys: conflict.sharedKeys) }
        }
        #expect(conflict.local.id == (try database.change(of: "a").revision))
        #expect(conflict.remote.id == .of("2-00"))
        #expect(conflict.base?.id == .of("1-aa"))
        #expect(try json(conflict.local) == #"{"n":2}"#)
        #expect(try json(conflict.remote) == #"{"n":3}"#)
        #expect(try json(conflict.base) == #"{"n":1}"#)
        try database.save("b", "{}")
        #expect(try collection.conflict(in: "b") == nil)
        #expect(try collection.conflict(in: "c") == nil)
    }

    @Test("the side with more changes is preferred, and of equally many the one with the greater ID")
    func preference() throws {
        func prefersLocal(_ local: StaticString, _ remote: StaticString) -> Bool {
            func revision(_ id: StaticString) -> ConflictRevision {
                ConflictRevision(id: .of(id), isDeleted: false, body: FleeceData([]), hasAttachments: false)
            }
            let (local, remote) = (revision(local), revision(remote))
            return StoredConflict(documentID: "a", local: local, remote: remote, base: nil, sharedKeys: .empty).prefersLocal
        }
        #expect(prefersLocal("10-aa", "9-bb"))
        #expect(!prefersLocal("2-ff", "3-00"))
        #expect(prefersLocal("2-bb", "2-aa"))
        #expect(!prefersLocal("2-aa", "2-bb"))
    }

    @Test("a deletion keeps the tombstone of a side that has deleted the document")
    func deletion() throws {
        func deletion(_ database: TestDatabase) throws -> String {
            "\(try #require(try database.collection().conflict(in: "a")).deletion)"
        }
        #expect(try deletion(database()) == "deleted")
        #expect(try deletion(database(remoteIsDeleted: true)) == "remote")
        #expect(try deletion(database(localIsDeleted: true)) == "local")
    }

    @Test("resolving for the remote revision makes it current, and this revision does not have to be pushed")
    func remote() throws {
        let database = try database()
        let log = ChangeLog(database.file)
        let conflict = try #require(try database.collection().conflict(in: "a"))
        let resolved = try #require(try resolve(conflict, .remote, in: database))
        #expect(resolved.revision == .of("2-00"))
        #expect(resolved.sequence == 4)
        #expect(!resolved.isNew && !resolved.isDeleted && !resolved.isStillConflicted)
        #expect(try database.tree(of: "a").outline == ["2-00<1-aa lk+", "1-aa k+"])
        let change = try database.change(of: "a")
        #expect(change.remoteAncestor == change.revision)
        #expect(change.sequence == 4)
        #expect(try database.json("a") == #"{"n":3}"#)
        #expect(try database.collection().conflictedDocuments() == [])
        #expect(log.all == [["a"]])
        log.stop(database.file)
        try database.checkAndClose()
    }

    @Test("resolving for the local revision creates a new child of the remote revision")
    func local() throws {
        let database = try database()
        let conflict = try #require(try database.collection().conflict(in: "a"))
        let resolved = try #require(try resolve(conflict, .local, in: database))
        #expect(resolved.isNew && resolved.revision.generation == 3)
        #expect(try database.tree(of: "a").outline == ["\(resolved.revision)<2-00 l+", "2-00<1-aa k+", "1-aa k+"])
        #expect(try database.change(of: "a").remoteAncestor == .of("2-00"))
        #expect(try database.json("a") == #"{"n":2}"#)
        try database.checkAndClose()
    }

    @Test("a conflict can be resolved with a merged body or a deletion")
    func merged() throws {
        let database = try database()
        let conflict = try #require(try database.collection().conflict(in: "a"))
        let body = try database.body(#"{"n":5,"new":true}"#)
        let resolved = try #require(try resolve(conflict, .merged(body), in: database))
        #expect(try database.json("a") == #"{"n":5,"new":true}"#)
        #expect(try database.collection().history(of: "a") == [resolved.revision, .of("2-00"), .of("1-aa")])
        try database.checkAndClose()

        let other = try self.database()
        let otherConflict = try #require(try other.collection().conflict(in: "a"))
        #expect(try resolve(otherConflict, .deleted, in: other)?.isDeleted == true)
        #expect(try other.collection().document("a") == nil)
        #expect(try other.change(of: "a").revision.generation == 3)
        try other.checkAndClose()
    }

    @Test("conflicts with tombstones are resolved for the remote or the local side")
    func tombstones() throws {
        let database = try database(remoteIsDeleted: true)
        let conflict = try #require(try database.collection().conflict(in: "a"))
        #expect(conflict.remote.isDeleted)
        #expect(try resolve(conflict, .remote, in: database)?.isDeleted == true)
        #expect(try database.collection().document("a") == nil)
        try database.checkAndClose()

        let other = try self.database(localIsDeleted: true)
        let otherConflict = try #require(try other.collection().conflict(in: "a"))
        #expect(otherConflict.local.isDeleted)
        let resolved = try #require(try resolve(otherConflict, .local, in: other))
        #expect(resolved.isDeleted && resolved.isNew)
        #expect(try other.change(of: "a").revision.generation == 3)
        try other.checkAndClose()

        let both = try self.database(remoteIsDeleted: true, localIsDeleted: true)
        let third = try #require(try both.collection().conflict(in: "a"))
        #expect(try resolve(third, .remote, in: both)?.revision == .of("2-00"))
        #expect(try !both.change(of: "a").isConflicted)
        try both.checkAndClose()
    }

    @Test("a live local revision can win over a remote tombstone")
    func undeleted() throws {
        let database = try database(remoteIsDeleted: true)
        let conflict = try #require(try database.collection().conflict(in: "a"))
        #expect(try resolve(conflict, .local, in: database)?.isDeleted == false)
        #expect(try database.json("a") == #"{"n":2}"#)
        try database.checkAndClose()
    }

    @Test("a resolution is ignored if the document has changed since the conflict was read")
    func changedMeanwhile() throws {
        let database = try database()
        let conflict = try #require(try database.collection().conflict(in: "a"))
        try database.save("a", #"{"n":4}"#)
        #expect(try resolve(conflict, .remote, in: database) == nil)
        let second = try #require(try database.collection().conflict(in: "a"))
        try database.receive("a", [.of("3-00"), .of("2-00")])
        #expect(try resolve(second, .remote, in: database) == nil)
        #expect(try database.json("a") == #"{"n":4}"#)
        let third = try #require(try database.collection().conflict(in: "a"))
        try database.purge("a")
        #expect(try resolve(third, .remote, in: database) == nil)
        try database.checkAndClose()
    }

    @Test("resolving a conflict of three branches leaves a conflict of two")
    func threeBranches() throws {
        let database = try TestDatabase()
        try database.receive("a", [.of("1-aa")])
        let local = try #require(try database.save("a", #"{"n":2}"#).revision)
        try database.receive("a", [.of("2-00"), .of("1-aa")], remote: 1)
        try database.receive("a", [.of("2-01"), .of("1-aa")], remote: 2)
        let conflict = try #require(try database.collection().conflict(in: "a"))
        #expect(conflict.local.id == local)
        #expect(conflict.remote.id == .of("2-01"))
        let resolved = try #require(try resolve(conflict, .remote, in: database))
        #expect(resolved.isStillConflicted)
        let next = try #require(try database.collection().conflict(in: "a"))
        #expect(next.local.id == .of("2-01") && next.remote.id == .of("2-00"))
        #expect(try resolve(next, .remote, in: database)?.isStillConflicted == false)
        try database.checkAndClose()
    }

    @Test("a merged body with a reserved property is rejected, and the conflict stays")
    func reservedKey() throws {
        let database = try database()
        let conflict = try #require(try database.collection().conflict(in: "a"))
        let body = try database.body(#"{"_id":1}"#)
        #expect(throws: StoreError.reservedKey("_id", documentID: "a")) {
            try resolve(conflict, .merged(body), in: database)
        }
        #expect(try database.collection().conflictedDocuments() == ["a"])
    }
}
