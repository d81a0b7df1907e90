package import DocumentStore
package import Fleece

/// A revision passed to a filter.
package struct FilteredRevision {
    package let documentID: String
    package let revision: RevisionID
    package let isDeleted: Bool
    package var isAccessRemoved = false
    /// The properties of the document, a Fleece dictionary.
    package let body: FleeceData
    package let sharedKeys: SharedKeys

    package var record: DocumentRecord { DocumentRecord(documentID, revision, isDeleted: isDeleted, body, sharedKeys) }
}
