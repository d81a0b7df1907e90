#if Replication
import DocumentStore
import Fleece

/// The bodies of tombstones.
enum ChannelTombstone {
    /// Returns a body that is in the channels of the deleted revision, so that its readers learn about the deletion.
    static func body(of channels: [String]) throws -> OwnedBody {
        guard !channels.isEmpty else { return .empty }
        let encoder = BodyEncoder()
        encoder.encoder.beginDictionary()
        encoder.encoder.writeKey("channels")
        encoder.encoder.beginArray()
        for channel in channels { encoder.encoder.write(channel) }
        encoder.encoder.endArray()
        encoder.encoder.endDictionary()
        return try encoder.finishOwned(hasBlobs: false)
    }
}
#endif
