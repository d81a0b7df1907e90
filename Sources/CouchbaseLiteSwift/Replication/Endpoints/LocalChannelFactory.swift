#if Replication
import BLIP
import DocumentStore
import Replication
import SyncCore
import SyncRuntime

/// Creates channels to another database of this process, each with a passive session at its other end.
struct LocalChannelFactory: ChannelFactory {
    private let target: Database
    private let collections: [CollectionID]

    init(_ endpoint: DatabaseEndpoint, _ configuration: ReplicatorConfiguration) {
        target = endpoint.database
        collections = configuration.collections.map(\.store.id)
    }

    var activities: [DatabaseActivities] { [target.activities] }
    var logName: String { "database \(target.name)" }
    var messages: BLIPOptions { LocalConnection.messages }
    var remote: String { get throws { try target.withFile { try LocalConnection.remote(of: $0) } } }

    func channel(_ replica: ReplicaDatabase, certificateSeen: @escaping @Sendable ([UInt8]) -> Void) throws -> any FrameChannel {
        try LocalConnection.channel(to: target.openFile(), collections, logName: logName)
    }
}
#endif
