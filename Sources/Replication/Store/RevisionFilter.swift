package import DocumentStore
package import Fleece

/// Returns whether a revision is replicated. Called on the executor of the session.
package typealias RevisionFilter = @Sendable (FilteredRevision) -> Bool

/// A revision passed to a filter.
package struct FilteredRevision {
    package let documentID: String
    package let revision: RevisionID
    package let isDeleted: Bool
    package let isAccessRemoved: Bool
    /// The properties of the document, a Fleece dictionary.
    package let body: FleeceData
    package let sharedKeys: SharedKeys

    package init(
        documentID: String,
        revision: RevisionID,
        isDeleted: Bool,
        isAccessRemoved: Bool = false,
        body: FleeceData,
        sharedKeys: SharedKeys
    ) {
        self.documentID = documentID
        self.revision = revision
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.body = body
        self.sharedKeys = sharedKeys
    }
}
