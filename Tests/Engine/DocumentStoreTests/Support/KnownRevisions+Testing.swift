import Fleece
import TestSupport

@testable import DocumentStore

extension TestDatabase {
    /// Creates a database with version vectors, opened for reading, with one record.
    ///
    /// - Parameters: The columns of the record, as hexadecimal digits; `nil` for NULL.
    static func withRecord(flags: Int = 0, version: String, body: String?, extra: String?) throws -> TestDatabase {
        let database = try TestDatabase()
        func literal(_ digits: String?) -> String { digits.map { "x'\($0.filter { !$0.isWhitespace })'" } ?? "NULL" }
        let columns = "'a', 1, \(flags), \(literal(version)), \(literal(body)), \(literal(extra))"
        try database.sql("INSERT INTO kv_default (key, sequence, flags, version, body, extra) VALUES (\(columns))")
        try database.sql("INSERT OR REPLACE INTO kvmeta (name, lastSeq, purgeCnt) VALUES ('default', 1, 0)")
        try database.sql("UPDATE kv_info SET body = x'0000000000000002' WHERE key = 'versioning'")
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        try database.reopen(options: options)
        return database
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
