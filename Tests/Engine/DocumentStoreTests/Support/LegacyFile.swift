import DocumentStore
import Foundation
import SQLiteEngine

/// Databases of 1.x, created only from the statements of Storage format 6.2.
enum LegacyFile {
    static let schema = """
        CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL, expiry_timestamp INTEGER);
        CREATE TABLE revs (sequence INTEGER PRIMARY KEY AUTOINCREMENT, doc_id INTEGER NOT NULL REFERENCES docs(doc_id),
            revid TEXT NOT NULL COLLATE REVID, parent INTEGER REFERENCES revs(sequence), current BOOLEAN,
            deleted BOOLEAN DEFAULT 0, json BLOB, no_attachments BOOLEAN, doc_type TEXT, UNIQUE (doc_id, revid));
        CREATE TABLE localdocs (docid TEXT UNIQUE NOT NULL, revid TEXT NOT NULL COLLATE REVID, json BLOB);
        CREATE TABLE views (view_id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, version TEXT);
        CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT);
        """

    /// Creates a bundle with the tables, and executes `sql` in it.
    static func make(
        at bundle: BundlePath,
        version: Int = 102,
        journalMode: String = "WAL",
        schema: String = schema,
        _ sql: String = ""
    ) throws {
        try FileManager.default.createDirectory(atPath: bundle.directory, withIntermediateDirectories: true)
        let connection = try connection(to: bundle)
        defer { try? connection.close() }
        try connection.execute("PRAGMA journal_mode=\(journalMode); \(schema) PRAGMA user_version=\(version); \(sql)")
    }

    /// A connection with the collation of 1.x.
    static func connection(to bundle: BundlePath) throws -> Connection {
        let connection = try Connection(path: bundle.sqliteFile, mode: .create)
        try connection.registerCollation(name: "REVID") { first, second in
            String(decoding: first, as: UTF8.self).compare(String(decoding: second, as: UTF8.self), options: .numeric)
                .rawValue
        }
        return connection
    }

    /// A statement that adds a revision; `sequence` counts from 1.
    static func revision(
        _ sequence: Int,
        of document: Int,
        _ id: String,
        parent: Int? = nil,
        isCurrent: Bool = true,
        isDeleted: Bool = false,
        _ json: String? = "{}",
        hasAttachments: Bool = false
    ) -> String {
        let parent = parent.map(String.init) ?? "NULL"
        let json = json.map { "CAST(\($0.quotedLiteral) AS BLOB)" } ?? "NULL"
        return """
            INSERT INTO revs (sequence, doc_id, revid, parent, current, deleted, json, no_attachments) VALUES \
            (\(sequence), \(document), \(id.quotedLiteral), \(parent), \(isCurrent ? 1 : 0), \(isDeleted ? 1 : 0), \
            \(json), \(hasAttachments ? 0 : 1));
            """
    }

    /// A statement that adds a document.
    static func document(_ number: Int, _ id: String) -> String {
        "INSERT INTO docs (doc_id, docid) VALUES (\(number), \(id.quotedLiteral));"
    }

    /// A revision ID: the generation, and sixteen bytes with the value `byte`.
    static func id(_ generation: Int, _ byte: String = "ab") -> String {
        "\(generation)-" + String(repeating: byte, count: 16)
    }

    /// Stores an attachment and returns the member of `_attachments` that refers to it.
    static func attach(_ name: String, _ content: String, in bundle: BundlePath, isUppercase: Bool = true) throws -> String {
        let bytes = Array(content.utf8)
        let digest = bytes.withUnsafeBytes { BlobDigest(of: $0) }
        let directory = bundle.directory + "/attachments"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let digits = digest.bytes.map { String(format: "%02x", $0) }.joined()
        let file = "\(directory)/\(isUppercase ? digits.uppercased() : digits).blob"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return
            #""\#(name)":{"content_type":"text/plain","digest":"\#(digest.string)","length":\#(bytes.count),"#
            + #""revpos":1,"stub":true}"#
    }

    /// All files of a bundle with their contents, except the additional files of SQLite.
    static func contents(of bundle: BundlePath) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: bundle.directory) {
            guard !path.hasSuffix("-shm"), !path.hasSuffix("-wal") else { continue }
            contents[path] = FileManager.default.contents(atPath: bundle.directory + "/" + path) ?? Data()
        }
        return contents
    }
}
