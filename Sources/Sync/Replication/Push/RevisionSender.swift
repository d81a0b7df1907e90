import BLIP
import DocumentStore
import Fleece
import SyncCore

/// Builds the messages that carry revisions (Replication 3.8, 3.9). Used by active and passive pushers.
struct RevisionSender {
    let collection: ReplicaCollection
    /// The property `collection`; `nil` on connections without named collections.
    let collectionIndex: String?
    let naming: RevisionNaming
    /// Whether deltas may be sent to peers that accept them.
    let usesDeltas: Bool
    /// What the client of a passive session may read. `nil` allows all.
    let access: PassiveAccess?

    init(_ collection: ReplicaCollection, index: Int?, _ naming: RevisionNaming, usesDeltas: Bool, access: PassiveAccess? = nil) {
        self.collection = collection
        self.naming = naming
        self.access = access
        collectionIndex = index.map { String($0) }
        self.usesDeltas = usesDeltas
    }

    struct Order {
        var documentID: String
        var revision: RevisionID
        var sequence: UInt64
        /// The sequence in JSON, if the peer was told another one than ``sequence``.
        var announcedSequence: String?
        /// The revisions of the document that the peer has, the best base of a delta first.
        var knownAncestors: [RevisionID] = []
        /// Whether the peer should refuse the revision if it would be a conflict.
        var refusesConflicts = false
        /// Whether the complete body must be sent, because a delta was refused.
        var isWhole = false
        /// Whether the client was told that it may not read the document anymore.
        var isLost = false

        var sequenceText: String { announcedSequence ?? String(sequence) }
    }

    enum PreparedRevision {
        case revision(OutgoingMessage, isDelta: Bool, size: Int, blobs: Set<BlobDigest>)
        /// The revision cannot be sent. The message tells the peer; the error contains the reason, which is 404 or 410 if the document has
        /// changed.
        case unavailable(OutgoingMessage, SyncError)
    }

    /// Reads a revision and builds its message. A database error only concerns this revision.
    func prepare(for order: Order, to peer: PeerAbilities) -> PreparedRevision {
        do {
            // The rights may have changed since the document was announced.
            if try order.isLost || !collection.isReadable(order.documentID, by: access) { return removed(order) }
            let revision = try collection.revision(order.revision, of: order.documentID)
            guard let revision, revision.isCurrent else {
                let isThere = try revision != nil || collection.change(of: order.documentID, remote: nil) != nil
                if isThere { return unavailable(order, SyncError(webSocket: .gone, "the document has a newer revision")) }
                return unavailable(order, SyncError(webSocket: .notFound, "the document does not exist anymore"))
            }
            return try prepare(of: revision, for: order, to: peer)
        } catch {
            return unavailable(order, SyncError(error))
        }
    }

    private func prepare(of revision: OutgoingRevision, for order: Order, to peer: PeerAbilities) throws -> PreparedRevision {
        let delta = usesDeltas && peer.takesDeltas && !order.isWhole ? delta(of: revision, for: order, to: peer) : nil
        let body =
            if let delta { delta.json } else if revision.hasAttachments, !peer.findsBlobs {
                try OutgoingBody.jsonWithAttachments(revision.body, revision.sharedKeys, generation: revision.revision.generation)
            } else { try OutgoingBody.json(revision.body, revision.sharedKeys) }

        var pairs: [(name: String, value: String)] = [("Profile", Profile.rev)]
        pairs.reserveCapacity(10)
        if let collectionIndex { pairs.append(("collection", collectionIndex)) }
        pairs.append(("id", order.documentID))
        pairs.append(("rev", naming.text(order.revision)))
        pairs.append(("sequence", order.sequenceText))
        if revision.isDeleted { pairs.append(("deleted", "1")) }
        let ancestors = history(of: revision, for: order, to: peer)
        if !ancestors.isEmpty { pairs.append(("history", ancestors)) }
        if let name = revision.treeName { pairs.append((Properties.treeName, name.description)) }
        if order.refusesConflicts { pairs.append(("noconflicts", "1")) }
        if let delta { pairs.append(("deltaSrc", naming.text(delta.base))) }
        let message = OutgoingMessage(Properties(pairs: pairs), body: body, isCompressed: true)
        return .revision(message, isDelta: delta != nil, size: body.count, blobs: revision.blobs)
    }

    private func history(of revision: OutgoingRevision, for order: Order, to peer: PeerAbilities) -> String {
        guard !revision.history.isEmpty else { return "" }
        guard case .tree = revision.revision else { return naming.history(of: revision, isKnown: order.knownAncestors.contains) }
        return RevisionHistory.ancestors(
            of: order.revision,
            revision.history,
            maximum: peer.maximumHistory,
            fillsGaps: !peer.findsBlobs,
            isKnown: order.knownAncestors.contains
        ).joined(separator: ",")
    }

    // MARK: Deltas

    /// The minimum size of a body for a delta, in bytes as stored (Replication 4.13).
    private static let minimumBodySizeForDelta = 200

    /// Returns a delta from a revision that the peer has; `nil` if there is no base or the delta is not smaller (Replication 4.8).
    private func delta(of revision: OutgoingRevision, for order: Order, to peer: PeerAbilities) -> (base: RevisionID, json: [UInt8])? {
        guard !revision.isDeleted, revision.body.bytes.count >= Self.minimumBodySizeForDelta else { return nil }
        // If anything fails here, the complete body is sent, so errors are ignored.
        for base in order.knownAncestors {
            guard let old = try? collection.body(of: base, documentID: order.documentID),
                old.0.root?.dictionary.map({ $0.pairCount > 0 }) == true,
                // A delta shows what its base contains.
                access == nil || (try? access?.mayRead(collection.id, base, of: order.documentID, old)) == true
            else { continue }
            let json = try? delta(from: old, base, to: revision, for: peer)
            guard let json, json.count * 5 <= revision.body.bytes.count * 6 else { return nil }
            return (base, json)
        }
        return nil
    }

    private func delta(
        from base: (FleeceData, SharedKeys),
        _ baseRevision: RevisionID,
        to revision: OutgoingRevision,
        for peer: PeerAbilities
    ) throws -> [UInt8]? {
        var (old, oldKeys) = base
        var (new, newKeys) = (revision.body, revision.sharedKeys)
        if !peer.findsBlobs {
            // Both bodies need the form that the peer has, with `_attachments`.
            old = try .parsing(json: OutgoingBody.jsonWithAttachments(old, oldKeys, generation: baseRevision.generation))
            new = try .parsing(json: OutgoingBody.jsonWithAttachments(new, newKeys, generation: revision.revision.generation))
            (oldKeys, newKeys) = (.empty, .empty)
        }
        return try old.withRoot { old in try new.withRoot { new in try Delta.json(from: old, oldKeys, to: new, newKeys) } ?? nil } ?? nil
    }

    // MARK: Revisions that cannot be sent

    /// Returns the message for a document that the client may not read anymore: its body says so (Replication 4.6).
    private func removed(_ order: Order) -> PreparedRevision {
        var properties: Properties = ["Profile": Profile.rev]
        properties["collection"] = collectionIndex
        properties["id"] = order.documentID
        properties["rev"] = naming.text(order.revision)
        properties["sequence"] = order.sequenceText
        let body = JSONWriter.object(["_removed": true]).byteArray
        return .revision(OutgoingMessage(properties, body: body), isDelta: false, size: body.count, blobs: [])
    }

    private func unavailable(_ order: Order, _ error: SyncError) -> PreparedRevision {
        let status = error.domain == .webSocket ? error.code : 500
        var properties: Properties = ["Profile": Profile.norev]
        properties["collection"] = collectionIndex
        properties["id"] = order.documentID
        properties["rev"] = naming.text(order.revision)
        properties["sequence"] = order.sequenceText
        properties["error"] = String(status)
        if !error.message.isEmpty { properties["reason"] = error.message }
        return .unavailable(OutgoingMessage(properties, isNoReply: true), error)
    }
}
