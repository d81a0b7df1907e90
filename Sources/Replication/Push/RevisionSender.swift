import BLIP
import DocumentStore
import Fleece
import SyncCore

/// Builds the messages that carry revisions (Replication 3.8, 3.9). Used by active and passive pushers.
struct RevisionSender {
    let collection: ReplicaCollection
    /// The property `collection`; `nil` on connections without named collections.
    let collectionIndex: String?
    /// Whether deltas may be sent to peers that accept them.
    let usesDeltas: Bool

    init(collection: ReplicaCollection, index: Int?, usesDeltas: Bool) {
        self.collection = collection
        collectionIndex = index.map { String($0) }
        self.usesDeltas = usesDeltas
    }

    /// A revision that a peer wants.
    struct Order {
        var documentID: String
        var revision: RevisionID
        var sequence: UInt64
        /// The revisions of the document that the peer has, the best base of a delta first.
        var knownAncestors: [RevisionID] = []
        /// Whether the peer should refuse the revision if it would be a conflict.
        var refusesConflicts = false
        /// Whether the complete body must be sent, because a delta was refused.
        var isWhole = false
    }

    /// The message to send for an order.
    enum PreparedRevision {
        case revision(OutgoingMessage, isDeleted: Bool, isDelta: Bool, size: Int, blobs: Set<BlobDigest>)
        /// The revision cannot be sent. The message tells the peer; the error contains the reason, which is 404 or 410 if the document has
        /// changed.
        case unavailable(OutgoingMessage, SyncError)
    }

    /// Reads a revision and builds its message. A database error only concerns this revision.
    func prepare(for order: Order, to peer: PeerAbilities) -> PreparedRevision {
        do {
            let revision = try collection.revision(order.revision, of: order.documentID)
            guard let revision, revision.isCurrent else {
                let isThere = try revision != nil || collection.change(of: order.documentID, remote: nil) != nil
                let error =
                    isThere
                    ? SyncError(webSocket: .gone, "the document has a newer revision")
                    : SyncError(webSocket: .notFound, "the document does not exist anymore")
                return unavailable(order, error)
            }
            return try prepare(of: revision, for: order, to: peer)
        } catch {
            return unavailable(order, SyncError(error))
        }
    }

    private func prepare(of revision: OutgoingRevision, for order: Order, to peer: PeerAbilities) throws
        -> PreparedRevision
    {
        let delta = usesDeltas && peer.takesDeltas && !order.isWhole ? delta(of: revision, for: order, to: peer) : nil
        let body = try delta?.json ?? json(of: revision.body, revision.sharedKeys, of: revision, to: peer)

        var pairs: [(name: String, value: String)] = [("Profile", Profile.rev)]
        pairs.reserveCapacity(9)
        if let collectionIndex { pairs.append(("collection", collectionIndex)) }
        pairs.append(("id", order.documentID))
        pairs.append(("rev", order.revision.description))
        pairs.append(("sequence", String(order.sequence)))
        if revision.isDeleted { pairs.append(("deleted", "1")) }
        if !revision.history.isEmpty {
            let ancestors = RevisionHistory.ancestors(
                of: order.revision,
                revision.history,
                maximum: peer.maximumHistory,
                fillsGaps: !peer.findsBlobs,
                isKnown: order.knownAncestors.contains
            )
            if !ancestors.isEmpty { pairs.append(("history", ancestors.joined(separator: ","))) }
        }
        if order.refusesConflicts { pairs.append(("noconflicts", "1")) }
        if let delta { pairs.append(("deltaSrc", delta.base.description)) }
        return .revision(
            OutgoingMessage(Properties(pairs: pairs), body: body, isCompressed: true),
            isDeleted: revision.isDeleted,
            isDelta: delta != nil,
            size: body.count,
            blobs: revision.blobs
        )
    }

    private func json(
        of body: FleeceData,
        _ keys: SharedKeys,
        of revision: OutgoingRevision,
        to peer: PeerAbilities
    ) throws(FleeceError) -> [UInt8] {
        guard revision.hasAttachments, !peer.findsBlobs else { return try OutgoingBody.json(body, keys) }
        return try OutgoingBody.jsonWithAttachments(body, keys, generation: revision.revision.generation)
    }

    // MARK: Deltas

    /// The minimum size of a body for a delta, in bytes as stored (Replication 4.13).
    private static let minimumBodySizeForDelta = 200

    /// Returns a delta from a revision that the peer has; `nil` if there is no base or the delta is not smaller (Replication 4.8).
    private func delta(of revision: OutgoingRevision, for order: Order, to peer: PeerAbilities) -> (base: RevisionID, json: [UInt8])? {
        guard !revision.isDeleted, revision.body.bytes.count >= Self.minimumBodySizeForDelta else { return nil }
        // If anything fails here, the complete body is sent, so errors are ignored.
        for base in order.knownAncestors {
            guard let (old, oldKeys) = try? collection.body(of: base, documentID: order.documentID),
                old.root?.dictionary.map({ $0.pairCount > 0 }) == true
            else { continue }
            let json = try? delta(from: (old, oldKeys), base, to: revision, for: peer)
            guard let json, json.count * 5 <= revision.body.bytes.count * 6 else { return nil }
            return (base, json)
        }
        return nil
    }

    private func delta(
        from old: (FleeceData, SharedKeys),
        _ base: RevisionID,
        to new: OutgoingRevision,
        for peer: PeerAbilities
    ) throws -> [UInt8]? {
        guard peer.findsBlobs else {
            // Both bodies need the form that the peer has, with `_attachments`.
            let oldJSON = try OutgoingBody.jsonWithAttachments(old.0, old.1, generation: base.generation)
            let newJSON = try OutgoingBody.jsonWithAttachments(new.body, new.sharedKeys, generation: new.revision.generation)
            return try delta(from: FleeceData.parsing(json: oldJSON), .empty, to: .parsing(json: newJSON), .empty)
        }
        return try delta(from: old.0, old.1, to: new.body, new.sharedKeys)
    }

    private func delta(from old: FleeceData, _ oldKeys: SharedKeys, to new: FleeceData, _ newKeys: SharedKeys) throws -> [UInt8]? {
        let delta = try old.withRoot { old in
            try new.withRoot { new in try Delta.json(from: old, oldKeys, to: new, newKeys) }
        }
        return delta ?? nil
    }

    // MARK: Revisions that cannot be sent

    private func unavailable(_ order: Order, _ error: SyncError) -> PreparedRevision {
        let status = error.domain == .webSocket ? error.code : 500
        var properties: Properties = ["Profile": Profile.norev]
        properties["collection"] = collectionIndex
        properties["id"] = order.documentID
        properties["rev"] = order.revision.description
        properties["sequence"] = String(order.sequence)
        properties["error"] = String(status)
        if !error.message.isEmpty { properties["reason"] = error.message }
        return .unavailable(OutgoingMessage(properties, isNoReply: true), error)
    }
}
