import BLIP
import Fleece

/// The request `subChanges`, with which a puller subscribes to changes (Replication 3.5).
struct SubChangesRequest {
    /// The maximum number of changes per message (Replication 4.13).
    static let batchSize = 200

    /// The index of the collection; `nil` on connections without named collections.
    var collection: Int?
    /// The last sequence that is completed; `nil` requests all changes.
    var since: RemoteSequence?
    var isContinuous = false
    /// Whether tombstones are omitted until the feed has caught up.
    var skipsTombstones = false
    var channels: [String]?
    var documentIDs: [String]?
    /// How the revisions of this database are named.
    var versioning = RevisionNaming.trees.versioning
    /// Whether the response should contain the peer's last sequence; see ``PullEstimate/property``.
    var wantsLastSequence = false

    var message: OutgoingMessage {
        var properties = Properties(Profile.subChanges, collection: collection)
        properties["since"] = since?.json
        if isContinuous { properties["continuous"] = "true" }
        properties["batch"] = String(Self.batchSize)
        properties["sendReplacementRevs"] = "true"
        properties["versioning"] = versioning
        if skipsTombstones { properties["activeOnly"] = "true" }
        // Documents that the user lost access to are announced, because they are reported even if they are not purged.
        properties["revocations"] = "true"
        if wantsLastSequence { properties[PullEstimate.property] = "true" }
        if let channels, !channels.isEmpty {
            properties["filter"] = "sync_gateway/bychannel"
            properties["channels"] = channels.joined(separator: ",")
        }
        guard let documentIDs, !documentIDs.isEmpty else { return OutgoingMessage(properties) }
        let body = JSONWriter.object(capacity: 32 * (documentIDs.count + 1)) { writer in
            writer.array("docIDs", documentIDs) { $0.append($1) }
        }
        return OutgoingMessage(properties, body: body.byteArray, isCompressed: true)
    }
}
