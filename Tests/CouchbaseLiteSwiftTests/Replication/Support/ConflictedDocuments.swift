#if Replication
import DocumentStore
import Fleece
import Replication
import Testing

@testable import CouchbaseLiteSwift

/// Makes conflicts as a replicator does that has pulled them.
struct ConflictedDocuments {
    let collection: CouchbaseLiteSwift.Collection

    /// Stores a document, and then what somebody else has made of it. Each side is nil for a deletion.
    ///
    /// - Parameter remoteGeneration: How often it was changed there.
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
        // Greater than any digest of ours.
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

    /// Where the document came from; nil when it is deleted.
    func winner(_ id: String) throws -> String? {
        try collection.document(id: id)?.string(forKey: "from")
    }
}
#endif
