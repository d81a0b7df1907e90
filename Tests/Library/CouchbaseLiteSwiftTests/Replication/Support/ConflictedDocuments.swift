#if Replication
import DocumentStore
import Fleece
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

/// Creates conflicts like a replicator that has pulled them.
struct ConflictedDocuments {
    let collection: CouchbaseLiteSwift.Collection

    /// Stores a document, and then a conflicting revision of another peer. Each side is nil for a deletion.
    ///
    /// - Parameter remoteGeneration: The number of remote changes.
    func make(
        _ id: String,
        base: String = #"{"from":"base"}"#,
        local: String? = #"{"from":"local"}"#,
        remote: String? = #"{"from":"remote"}"#,
        remoteGeneration: Int = 2
    ) throws {
        let document = try MutableDocument(id: id, json: base)
        try collection.save(document: document)
        let first = try #require(document.revision)
        let replica = try #require(try ReplicaDatabase(collection.database.openFile()).collection(collection.store.id))
        try replica.markSynced([(id, first)], remote: 1)
        if let local {
            try document.setJSON(local)
            try collection.save(document: document)
        } else {
            try collection.delete(document: document)
        }
        // Greater than any local digest.
        let revision = try #require(RevisionID("\(remoteGeneration)-ffffffffffffffffffffffffffffffff"))
        let body = OwnedBody(try JSON.fleece(remote ?? "{}"))
        let outcome = try replica.insert(
            [
                ReceivedRevision(
                    documentID: id,
                    revision: revision,
                    history: (2..<remoteGeneration).reversed().compactMap { RevisionID("\($0)-eeee") } + [first],
                    isDeleted: remote == nil,
                    body: body
                )
            ],
            remote: 1
        )
        guard case .inserted(_, isConflict: true) = outcome.first else {
            Issue.record("no conflict: \(outcome)")
            return
        }
    }

    /// The origin of the document; nil if it is deleted.
    func winner(_ id: String) throws -> String? {
        try collection.document(id: id)?.string(forKey: "from")
    }
}
#endif
