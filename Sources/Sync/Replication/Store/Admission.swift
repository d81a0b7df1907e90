package import DocumentStore
import Fleece

/// What a client may store in a collection, with the rights that it has at the moment.
package protocol StoringRights {
    /// Returns whether the client may store a revision, as it was sent, over the current one, which is `nil` if the document does not exist.
    /// Requires that the client may read the current one.
    func mayStore(_ new: FilteredRevision, over current: FilteredRevision?) -> Bool

    /// Returns the body with which a tombstone is stored that the client has sent, so that readers of the document learn about its deletion.
    func tombstone(_ new: OwnedBody, over current: FilteredRevision) throws -> OwnedBody

    /// Whether the client may refer to all stored content, because it may read all documents.
    var mayUseAllContent: Bool { get }
}

/// The form in which a revision of a client is stored.
///
/// This is the only place that decides about it, for each kind of revision: new ones and those made elsewhere, tombstones and deltas, of REST and
/// of sync. A client may read the revisions that it has stored. So it may only refer to content that it has sent, or that the current
/// revision has, which it may read. Otherwise a user could read the content of any document whose digest is known.
package struct Admission {
    /// The body to store.
    package let body: OwnedBody
    /// The content to which the body refers although the client has not shown that it may read it. The client has to send it first.
    package let unproven: Set<BlobDigest>

    /// - Parameters:
    ///   - new: The revision as it was sent. What its properties `contents` and `sentBlobs` contain counts as sent.
    ///   - current: The current revision of the document, including a tombstone. Must be read in the transaction that stores the new one.
    /// - Throws: ``AdmissionRefusal``; the errors of the database.
    package init(_ new: ReceivedRevision, over current: FilteredRevision?, _ rights: any StoringRights) throws {
        guard rights.mayStore(FilteredRevision(new), over: current) else { throw AdmissionRefusal.noAccess }
        if new.isDeleted, let current { body = try rights.tombstone(new.body, over: current) } else { body = new.body }
        guard body.hasBlobs else {
            unproven = []
            return
        }
        guard let digests = ContentDigests(body.data, body.keys) else { throw AdmissionRefusal.invalidDigest }
        guard !rights.mayUseAllContent else {
            unproven = []
            return
        }
        let sent = digests.all.subtracting(new.contents.digests).subtracting(new.sentBlobs)
        unproven =
            sent.isEmpty ? [] : sent.subtracting(current.flatMap { ContentDigests($0.body, $0.sharedKeys, skipsInvalid: true)?.all } ?? [])
    }
}

/// The reason why a client may not store a revision.
package enum AdmissionRefusal: Error {
    /// The client may not read the current revision, or may not write to the channels of the new one.
    case noAccess
    /// A blob or an attachment has a digest that no content can have.
    case invalidDigest
}

/// The content to which a body refers.
private struct ContentDigests {
    private(set) var all: Set<BlobDigest> = []

    /// Returns `nil` if the body contains a digest that is not valid, unless these are skipped.
    init?(_ body: FleeceData, _ keys: SharedKeys, skipsInvalid: Bool = false) {
        var isValid = true
        var found: Set<BlobDigest> = []
        body.withRoot { root in
            BlobReferences.forEach(in: root, sharedKeys: keys) { dictionary in
                if let digest = BlobDictionary.digest(in: dictionary, sharedKeys: keys) {
                    found.insert(digest)
                } else if dictionary.value(for: BlobDictionary.digestKey, sharedKeys: keys) != nil {
                    isValid = false
                }
            }
        }
        guard isValid || skipsInvalid else { return nil }
        all = found
    }
}

extension FilteredRevision {
    init(_ received: ReceivedRevision) {
        self.init(
            documentID: received.documentID,
            revision: received.revision,
            isDeleted: received.isDeleted,
            body: received.body.data,
            sharedKeys: received.body.keys
        )
    }

    /// Creates the current revision of a document.
    ///
    /// - Parameter name: The ID by which clients know the revision; `nil` for the stored one.
    package init(_ record: DocumentRecord, as name: RevisionID? = nil) {
        self.init(
            documentID: record.id,
            revision: name ?? record.revision,
            isDeleted: record.isDeleted,
            body: record.body,
            sharedKeys: record.sharedKeys
        )
    }
}
