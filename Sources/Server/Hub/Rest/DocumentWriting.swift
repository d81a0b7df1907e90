#if Replication
import DocumentStore
import Base
import Fleece
import Replication
import WebServer

/// Stores the documents of requests, with the user's access checked in the same transaction.
struct DocumentWriting {
    let keyspace: Keyspace
    /// Returns what the user may do now.
    let access: @Sendable () throws -> HubAccess

    /// What has been stored.
    struct Stored {
        let revision: RevisionID
        /// The version of the revision, if the database has version vectors and it is the current revision.
        let version: Version?
    }

    /// Stores a new revision that is a child of the current one.
    ///
    /// - Parameters:
    ///   - base: The revision that the client has changed; `nil` for a new document.
    /// - Throws: ``WebError`` 409 if the current revision is another one, 403 if the user has no access.
    func store(_ input: DocumentInput, as documentID: String, base: String?) throws -> Stored {
        guard DocumentIdentifier.isValid(documentID), !documentID.beginsExactly(with: "_") else {
            throw HubError.badRequest("The ID of the document is not valid")
        }
        let hasVersions = try keyspace.replica.view.isTrees
        if let base, (hasVersions ? RevisionID(base) : RevisionID(tree: base)) == nil {
            throw HubError.badRequest("The ID of the revision is not valid")
        }
        let content = input.content
        let verified = try verifiedBlobs(content.blobs, of: input, as: documentID)
        return try keyspace.database.file.transaction { writer in
            let access = try self.access()
            let current = try keyspace.current(documentID)
            let live = current.flatMap { $0.isDeleted ? nil : $0 }
            if let current, !access.mayRead(current.channels) { throw HubError.forbidden }
            if let base {
                guard let current, current.wanted(base) == current.revision else { throw HubError.conflict }
            } else if live != nil {
                throw HubError.exists
            } else if input.isDeleted, current != nil {
                throw HubError.missing
            }
            func id(of body: OwnedBody) -> RevisionID {
                RevisionID.generated(parent: current?.revision, isDeleted: input.isDeleted, body: body.data)
            }
            var received = revision(id(of: content.body), of: documentID, [current?.revision].compactMap(\.self), input, content.body)
            received.body = try admitted(received, access, content.blobs, verified, over: current)
            // Only the body of a tombstone is changed.
            if input.isDeleted { received.revision = id(of: received.body) }
            return try insert(received, input, over: current, in: writer)
        }
    }

    /// Stores a revision that was made elsewhere, with its history (`new_edits=false`). A revision that would be a conflict is refused.
    func store(existing input: DocumentInput, as documentID: String) throws -> Stored {
        guard DocumentIdentifier.isValid(documentID), !documentID.beginsExactly(with: "_") else {
            throw HubError.badRequest("The ID of the document is not valid")
        }
        var history = input.history
        if history.isEmpty, let text = input.revision {
            guard let id = RevisionID(tree: text) else { throw HubError.badRequest("The ID of the revision is not valid") }
            history = [id]
        }
        guard let id = history.first else { throw HubError.badRequest("new_edits=false requires _rev or _revisions") }
        let content = input.content
        let verified = try verifiedBlobs(content.blobs, of: input, as: documentID)
        return try keyspace.database.file.transaction { writer in
            let access = try self.access()
            let current = try keyspace.current(documentID)
            var received = revision(id, of: documentID, Array(history.dropFirst()), input, content.body)
            received.isFromClient = true
            received.body = try admitted(received, access, content.blobs, verified, over: current)
            return try insert(received, input, over: current, in: writer)
        }
    }

    private func revision(
        _ id: RevisionID,
        of documentID: String,
        _ history: [RevisionID],
        _ input: DocumentInput,
        _ body: OwnedBody
    ) -> ReceivedRevision {
        var received = ReceivedRevision(
            documentID: documentID,
            revision: id,
            history: history,
            isDeleted: input.isDeleted,
            body: body,
            allowsConflict: false
        )
        received.contents = input.uploaded
        return received
    }

    /// Stores a revision whose access was checked, with the contents of its new attachments, and sets when the document expires.
    private func insert(
        _ received: ReceivedRevision,
        _ input: DocumentInput,
        over current: StoredRevision?,
        in writer: Writer
    ) throws -> Stored {
        var isCurrent = true
        switch try keyspace.store.insert(received, remote: nil, in: writer) {
        case .inserted:
            // Before the commit, after which a client may request the revision that is replaced.
            if let current { keyspace.database.replaced.keep(FilteredRevision(current), of: keyspace.id, in: keyspace.database.name) }
        // The version of a later revision would let the client replace that one without having seen it.
        case .known, .ignoredAsLate: isCurrent = current?.revision == received.revision
        case .refusedAsConflict: throw HubError.conflict
        case .generationTooHigh: throw HubError.badRequest("The generation of the revision is too high: no other one could follow it")
        case .invalidHistory, .invalidTime: throw HubError.badRequest("The ID of the revision, or _revisions, is not valid")
        }
        try keyspace.setExpiration(of: received.documentID, input, over: current, in: writer)
        return Stored(revision: received.revision, version: try isCurrent ? keyspace.version(of: received.documentID) : nil)
    }

    /// Reads and verifies the blobs that are new to the document and that the request does not contain. Called before the transaction, for
    /// which other writers wait. Returns whether each of them is stored.
    private func verifiedBlobs(_ blobs: [BlobReference], of input: DocumentInput, as documentID: String) throws -> [BlobDigest: Bool] {
        // Other users may only refer to blobs that the document has.
        guard !blobs.isEmpty, try access().hasAllChannels else { return [:] }
        let known = try keyspace.current(documentID).map { Self.digests(of: $0) } ?? []
        var verified: [BlobDigest: Bool] = [:]
        for digest in blobs.map(\.digest) where !input.uploaded.digests.contains(digest) && !known.contains(digest) {
            verified[digest] = try keyspace.database.file.blobs.ensureStored(digest)
        }
        return verified
    }

    /// Returns the body with which a revision is stored, after checking that the user may store it and that its content exists.
    ///
    /// - Parameter verified: Whether blobs that are new to the document were stored before the transaction.
    private func admitted(
        _ new: ReceivedRevision,
        _ access: HubAccess,
        _ blobs: [BlobReference],
        _ verified: [BlobDigest: Bool],
        over current: StoredRevision?
    ) throws -> OwnedBody {
        let rights = HubStoringRights(access: access, rule: keyspace.rule, mayUseAllContent: access.hasAllChannels)
        let admission: Admission
        do {
            admission = try Admission(new, over: current.map { FilteredRevision($0) }, rights)
        } catch AdmissionRefusal.noAccess {
            throw HubError.forbidden
        } catch AdmissionRefusal.invalidDigest {
            throw Self.missingContent
        }
        // The response does not tell whether it is stored.
        guard admission.unproven.isEmpty else { throw Self.missingContent }
        guard admission.body.hasBlobs else { return admission.body }
        let known = current.map { Self.digests(of: $0) } ?? []
        let stored = keyspace.database.file.blobs
        for digest in blobs.map(\.digest) where !new.contents.digests.contains(digest) {
            let isStored: Bool
            if known.contains(digest) || verified[digest] == true {
                // Maintenance may have removed the file since.
                isStored = try stored.stillHolds(digest)
            } else if verified[digest] == false {
                isStored = false
            } else {
                // Another request has removed the blob from the document, or the user has got all channels, since the others were verified.
                isStored = try stored.ensureStored(digest)
            }
            guard isStored else { throw Self.missingContent }
        }
        return admission.body
    }

    private static func digests(of revision: StoredRevision) -> Set<BlobDigest> {
        revision.body.withRoot { BlobReferences.digests(in: $0, sharedKeys: revision.keys) } ?? []
    }

    static let missingContent = WebError(412, "The content of an attachment is missing, and must be sent")
}

extension FilteredRevision {
    init(_ stored: StoredRevision) {
        self.init(DocumentRecord(stored.documentID, stored.revision, isDeleted: stored.isDeleted, stored.body, stored.keys))
    }
}
#endif
