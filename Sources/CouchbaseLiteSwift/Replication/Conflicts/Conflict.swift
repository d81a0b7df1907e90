#if Replication
import DocumentStore

/// Two versions of a document that were created independently: one in this database, one on the other side.
public struct Conflict: Sendable {
    /// The document's ID.
    public var documentID: String { stored.documentID }
    /// The version in this database; `nil` if the document was deleted here.
    public let localDocument: Document?
    /// The version that was pulled; `nil` if the document was deleted on the other side.
    public let remoteDocument: Document?
    /// The newest common ancestor of both versions; `nil` if there is none, or its contents are not stored any more.
    public let baseDocument: Document?

    let stored: StoredConflict

    init(_ stored: StoredConflict, in collection: Collection) {
        func document(_ revision: StoredRevision?) -> Document? {
            guard let revision, !revision.isDeleted else { return nil }
            return Document(
                id: stored.documentID,
                revision: revision.id,
                sequence: 0,
                body: revision.body,
                sharedKeys: stored.sharedKeys,
                collection: collection
            )
        }
        self.stored = stored
        localDocument = document(stored.local)
        remoteDocument = document(stored.remote)
        baseDocument = document(stored.base)
    }
}
#endif
