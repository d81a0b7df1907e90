import Fleece
import TestSupport

@testable import DocumentStore

extension TestDatabase {
    /// Creates a database with version vectors, opened for reading, with one record.
    ///
    /// - Parameters: The columns of the record, as hexadecimal digits; `nil` for NULL.
    static func withRecord(flags: Int = 0, version: String, body: String?, extra: String?) throws -> TestDatabase {
        let database = try TestDatabase()
        try database.addRecord("a", sequence: 1, flags: flags, version: version, body: body, extra: extra)
        try database.setVersionVectors()
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        try database.reopen(options: options)
        return database
    }

    /// Creates a database with version vectors, opened for writing.
    static func withVersions(_ clock: VirtualClock? = nil) throws -> TestDatabase {
        let database = try TestDatabase(options: clock.map { .init(clock: $0) } ?? .init())
        try database.setVersionVectors()
        return database
    }

    /// Marks the database as one with version vectors, like another process.
    func setVersionVectors() throws {
        try sql("UPDATE kv_info SET body = x'0000000000000002' WHERE key = 'versioning'")
    }

    /// Adds a live record, like another process.
    func addRecord(_ id: String, sequence: Int, flags: Int = 0, version: String, body: String?, extra: String?) throws {
        func literal(_ digits: String?) -> String { digits.map { "x'\($0.filter { !$0.isWhitespace })'" } ?? "NULL" }
        let columns = "'\(id)', \(sequence), \(flags), \(literal(version)), \(literal(body)), \(literal(extra))"
        try sql("INSERT INTO kv_default (key, sequence, flags, version, body, extra) VALUES (\(columns))")
        try sql("INSERT OR REPLACE INTO kvmeta (name, lastSeq, purgeCnt) VALUES ('default', \(sequence), 0)")
    }

    /// A stored row, from either table.
    func row(of documentID: String, in collection: CollectionID = .default) throws -> StoredRow {
        let collection = try self.collection(collection)
        return try file.read { context in
            guard let row = try collection.row(of: documentID, on: context) else { throw StoreError.notFound(what: documentID) }
            return row
        }
    }

    /// The text of the vector of a document with the IDs in trees that are known of its history, as the original shows it.
    func historyText(of documentID: String) throws -> String {
        let known = try knownRevisions(of: documentID)
        return known.historyText(of: known.current)
    }

    /// Returns the revisions of a document that exists.
    func knownRevisions(of documentID: String, in collection: CollectionID = .default) throws -> KnownRevisions {
        let collection = try self.collection(collection)
        return try file.read { context in
            guard let row = try collection.row(of: documentID, on: context) else { throw StoreError.notFound(what: documentID) }
            return try row.knownRevisions()
        }
    }
}

extension KnownRevision {
    /// The properties as canonical JSON; `nil` if they are not stored.
    func json(_ keys: SharedKeys) throws -> String? {
        try body?.withUnsafeBytes { bytes in
            try Value(root: bytes).map { try JSON.string($0, sharedKeys: keys, form: .canonical) }
        }
    }
}
