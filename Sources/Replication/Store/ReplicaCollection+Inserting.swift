package import BLIP
package import DocumentStore
import Fleece
import SQLiteEngine

/// What became of a received revision (Replication 4.6).
package enum InsertOutcome: Equatable, Sendable {
    /// It is stored. A conflict leaves the local revision the current one, and is to be resolved.
    case inserted(sequence: UInt64, isConflict: Bool)
    /// It was here already.
    case known
    /// It was here already, and the remote has had a later one since.
    case ignoredAsLate
    /// It is not stored; the others of the transaction are.
    case failed(SyncError)
}

extension ReplicaCollection {
    /// Stores received revisions in one transaction (Replication 4.6, "Insert semantics").
    ///
    /// First revisions cost hardly more than plain saves.
    ///
    /// - Parameter remote: The number of the remote where they are current; nil when that is of no concern.
    /// - Returns: What became of each, in order.
    /// - Throws: What concerns the transaction as a whole: nothing is stored then.
    package func insert(_ revisions: [ReceivedRevision], remote: Int?) throws -> [InsertOutcome] {
        guard !revisions.isEmpty else { return [] }
        return try database.transaction { writer in
            try revisions.map { revision in
                do {
                    return InsertOutcome(try store.insert(revision, remote: remote, in: writer))
                } catch let error where Self.concernsOneDocument(error) {
                    return .failed(SyncError(error))
                }
            }
        }
    }

    private static func concernsOneDocument(_ error: any Error) -> Bool {
        switch error {
        case StoreError.invalidDocumentID, StoreError.reservedKey, StoreError.corruptDocument, StoreError.conflict: true
        default: error is FleeceError
        }
    }

    /// Applies a delta to a body that is here (Replication 4.8).
    ///
    /// - Parameters:
    ///   - json: The delta, as it came.
    ///   - base: The revision that it changes.
    /// - Returns: The new body; nil when the body of the base is here no more, and the peer must send the whole.
    /// - Throws: `JSONError` or `DeltaError` when the delta is no good.
    package func applyDelta(_ json: [UInt8], to base: RevisionID, of documentID: String) throws -> OwnedBody? {
        guard let (old, keys) = try body(of: base, documentID: documentID) else { return nil }
        let delta = try json.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
        return try database.file.withBodyEncoder { encoder in
            try delta.withRoot { delta in
                try old.withRoot { old in
                    try Delta.apply(delta, to: old, keys, into: &encoder.encoder)
                    return try encoder.finishOwned()
                }
            } ?? nil
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
