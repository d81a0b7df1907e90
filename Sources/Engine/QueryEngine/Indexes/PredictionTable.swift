import Base
import DocumentStore
import Foundation
import QueryLanguage
import SQLiteEngine

/// A table with the output of a predictive model for each live document that has one. Triggers update it when documents change (Vector search
/// 10.5).
struct PredictionTable {
    private let call: ModelCall
    private let source: SourceTable

    init(_ call: ModelCall, on source: SourceTable) { (self.call, self.source) = (call, source) }

    /// The name in the registry and in the file.
    var name: String { Self.name(ofCall: call.identity, documents: source.liveTable) }

    /// Returns the name of the table for ``ModelCall/identity`` (FP-2).
    static func name(ofCall identity: String, documents: String) -> String {
        let digest = Array(identity.utf8).withUnsafeBytes { BlobDigest(of: $0).bytes }
        return "\(documents):predict:\(StoreName.mangled(Data(digest).base64EncodedString()))"
    }

    func exists(on connection: Connection) throws -> Bool { try RegistryTable.hasTable(name, on: connection) }

    /// Creates the table and its triggers, and fills it from the documents, for each of which the model is called.
    func create(on connection: Connection, _ progress: IndexProgress) throws {
        let table = name.quotedIdentifier
        let documents = source.liveTable.quotedIdentifier
        // Without row IDs, so that every SQL index on the table contains the row ID of the document (FP-3).
        try connection.execute(
            "CREATE TABLE \(table) (docid INTEGER PRIMARY KEY REFERENCES \(SQLText.identifier(source.liveTable))(rowid), "
                + "body BLOB NOT NULL ON CONFLICT IGNORE) WITHOUT ROWID"
        )
        let output = try IndexCompiler.prediction(call, on: source, row: "new")
        try progress.execute(
            "INSERT INTO \(table) (docid, body) SELECT new.rowid, \(output) FROM \(documents) AS new WHERE (new.flags & 1) = 0",
            on: connection
        )
        let insert = "INSERT INTO \(table) (docid, body) VALUES (new.rowid, \(output))"
        let delete = "DELETE FROM \(table) WHERE docid = old.rowid"
        func trigger(_ suffix: String, _ event: String, when condition: String, _ action: String) throws {
            let trigger = "\(name)::\(suffix)".quotedIdentifier
            try connection.execute("CREATE TRIGGER \(trigger) \(event) ON \(documents) WHEN \(condition) BEGIN \(action); END")
        }
        try trigger("ins", "AFTER INSERT", when: "(new.flags & 1) = 0", insert)
        try trigger("del", "BEFORE DELETE", when: "(old.flags & 1) = 0", delete)
        try trigger("preupdate", "BEFORE UPDATE OF body, flags", when: "(old.flags & 1) = 0", delete)
        try trigger("postupdate", "AFTER UPDATE OF body, flags", when: "(new.flags & 1) = 0", insert)
    }
}
