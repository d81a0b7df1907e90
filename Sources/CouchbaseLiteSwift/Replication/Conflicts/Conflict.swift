#if Replication
import DocumentStore

/// Two versions of a document that were made independently of each other: one here, one on the other side.
public struct Conflict: Sendable {
    /// The document's ID.
    public var documentID: String { stored.documentID }
    /// The version of this database; nil when the document was deleted here.
    public let localDocument: Document?
    /// The version that was pulled; nil when the document was deleted there.
    public let remoteDocument: Document?
    /// The newest version that both are made from; nil when there is none, or it is not stored any more.
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
