#if Replication
package import BLIP
import Dispatch
package import DocumentStore
import ExactStrings
import Replication
package import SyncCore

/// Connections to databases of this process.
package enum LocalConnection {
    /// The options for messages: in memory they need no compression, and no memory limit because both sides belong to this process.
    package static var messages: BLIPOptions {
        var options = BLIPOptions()
        options.compressionLevel = 0
        options.memoryBudget = .unlimited
        options.maximumMemory = .max / 2
        return options
    }

    /// Returns the identifier of a database in checkpoints: its private UUID, which does not change when its files are moved.
    package static func remote(of file: DatabaseFile) throws -> String {
        "local://" + (try file.ensuredPrivateUUID().hexadecimal)
    }

    /// Creates a channel with a passive session at its other end.
    ///
    /// - Parameters:
    ///   - file: The database.
    ///   - collections: The collections that are served, if the database has them.
    ///   - logName: The name of the database in the log.
    /// - Returns: A channel that is not open yet.
    package static func channel(to file: DatabaseFile, _ collections: [CollectionID], logName: String) throws -> any FrameChannel {
        let ends = MemoryChannel.pair(subprotocol: Subprotocol.preferred)
        var options = PassiveOptions(collections: collections.filter { file.knownCollection($0) != nil })
        options.usesDeltas = false
        options.maximumDocumentSize = 1 << 30
        options.logName = "Replicator, side of \(logName)"
        let driver = SessionDriver(
            Session.passive(ReplicaDatabase(file), options, blip: messages),
            on: ends.passive,
            queue: DispatchQueue(label: "CouchbaseLite.replicator.passive"),
            report: { _ in }
        )
        try driver.start(watching: options.collections, of: file)
        return ends.active
    }
}

/// The names of the subprotocols (Replication, version map).
package enum Subprotocol {
    /// The subprotocol with collections.
    static let preferred = "BLIP_3+CBMobile_3"
    /// All offered and accepted subprotocols, the preferred one first.
    package static let all = [preferred, "BLIP_3+CBMobile_2"]
}
#endif
