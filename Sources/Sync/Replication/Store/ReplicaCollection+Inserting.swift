package import DocumentStore
import Fleece
package import SyncCore

/// The result of storing one received revision (Replication 4.6).
package enum InsertOutcome: Equatable, Sendable {
    /// The revision was stored. If it is a conflict, the local revision stays the current one and the conflict has to be resolved.
    case inserted(sequence: UInt64, isConflict: Bool)
    /// The database already has this revision, so that it was not stored again.
    case known
    /// The database already has a later revision of the remote. Nothing was changed.
    case ignoredAsLate
    /// The revision was not stored because a blob that it refers to is missing, or because the client must send it first.
    case lacksBlobs
    /// The revision was not stored; the other revisions of the transaction were.
    case failed(SyncError)
}

extension ReplicaCollection {
    /// Stores received revisions in one transaction (Replication 4.6, "Insert semantics").
    ///
    /// The first revision of a document costs hardly more than a plain save.
    ///
    /// - Parameters:
    ///   - remote: The number of the remote where the revisions are current; `nil` if this is not recorded.
    ///   - requiresBlobs: Whether to check that all blobs exist whose contents did not come with their revisions. They may have been removed since they were received, because no document
    ///     referred to them; during the transaction they cannot be removed.
    ///   - access: What the client may store that has sent the revisions; `nil` allows all.
    /// - Returns: The outcome of each revision, in order.
    /// - Throws: An error that concerns the whole transaction. Nothing is stored then.
    package func insert(
        _ revisions: [ReceivedRevision],
        remote: Int?,
        requiresBlobs: Bool = false,
        access: PassiveAccess? = nil
    ) throws -> [InsertOutcome] {
        guard !revisions.isEmpty else { return [] }
        return try database.transaction { writer in
            try revisions.map { revision -> InsertOutcome in
                do {
                    var revision = revision
                    let current = try access == nil ? nil : currentRevision(of: revision.documentID)
                    if let access, try !admit(&revision, over: current, access) { return .lacksBlobs }
                    if requiresBlobs, try lacksBlobs(revision) { return .lacksBlobs }
                    let outcome = InsertOutcome(try store.insert(revision, remote: remote, in: writer))
                    if case .inserted = outcome, let current { access?.replaced(id, current) }
                    return outcome
                } catch let error where Self.concernsOneDocument(error) {
                    return .failed(SyncError(error))
                }
            }
        }
    }

    /// Gives a revision the body with which it is stored for a client. Returns `false` if the client must send blobs first.
    private func admit(_ revision: inout ReceivedRevision, over current: FilteredRevision?, _ access: PassiveAccess) throws -> Bool {
        let admission = try Admission(revision, over: current, access.storing(id))
        revision.body = admission.body
        return admission.unproven.isEmpty
    }

    private func lacksBlobs(_ revision: ReceivedRevision) throws -> Bool {
        let body = revision.body
        guard body.hasBlobs else { return false }
        let digests = body.data.withRoot { BlobReferences.digests(in: $0, sharedKeys: body.keys) } ?? []
        return try digests.subtracting(revision.contents.digests).contains { try !database.blobs.stillHolds($0) }
    }

    private static func concernsOneDocument(_ error: any Error) -> Bool {
        switch error {
        case StoreError.invalidDocumentID, StoreError.reservedKey, StoreError.corruptDocument, StoreError.conflict: true
        default: error is FleeceError || error is AdmissionRefusal || (error as? SyncError)?.domain == .http
        }
    }
}

extension InsertOutcome {
    fileprivate init(_ outcome: ReceivedRevisionOutcome) {
        self =
            switch outcome {
            case .inserted(let sequence, let isConflict): .inserted(sequence: sequence, isConflict: isConflict)
            case .known: .known
            case .ignoredAsLate: .ignoredAsLate
            case .refusedAsConflict: .failed(SyncError(engine: .conflict, "the revision would be a conflict"))
            case .invalidTime(let error): .failed(SyncError(engine: .badRevisionID, error.description))
            case .generationTooHigh:
                .failed(SyncError(engine: .badRevisionID, "the generation of the revision is too high: no other one could follow it"))
            case .invalidHistory:
                .failed(SyncError(engine: .badRevisionID, "the generations in the revision's history are not in descending order"))
            }
    }
}
