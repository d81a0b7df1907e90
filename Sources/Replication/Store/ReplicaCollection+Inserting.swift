package import DocumentStore
import Fleece
package import SyncCore

/// What became of a received revision (Replication 4.6).
package enum InsertOutcome: Equatable, Sendable {
    /// It is stored. A conflict leaves the local revision the current one, and is to be resolved.
    case inserted(sequence: UInt64, isConflict: Bool)
    /// It was here already.
    case known
    /// The remote has had a later one since, which is here. Nothing was changed.
    case ignoredAsLate
    /// It is not stored, for a blob that it refers to is not here.
    case lacksBlobs
    /// It is not stored; the others of the transaction are.
    case failed(SyncError)
}

extension ReplicaCollection {
    /// Stores received revisions in one transaction (Replication 4.6, "Insert semantics").
    ///
    /// First revisions cost hardly more than plain saves.
    ///
    /// - Parameters:
    ///   - remote: The number of the remote where they are current; nil when that is of no concern.
    ///   - requiresBlobs: Whether it is made sure that all blobs are here. They may have been removed since they came, for nothing
    ///     referred to them; not any more, once the transaction has begun.
    /// - Returns: What became of each, in order.
    /// - Throws: What concerns the transaction as a whole: nothing is stored then.
    package func insert(_ revisions: [ReceivedRevision], remote: Int?, requiresBlobs: Bool = false) throws -> [InsertOutcome] {
        guard !revisions.isEmpty else { return [] }
        return try database.transaction { writer in
            try revisions.map { revision in
                if requiresBlobs, try lacksBlobs(revision.body) { return .lacksBlobs }
                do {
                    return InsertOutcome(try store.insert(revision, remote: remote, in: writer))
                } catch let error where Self.concernsOneDocument(error) {
                    return .failed(SyncError(error))
                }
            }
        }
    }

    private func lacksBlobs(_ body: OwnedBody) throws -> Bool {
        guard body.hasBlobs else { return false }
        let digests = body.data.withRoot { BlobReferences.digests(in: $0, sharedKeys: body.keys) } ?? []
        return try digests.contains { try !database.blobs.contains($0) }
    }

    private static func concernsOneDocument(_ error: any Error) -> Bool {
        switch error {
        case StoreError.invalidDocumentID, StoreError.reservedKey, StoreError.corruptDocument, StoreError.conflict: true
        default: error is FleeceError
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
            case .refusedAsConflict: .failed(SyncError(.liteCore, 8, "the revision would be a conflict"))
            case .invalidHistory:
                .failed(SyncError(.liteCore, 4, "the generations of the revision's history are not in order"))
            }
    }
}
