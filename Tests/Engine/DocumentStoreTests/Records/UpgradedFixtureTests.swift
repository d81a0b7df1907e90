import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Upgrades compared with those of Couchbase Lite 4.0")
struct UpgradedFixtureTests {
    private static let remote = SourceID([UInt8](repeating: 0x33, count: 16)) ?? .me

    /// Does to the database of 3.2.4 what the original product 4.0.4 did to it, in the same order, so that sequences are equal.
    private func upgraded() throws -> TestDatabase {
        let database = try TestDatabase(fixture: "v4.0-upgraded-before")
        #expect(try database.file.upgradeToVersionVectors())
        let collection = try database.collection()
        let legacy: [RevisionID] = [.of("2-c5557c751fcbfe4cd1f7221085d9ff70"), .of("1-ca9ad22802b66f662ff171f226211d5c")]
        try database.save("one-edited", #"{"name":"Bob","n":2}"#)
        try database.save("three", #"{"name":"Cy","n":4}"#)
        try database.delete("del-later")
        try database.save("tomb-undel", #"{"n":2}"#)
        try database.save("synced-edited", #"{"name":"Flo","n":2}"#)
        try database.save("pulled-edited", #"{"name":"Gil","n":3}"#)
        try database.save("pulled-edited2", #"{"name":"Hal","n":4}"#)
        let pulled = RevisionID.version(Version(existing: 0x18ea_5000_0001_0000, Self.remote))
        try database.receive("pulled", [pulled] + legacy, #"{"name":"Gil","n":3}"#)
        func resolve(_ documentID: String, _ resolution: ConflictResolution) throws {
            let conflict = try #require(try collection.conflict(in: documentID))
            #expect(try database.file.transaction { try collection.resolve(conflict, with: resolution, in: $0) } != nil)
        }
        try resolve("con-mine", .local)
        try resolve("con-theirs", .remote)
        try resolve("con-merge", .merged(database.body(#"{"name":"Kim","n":3}"#)))
        try database.save("new4", #"{"name":"Lea"}"#)
        // Last, because a conflict in a tree is a change with a sequence.
        try database.receive("one", [legacy[1]], #"{"name":"Ann","n":9}"#)
        return database
    }

    private func original() throws -> TestDatabase {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        return try TestDatabase(fixture: "v4.0-upgraded", options: options)
    }

    /// The binary vector with the same time for all versions of the database itself.
    private func withoutTimes(_ lineage: Lineage) -> [UInt8] {
        guard case .vector(let vector, _) = lineage else { return lineage.binary }
        let versions = vector.versions.map { $0.source.isMe ? Version(existing: 1 << 50, .me) : $0 }
        return VersionVector(existing: versions, currentCount: vector.currentCount).binary
    }

    @Test("a database that is upgraded here equals one that the original product has upgraded, in every byte that is no time")
    func equality() throws {
        let (mine, theirs) = (try upgraded(), try original())
        // Here a tree is kept where the original writes a record that stops it (10.2), and "pulled" has no false conflict (10.1).
        let different = ["one", "con-theirs", "pulled"]
        var compared = 0
        try theirs.collection().forEachDocument(includingDeleted: true) { record in
            let (row, expected) = (try mine.row(of: record.id), try theirs.row(of: record.id))
            #expect(row.sequence == expected.sequence || record.id == "one", "\(record.id)")
            #expect(row.body == expected.body, "\(record.id)")
            guard !different.contains(record.id) else { return true }
            #expect(withoutTimes(row.lineage) == withoutTimes(expected.lineage), "\(record.id)")
            #expect(row.extra == expected.extra, "\(record.id)")
            #expect(row.flags == expected.flags && row.subsequence == expected.subsequence, "\(record.id)")
            #expect(row.isInTombstoneTable == expected.isInTombstoneTable)
            compared += 1
            return true
        }
        #expect(compared == 15)
        #expect(try mine.collection().count() == theirs.collection().count())
        try mine.checkAndClose()
    }

    @Test("revisions of trees are kept in trees, and a newer version of the same database is no conflict")
    func differences() throws {
        let database = try upgraded()
        for id in ["one", "con-theirs"] { #expect(try database.row(of: id).hasTree, "\(id)") }
        #expect(try database.collection().conflictedDocuments().sorted() == ["conflict", "one"])
        #expect(try database.historyText(of: "con-theirs").hasPrefix("2-c5557c751fcbfe4cd1f7221085d9ff70"))
        let next = RevisionID.version(Version(existing: 0x18ea_5000_0002_0000, Self.remote))
        #expect(try database.receive("pulled", [next], #"{"name":"Gil","n":4}"#).isConflict == false)
        #expect(try database.historyText(of: "pulled") == "\(next); 2-c5557c751fcbfe4cd1f7221085d9ff70")
    }

    @Test("an upgrade that is rolled back leaves trees, and a second one does nothing")
    func rollback() throws {
        let database = try TestDatabase()
        #expect(throws: CancellationError.self) {
            try database.file.transaction { _ in
                try database.file.upgradeToVersionVectors()
                throw CancellationError()
            }
        }
        #expect(try !database.file.hasVersionVectors())
        #expect(try database.save("a", "{}").revision?.tree != nil)
        #expect(try database.file.upgradeToVersionVectors())
        #expect(try !database.file.upgradeToVersionVectors())
        #expect(try database.save("a", "{}").revision?.tree == nil)
        try database.checkAndClose()
    }
}
