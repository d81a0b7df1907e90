import Foundation
import TestSupport
import Testing

@testable import DocumentStore

@Suite("1.x databases that cannot be upgraded")
struct DamagedLegacyTests {
    private typealias Old = LegacyFile

    /// The damage of a database, and the text of the error.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        var schema = LegacyFile.schema
        let sql: String

        init(_ name: String, _ reason: String, schema: String = LegacyFile.schema, _ sql: String...) {
            testDescription = name
            self.reason = reason
            self.schema = schema
            // A valid document comes first, so that some data was written already.
            let good = LegacyFile.document(-1, "good") + LegacyFile.revision(100, of: -1, LegacyFile.id(1))
            self.sql = (schema == LegacyFile.schema ? good : "") + sql.joined()
        }

        private static func json(_ name: String, _ reason: String, _ json: String) -> Damage {
            Damage(name, reason, Old.document(1, "bad"), Old.revision(1, of: 1, Old.id(1), json))
        }

        static let all = [
            json("JSON that ends early", "document \"bad\": its properties are damaged", #"{"a":"#),
            json("JSON that is no object", "document \"bad\": its properties are not a JSON object", "[1]"),
            json("JSON that is a number", "document \"bad\": its properties are damaged", "1"),
            json(
                "JSON that is nested too deep",
                "document \"bad\": its properties are damaged",
                #"{"a":"# + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}"
            ),
            Damage(
                "JSON that is an integer",
                "document \"bad\": its properties",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, Old.id(1)) + "UPDATE revs SET json = 17 WHERE sequence = 1;"
            ),
            Damage(
                "JSON that is not UTF-8",
                "document \"bad\": its properties are damaged",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, Old.id(1)) + "UPDATE revs SET json = x'7B22FF223A317D' WHERE sequence = 1;"
            ),
            Damage(
                "a malformed revision ID",
                "document \"bad\": its revision ID is malformed",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, "1-xyz")
            ),
            Damage(
                "a revision ID of another type",
                "document \"bad\": its revision ID is malformed",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, Old.id(1)) + "UPDATE revs SET revid = x'0102' WHERE sequence = 1;"
            ),
            Damage(
                "a malformed revision ID in a history",
                "document \"bad\": a revision ID in its history is malformed",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, "1", isCurrent: false),
                Old.revision(2, of: 1, Old.id(2), parent: 1)
            ),
            Damage(
                "a revision that is its own parent",
                "document \"bad\": its history goes in a circle",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, Old.id(1), parent: 1)
            ),
            Damage(
                "revisions that are each other's parents",
                "document \"bad\": its history goes in a circle",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, Old.id(2), parent: 2, isCurrent: false),
                Old.revision(2, of: 1, Old.id(3), parent: 1)
            ),
            Damage(
                "generations that go up",
                "document \"bad\": the generations of its history do not go down",
                Old.document(1, "bad"),
                Old.revision(1, of: 1, Old.id(2), isCurrent: false),
                Old.revision(2, of: 1, Old.id(2, "cd"), parent: 1)
            ),
            Damage(
                "a parent of another document",
                "document \"bad\": its history leads to another document",
                Old.document(1, "bad"),
                Old.document(2, "other"),
                Old.revision(1, of: 2, Old.id(1), isCurrent: false),
                Old.revision(2, of: 1, Old.id(2), parent: 1)
            ),
            Damage("an ID that is too long", "its ID is not valid any more", Old.document(1, longID), Old.revision(1, of: 1, Old.id(1))),
            Damage("an empty ID", "document \"\": its ID is not valid", Old.document(1, ""), Old.revision(1, of: 1, Old.id(1))),
            Damage("no tables", "it has no table \"docs\"", schema: "CREATE TABLE info (a);"),
            Damage("a missing table", "it has no table \"revs\"", schema: "CREATE TABLE docs (doc_id, docid);"),
            Damage(
                "a missing column",
                "no such column",
                schema: "CREATE TABLE docs (doc_id, docid); CREATE TABLE revs (sequence, doc_id, revid);"
            ),
            Damage(
                "a view in place of a table",
                "it has no table \"docs\"",
                schema: """
                    CREATE VIEW docs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT i AS doc_id, 'a' || i AS docid FROM n; CREATE TABLE revs (sequence, doc_id, revid);
                    """
            ),
            Damage(
                "two documents of one ID",
                "document \"twice\": there is more than one",
                schema: Old.schema.replacing("UNIQUE NOT NULL, expiry", with: "NOT NULL, expiry"),
                Old.document(1, "twice"),
                Old.document(2, "twice")
            ),
        ]

        private static let longID = String(repeating: "x", count: 241)
    }

    @Test("a failed upgrade throws an error with the reason, and leaves the database unchanged", arguments: Damage.all)
    func damaged(_ damage: Damage) throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2")).canonical
        try Old.make(at: bundle, schema: damage.schema, damage.sql)
        try expectRefusal(of: bundle, in: directory, damage.reason)
    }

    @Test("a 1.x database with encrypted attachments is rejected and stays unchanged")
    func encryptedAttachments() throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2")).canonical
        try Old.make(at: bundle)
        _ = try Old.attach("a", "a", in: bundle)
        try Data().write(to: URL(fileURLWithPath: bundle.directory + "/attachments/_encryption"))
        try expectRefusal(of: bundle, in: directory, "encrypted")
    }

    @Test("a ForestDB database is rejected and stays unchanged", arguments: ["db.forest", "db.forest.1"])
    func forest(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2")).canonical
        try FileManager.default.createDirectory(atPath: bundle.directory, withIntermediateDirectories: true)
        try Data("forest".utf8).write(to: URL(fileURLWithPath: bundle.directory + "/" + name))
        try expectRefusal(of: bundle, in: directory, "ForestDB")
    }

    private func expectRefusal(of bundle: BundlePath, in directory: TemporaryDirectory, _ reason: String) throws {
        let before = try Old.contents(of: bundle)
        for _ in 1...2 {
            let error = #expect(throws: StoreError.self) { try DatabaseRegistry.open(bundle.directory) }
            guard case .cannotUpgrade(bundle.directory, _, let found) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(found.contains(reason), "\(found)")
        }
        #expect(try Old.contents(of: bundle) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["db.cblite2"])
    }

    @Test("a 1.x database with damaged pages is reported as corrupt and stays unchanged")
    func damagedPages() throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2")).canonical
        try Old.make(at: bundle, journalMode: "DELETE", Old.document(1, "a") + Old.revision(1, of: 1, Old.id(1)))
        var bytes = try #require(FileManager.default.contents(atPath: bundle.sqliteFile))
        for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
        try bytes.write(to: URL(fileURLWithPath: bundle.sqliteFile))
        let error = #expect(throws: StoreError.self) { try DatabaseRegistry.open(bundle.directory) }
        guard case .corrupt(bundle.directory, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(FileManager.default.contents(atPath: bundle.sqliteFile) == bytes)
    }
}
