package import DocumentStore

/// What the client of a passive session may read and write. Called on the executor of the session, with the current rights of the client.
package struct PassiveAccess: Sendable {
    /// Returns whether the client may read a document. Other documents are not announced, and their blobs are not sent.
    package var mayRead: @Sendable (FilteredRevision) -> Bool
    /// Returns whether the client may store a revision over the current one, which is `nil` if the document does not exist. Otherwise the
    /// revision is refused with {HTTP, 403}.
    package var mayStore: @Sendable (_ new: FilteredRevision, _ current: FilteredRevision?) -> Bool
    /// Returns the body with which a tombstone is stored that the client has sent, so that readers of the document learn about its
    /// deletion.
    package var tombstone: @Sendable (_ new: FilteredRevision, _ current: FilteredRevision) throws -> OwnedBody

    package init(
        mayRead: @escaping @Sendable (FilteredRevision) -> Bool,
        mayStore: @escaping @Sendable (FilteredRevision, FilteredRevision?) -> Bool,
        tombstone: @escaping @Sendable (FilteredRevision, FilteredRevision) throws -> OwnedBody
    ) {
        self.mayRead = mayRead
        self.mayStore = mayStore
        self.tombstone = tombstone
    }
}

extension ReplicaCollection {
    /// Returns the current revision of a document, including a tombstone; `nil` if the document does not exist.
    func currentRevision(of documentID: String) throws -> FilteredRevision? {
        guard let record = try store.document(documentID, includingDeleted: true) else { return nil }
        return FilteredRevision(
            documentID: documentID,
            revision: record.revision,
            isDeleted: record.isDeleted,
            body: record.body,
            sharedKeys: record.sharedKeys
        )
    }

    /// Returns whether a client may read the current revision of a document. A document that does not exist may be read.
    func isReadable(_ documentID: String, by access: PassiveAccess?) throws -> Bool {
        guard let access, let current = try currentRevision(of: documentID) else { return true }
        return access.mayRead(current)
    }
}
