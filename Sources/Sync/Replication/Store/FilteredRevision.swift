package import DocumentStore
package import Fleece

/// A revision passed to a filter.
package struct FilteredRevision {
    /// The ID of the document.
    package let documentID: String
    /// The ID of the revision.
    package let revision: RevisionID
    /// Whether the revision is a tombstone.
    package let isDeleted: Bool
    /// Whether the peer has sent it because the user has lost access to the document. The body is empty then.
    package var isAccessRemoved = false
    /// The properties of the document, a Fleece dictionary.
    package let body: FleeceData
    /// The list of keys to which the numbers in the body belong.
    package let sharedKeys: SharedKeys

    /// The revision as a record, whose sequence is not known.
    package var record: DocumentRecord { DocumentRecord(documentID, revision, isDeleted: isDeleted, body, sharedKeys) }
}
