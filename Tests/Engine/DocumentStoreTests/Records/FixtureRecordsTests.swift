import Fleece
import FleeceReencoder
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Records of real databases")
struct FixtureRecordsTests {
    private func readOnly(_ name: String) throws -> TestDatabase {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        return try TestDatabase(fixture: name, options: options)
    }

    private func forEachTree(of name: String, _ body: (StoredRow, RevisionTree) throws -> Void) throws {
        let database = try readOnly(name)
        let collection = try database.collection()
        try database.file.read { context in
            for id in try database.texts("SELECT key FROM kv_default") {
                let row = try #require(try collection.row(of: id, on: context))
                try body(row, try row.tree())
            }
        }
    }

    // A server created the documents of the other two databases.
    @Test(
        "every revision ID that is a digest is the digest of its revision",
        arguments: ["v3.0-names-deleted", "wal", "travel-sample", "bench10k"]
    )
    func digests(_ name: String) throws {
        var count = 0
        try forEachTree(of: name) { row, tree in
            for revision in tree.revisions where revision.id.digest.count == 20 {
                guard let body = revision.body else { continue }
                let parent = revision.parent.map { tree.revisions[$0].id }
                let expected = body.withUnsafeBytes {
                    TreeRevisionID.generate(parent: parent, isDeleted: revision.isDeleted, body: $0)
                }
                if expected != revision.id { Issue.record("\(row.id) \(revision.id)") }
                count += 1
            }
        }
        #expect(count >= 50)
    }

    @Test(
        "bodies and revision trees of real databases are re-encoded with the same bytes",
        arguments: ["v2.7", "v2.8", "v3.0-names-deleted", "wal", "bench10k"]
    )
    func reencoding(_ name: String) throws {
        try forEachTree(of: name) { row, tree in
            for revision in tree.revisions {
                guard let body = revision.body else { continue }
                let again = try body.withUnsafeBytes { bytes throws(FleeceError) in try Reencoder.reencode(bytes) }
                if again != body { Issue.record("body of \(row.id) \(revision.id)") }
            }
            let stored = row.extra ?? row.body
            let again = try RevisionTree(stored: stored, recordSequence: 0).encoded()
            // Release 3.2 writes the separator of rejected revisions even if there are none.
            if again != stored, again + [0, 0, 0, 0] != stored { Issue.record("tree of \(row.id)") }
        }
    }

    @Test(
        "records of real databases are decoded as the independent checker decodes them",
        arguments: ["v2.7", "v2.8", "v3.0-names-deleted", "wal", "travel-sample", "bench10k"]
    )
    func dump(_ name: String) throws {
        let database = try readOnly(name)
        var documents: [String: String] = [:]
        try database.collection().forEachDocument(includingDeleted: true) { record in
            documents[record.id] = """
                {"body":\(try record.canonicalJSON()),"flags":\(record.flags.rawValue),"rev":"\(record.revision)",\
                "seq":\(record.sequence)}
                """
            return true
        }
        var count = 0
        for line in try DatabaseChecker.dump(database.bundle) {
            let data = try JSON.fleece(line)
            let (id, expected) = try #require(try data.withRoot(Self.essentials))
            if documents[id] != expected { Issue.record("\(id): \(documents[id] ?? "missing") instead of \(expected)") }
            count += 1
        }
        #expect(count == documents.count)
    }

    /// The parts of a line of the dump that a record also has, in the same order.
    private static func essentials(_ line: Value) throws -> (id: String, json: String) {
        let dictionary = try #require(line.dictionary)
        func part(_ key: String) throws -> String {
            try JSON.string(try #require(dictionary.value(for: key, sharedKeys: .empty)), form: .canonical)
        }
        let id = try #require(dictionary.value(for: "id", sharedKeys: .empty)?.string)
        let json =
            #"{"body":\#(try part("body")),"flags":\#(try part("flags")),"rev":\#(try part("rev")),"seq":\#(try part("seq"))}"#
        return (id, json)
    }

    @Test(
        "real databases accept all kinds of changes and stay valid",
        arguments: ["v2.7", "v2.8", "v3.0-names-deleted", "wal", "travel-sample", "bench10k"]
    )
    func changes(_ name: String) throws {
        let database = try TestDatabase(fixture: name)
        let ids = try database.texts("SELECT key FROM kv_default WHERE (flags & 1) = 0 ORDER BY key LIMIT 30")
        for id in ids.prefix(10) { try database.save(id, #"{"changed":true}"#) }
        for id in ids[10..<20] { try database.delete(id) }
        for id in ids[20...] { try database.purge(id) }
        for id in ids[10..<15] { try database.save(id, #"{"back":true}"#) }
        // Tombstones that were left among the live documents.
        for id in try database.texts("SELECT key FROM kv_default WHERE (flags & 1) = 1 LIMIT 5") {
            try database.save(id, #"{"back":true}"#, base: .none)
        }
        let collection = try CollectionID(name: "Hotels", scope: "Travel")
        _ = try database.file.createCollection(collection)
        try database.save("h", #"{"a new key":1,"newKey":2}"#, in: collection)
        try database.delete("h", in: collection)
        try database.checkAndClose()
    }
}
