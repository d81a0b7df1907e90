#if Replication
import DocumentStore
import Base
import Fleece
import Replication

/// Knows which documents a user was able to read before: those that the feed of the user lists as removed or revoked. As Sync Gateway, the hub
/// responds to a request for such a revision that it is removed, so that the client can go on.
struct LostAccess: Sendable {
    let keyspace: Keyspace
    let channels: ChannelIndexes
    /// Returns what the user may do now, with the history of the user's channels.
    let rights: @Sendable () throws -> FeedRights

    /// Returns whether the user was able to read a document that the user may not read now.
    func couldRead(_ current: StoredRevision) throws -> Bool {
        let index = try channels.index(of: keyspace.id, in: keyspace.database)
        // The document may have been changed since the last feed.
        _ = try index.update(keyspace.replica)
        let earlier = try rights().history.earlier(since: 0)
        let presence = try index.presence(of: current.documentID, in: current.channels)
        if !earlier.shared(presence).isEmpty || !earlier.shared(presence.left).isEmpty { return true }
        return index.moved(after: 0, upTo: .max).contains { moved in
            moved.documentID.isExactly(current.documentID) && !earlier.shared(ChannelIndex.entered(moved.left, moved.times)).isEmpty
        }
    }

    /// Returns a revision that the document has or had; `nil` if the user was never able to read the document, or the revision is not known.
    func revision(_ text: String, of documentID: String) throws -> RemovedRevision? {
        guard let id = RevisionID(tree: text), let current = try keyspace.current(documentID),
            let history = try keyspace.history(of: documentID, from: id)
        else { return nil }
        // Who may read the current revision sees the IDs of the others in its history.
        guard try rights().access.mayRead(current.channels) || couldRead(current) else { return nil }
        return RemovedRevision(documentID: documentID, revision: id, history: Array(history.dropFirst()))
    }
}

/// A revision that a user may not read anymore.
struct RemovedRevision {
    let documentID: String
    let revision: RevisionID
    /// The ancestors, newest first.
    let history: [RevisionID]

    /// Appends `{"_id":…,"_rev":…,"_removed":true}`, with `_revisions` if requested.
    func append(_ parts: StoredRevision.Parts, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.members(["_id": documentID, "_rev": revision.description, "_removed": true])
            if parts.hasHistory { StoredRevision.append([revision] + history, parts, to: &writer) }
        }
    }
}
#endif
