import Fleece
import Testing

@testable import DocumentStore

extension TestDatabase {
    /// Properties given as JSON, encoded like received ones.
    func body(_ json: String) throws -> OwnedBody {
        try file.withBodyEncoder { encoder in
            try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder.encoder) }
            return try encoder.finishOwned()
        }
    }

    /// Stores a revision of another database: its ID, then those of its ancestors.
    @discardableResult
    func receive(
        _ documentID: String,
        _ history: [RevisionID],
        _ json: String = "{}",
        isDeleted: Bool = false,
        remote: Int? = 1,
        allowsConflict: Bool = true,
        in collection: CollectionID = .default
    ) throws -> ReceivedRevisionOutcome {
        let revision = ReceivedRevision(
            documentID: documentID,
            revision: history[0],
            history: Array(history.dropFirst()),
            isDeleted: isDeleted,
            body: try body(json),
            allowsConflict: allowsConflict
        )
        return try receive(revision, remote: remote, in: collection)
    }

    @discardableResult
    func receive(_ revision: ReceivedRevision, remote: Int? = 1, in collection: CollectionID = .default) throws -> ReceivedRevisionOutcome {
        let collection = try self.collection(collection)
        return try file.transaction { try collection.insert(revision, remote: remote, in: $0) }
    }

    /// Records that a remote has a revision. Returns whether anything was written.
    @discardableResult
    func note(_ revision: RevisionID, of documentID: String, remote: Int = 1) throws -> Bool {
        let collection = try self.collection()
        let before = try column("flags", of: documentID)
        _ = try file.transaction {
            try collection.noteRemoteAncestors([(documentID, revision)], remote: remote, in: $0)
        }
        return try column("flags", of: documentID) != before
    }

    /// The current revision as it is offered to other databases.
    func change(of documentID: String, remote: Int? = 1) throws -> LocalChange {
        try #require(try collection().change(of: documentID, remote: remote))
    }

    /// The value of a column of the document's row, in either table.
    func column(_ name: String, of documentID: String) throws -> Int64? {
        try scalar(
            """
            SELECT \(name) FROM kv_default WHERE key = '\(documentID)'
            UNION ALL SELECT \(name) FROM kv_del_default WHERE key = '\(documentID)'
            """
        )
    }
}

extension ReceivedRevisionOutcome {
    var isConflict: Bool? {
        if case .inserted(_, let isConflict) = self { isConflict } else { nil }
    }
}
