import Base
import Foundation
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Databases of Couchbase Lite 4.0")
struct VersionVectorFixtureTests {
    /// A document as the original product describes it.
    private struct Described: Decodable {
        struct Revision: Decodable {
            let history: String
            let flags: Int
            let body: JSONText?
        }

        let rev: String
        let timestamp: UInt64
        let seq: UInt64
        let flags: Int
        let expiration: Int64
        let revs: [Revision]
    }

    /// A JSON value as canonical text.
    private struct JSONText: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try JSONValue(from: decoder)
            text = String(decoding: try JSONSerialization.data(withJSONObject: value.object, options: [.sortedKeys]), as: UTF8.self)
        }
    }

    private struct JSONValue: Decodable {
        let object: Any

        init(from decoder: any Decoder) throws {
            if let dictionary = try? decoder.singleValueContainer().decode([String: JSONValue].self) {
                object = dictionary.mapValues(\.object)
            } else if let array = try? decoder.singleValueContainer().decode([JSONValue].self) {
                object = array.map(\.object)
            } else if let boolean = try? decoder.singleValueContainer().decode(Bool.self) {
                object = boolean
            } else if let number = try? decoder.singleValueContainer().decode(Int.self) {
                object = number
            } else {
                object = try decoder.singleValueContainer().decode(String.self)
            }
        }
    }

    private func open(_ name: String) throws -> TestDatabase {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        return try TestDatabase(fixture: name, options: options)
    }

    @Test("every document is read as the original product reads it", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func documents(_ name: String) throws {
        let database = try open(name)
        let json = Fixtures.directory.appendingPathComponent("databases/\(name).json")
        let described = try JSONDecoder().decode([String: [String: Described]].self, from: Data(contentsOf: json))
        let names = try database.file.collectionIDs().filter { try database.collection($0).lastSequence() > 0 }.map(\.fullName)
        #expect(names.sorted() == described.keys.sorted())
        for (collectionName, documents) in described {
            let id = try #require(try database.file.collectionIDs().first { $0.fullName.isExactly(collectionName) })
            let collection = try database.collection(id)
            #expect(try collection.count() + collection.deletedCount() == UInt64(documents.count))
            for (documentID, expected) in documents {
                let record = try #require(try collection.document(documentID, includingDeleted: true))
                #expect(record.revision.description == expected.rev)
                #expect(record.revision.timestamp == expected.timestamp)
                #expect(record.sequence == expected.seq)
                #expect(Int(record.flags.subtracting(.synced).rawValue) | 0x1000 == expected.flags)
                #expect(record.expiration ?? 0 == expected.expiration)
                #expect(try collection.revision(record.revision, of: documentID)?.revision == record.revision)

                let known = try database.knownRevisions(of: documentID, in: id)
                let revisions = [known.current] + known.remotes.sorted { $0.key < $1.key }.map(\.value)
                #expect(revisions.map { known.historyText(of: $0) } == expected.revs.map(\.history), "\(documentID)")
                // Deleted, has attachments, in conflict.
                let flags = revisions.map { ($0.flags.contains(.deleted) ? 1 : 0) | ($0.flags.contains(.conflicted) ? 0x20 : 0) }
                #expect(flags == expected.revs.map { $0.flags & 0x29 }, "\(documentID)")
                #expect(try revisions.map { try $0.json(record.sharedKeys) } == expected.revs.map { $0.body?.text }, "\(documentID)")
            }
        }
    }

    @Test("a check finds nothing", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func check(_ name: String) throws {
        let database = try open(name)
        let result = try BundleChecker(database.file).check()
        #expect(result.findings.map { "\($0)" } == [])
    }

    @Test("conflicts are read with both revisions")
    func conflicts() throws {
        let freshDatabase = try open("v4.0-fresh")
        let fresh = try freshDatabase.collection()
        #expect(try fresh.conflictedDocuments() == ["conflict", "legacy"])
        let conflict = try #require(try fresh.conflict(in: "conflict"))
        #expect(conflict.local.id.description == "18ea58b697910000@*")
        #expect(conflict.remote.id.description == "18ea500000050000@MzMzMzMzMzMzMzMzMzMzMw")
        // The local revision is later.
        #expect(conflict.prefersLocal)
        let upgradedDatabase = try open("v4.0-upgraded")
        let upgraded = try upgradedDatabase.collection()
        #expect(try upgraded.conflictedDocuments() == ["one", "conflict", "pulled"])
        for id in ["one", "conflict", "pulled"] { #expect(try upgraded.conflict(in: id) != nil) }
    }

    @Test("the revisions known at remotes are found without reading properties", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func remoteAncestors(_ name: String) throws {
        let database = try open(name)
        let collection = try database.collection()
        for remote in 1...3 {
            for change in try collection.changes(after: 0, limit: 1000, remote: remote) {
                let known = try database.knownRevisions(of: change.documentID).remotes[UInt16(remote)]
                #expect(change.remoteAncestor == known?.lineage.id, "\(change.documentID)")
            }
        }
    }

    @Test("such a database cannot be converted for an older release, and stays as it is")
    func olderRelease() throws {
        let database = try open("v4.0-fresh")
        let before = try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile))
        let target = BundlePath(database.directory.path("new.cblite2"))
        let error = #expect(throws: StoreError.self) {
            try OlderRelease.collections.copy(database.path.canonical, to: target, options: .init(), indexNames: { _ in [] })
        }
        #expect(error?.code == 19)
        #expect(!FileManager.default.fileExists(atPath: target.directory))
        #expect(try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile)) == before)
    }

    @Test("a database that is opened for writing and not changed keeps its records", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func opening(_ name: String) throws {
        let original = try open(name)
        let database = try TestDatabase(fixture: name)
        for id in try original.file.collectionIDs() {
            try original.collection(id).forEachDocument(includingDeleted: true) { record in
                let (before, after) = (try original.row(of: record.id, in: id), try database.row(of: record.id, in: id))
                #expect(before.lineage == after.lineage && before.body == after.body && before.extra == after.extra)
                #expect(before.flags == after.flags && before.sequence == after.sequence)
                return true
            }
        }
        try database.checkAndClose()
    }

    @Test("a copy names the original in its versions, and has the same documents", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func copying(_ name: String) throws {
        let database = try open(name)
        let target = BundlePath(database.directory.path("copy.cblite2"))
        try DatabaseCopy.copy(database.path.canonical, to: target)
        let own = try #require(try database.file.publicUUID().flatMap { SourceID($0) })
        let copy = try DatabaseRegistry.open(target.directory)
        defer { try? DatabaseRegistry.close(copy) }
        #expect(try copy.publicUUID() != database.file.publicUUID())
        for id in try database.file.collectionIDs() {
            let (original, copied) = (try database.collection(id), try #require(try copy.collection(id)))
            #expect(try original.count() == copied.count() && original.deletedCount() == copied.deletedCount())
            try original.forEachDocument(includingDeleted: true) { record in
                let found = try #require(try copied.document(record.id, includingDeleted: true))
                #expect(try found.canonicalJSON() == record.canonicalJSON() && found.flags == record.flags)
                let (before, row) = try (database.row(of: record.id, in: id), copy.read { try copied.row(of: record.id, on: $0) })
                let (known, expected) = (try #require(try row?.knownRevisions()), try before.knownRevisions())
                #expect(known.historyText(of: known.current) == expected.historyText(of: expected.current, own: own))
                #expect(
                    known.remotes.mapValues { known.historyText(of: $0) }
                        == expected.remotes.mapValues { expected.historyText(of: $0, own: own) }
                )
                return true
            }
        }
        #expect(try BundleChecker(copy).findings() == [])
    }

    @Test("what is salvaged are the same records", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func salvage(_ name: String) throws {
        let database = try open(name)
        let target = BundlePath(database.directory.path("new.cblite2"))
        let report = try Salvage.copy(database.path.canonical, to: target, options: .init())
        #expect(report.lossCount == 0)
        let copy = try DatabaseRegistry.open(target.directory)
        defer { try? DatabaseRegistry.close(copy) }
        #expect(try copy.hasVersionVectors())
        for id in try database.file.collectionIDs() {
            let copied = try #require(try copy.collection(id))
            try database.collection(id).forEachDocument(includingDeleted: true) { record in
                let row = try #require(try copy.read { try copied.row(of: record.id, on: $0) })
                let before = try database.row(of: record.id, in: id)
                #expect(row.lineage == before.lineage && row.body == before.body && row.extra == before.extra)
                #expect(row.flags == before.flags && row.sequence == before.sequence)
                return true
            }
        }
    }
}
