#if Replication
import DocumentStore
import ExactStrings
import Fleece
import Replication
import WebServer

/// Stores the documents of requests, with the user's access checked in the same transaction.
struct DocumentWriting {
    let keyspace: Keyspace
    /// Returns what the user may do now.
    let access: @Sendable () throws -> HubAccess

    /// Stores a new revision that is a child of the current one.
    ///
    /// - Parameters:
    ///   - base: The revision that the client has changed; `nil` for a new document.
    /// - Returns: The ID of the revision.
    /// - Throws: ``WebError`` 409 if the current revision is another one, 403 if the user has no access.
    func store(_ input: DocumentInput, as documentID: String, base: String?) throws -> RevisionID {
        guard DocumentIdentifier.isValid(documentID), !documentID.beginsExactly(with: "_") else {
            throw HubError.badRequest("The ID of the document is not valid")
        }
        let baseID = try base.map { text in
            guard let id = RevisionID(text) else { throw HubError.badRequest("The ID of the revision is not valid") }
            return id
        }
        let content = try content(input.json)
        let verified = try verifiedBlobs(content.blobs, of: input, as: documentID)
        var body = content.body
        return try keyspace.database.file.transaction { writer in
            let access = try access()
            let current = try keyspace.current(documentID)
            let live = current.flatMap { $0.isDeleted ? nil : $0 }
            if let current, !access.mayRead(current.channels) { throw HubError.forbidden }
            if let baseID {
                guard let current else { throw HubError.conflict }
                guard current.revision == baseID else { throw HubError.conflict }
            } else if live != nil {
                throw HubError.exists
            } else if input.isDeleted, current != nil {
                throw HubError.missing
            }
            if input.isDeleted, let current { body = try keyspace.rule.tombstone(body, over: (current.body, current.keys)) }
            try check(access, body, content.blobs, verified, of: input, over: current)
            let id = RevisionID.generated(parent: current?.revision, isDeleted: input.isDeleted, body: body.data)
            return try insert(id, of: documentID, history: current.map { [$0.revision] } ?? [], input, body, over: current, in: writer)
        }
    }

    /// Stores a revision that was made elsewhere, with its history (`new_edits=false`). A revision that would be a conflict is refused.
    func store(existing input: DocumentInput, as documentID: String) throws -> RevisionID {
        guard DocumentIdentifier.isValid(documentID), !documentID.beginsExactly(with: "_") else {
            throw HubError.badRequest("The ID of the document is not valid")
        }
        var history = input.history
        if history.isEmpty, let id = input.revision.flatMap({ RevisionID($0) }) { history = [id] }
        guard let id = history.first else { throw HubError.badRequest("new_edits=false requires _rev or _revisions") }
        let content = try content(input.json)
        let verified = try verifiedBlobs(content.blobs, of: input, as: documentID)
        var body = content.body
        return try keyspace.database.file.transaction { writer in
            let access = try access()
            let current = try keyspace.current(documentID)
            if input.isDeleted, let current { body = try keyspace.rule.tombstone(body, over: (current.body, current.keys)) }
            try check(access, body, content.blobs, verified, of: input, over: current)
            return try insert(id, of: documentID, history: Array(history.dropFirst()), input, body, over: current, in: writer)
        }
    }

    /// Stores a revision whose access was checked, with the contents of its new attachments, and returns its ID.
    private func insert(
        _ id: RevisionID,
        of documentID: String,
        history: [RevisionID],
        _ input: DocumentInput,
        _ body: OwnedBody,
        over current: StoredRevision?,
        in writer: Writer
    ) throws -> RevisionID {
        var received = ReceivedRevision(
            documentID: documentID,
            revision: id,
            history: history,
            isDeleted: input.isDeleted,
            body: body,
            allowsConflict: false
        )
        received.contents = input.uploaded
        switch try keyspace.store.insert(received, remote: nil, in: writer) {
        case .inserted, .known, .ignoredAsLate: break
        case .refusedAsConflict: throw HubError.conflict
        case .invalidHistory: throw HubError.badRequest("The ID of the revision, or _revisions, is not valid")
        }
        try keyspace.setExpiration(of: documentID, input, over: current, in: writer)
        return id
    }

    private func content(_ json: [UInt8]) throws -> IncomingBody {
        guard case .body(let content) = try BodyReader(file: keyspace.database.file).content(json: json) else {
            throw HubError.badRequest("The document is not valid")
        }
        return content
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

    /// - Parameter verified: Whether blobs that are new to the document were stored before the transaction.
    private func check(
        _ access: HubAccess,
        _ body: OwnedBody,
        _ blobs: [BlobReference],
        _ verified: [BlobDigest: Bool],
        of input: DocumentInput,
        over current: StoredRevision?
    ) throws {
        let channels = keyspace.rule.channels(of: body.data, body.keys)
        guard access.mayStore(channels, isDeleted: input.isDeleted, over: current?.channels) else { throw HubError.forbidden }
        guard body.hasBlobs else { return }
        // Content of another user's document must not become readable because its digest is known. The response does not tell whether it is
        // stored.
        let known = current.map { Self.digests(of: $0) } ?? []
        if !access.hasAllChannels {
            let digests = body.data.withRoot { BlobReferences.digests(in: $0, sharedKeys: body.keys) } ?? []
            guard digests.isSubset(of: input.uploaded.digests.union(known)) else { throw Self.missingContent }
        }
        let stored = keyspace.database.file.blobs
        for digest in blobs.map(\.digest) where !input.uploaded.digests.contains(digest) {
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
    }

    private static func digests(of revision: StoredRevision) -> Set<BlobDigest> {
        revision.body.withRoot { BlobReferences.digests(in: $0, sharedKeys: revision.keys) } ?? []
    }

    private static let missingContent = WebError(412, "The content of an attachment is missing, and must be sent")
}
#endif
