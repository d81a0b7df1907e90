#if Replication
package import BLIP
import Dispatch
package import DocumentStore
import Base
package import Replication
package import SyncCore

/// Creates channels to another database of this process, each with a passive session at its other end.
package struct LocalChannelFactory: ChannelFactory {
    package let logName: String
    package let activities: [DatabaseActivities]
    private let collections: [CollectionID]
    private let openFile: @Sendable () throws -> DatabaseFile
    private let read: Reading

    /// Runs a function with the open file on behalf of the database's owner, and returns its result.
    package typealias Reading = @Sendable ((DatabaseFile) throws -> String) throws -> String

    /// - Parameters:
    ///   - name: The name of the database.
    ///   - activities: The activities of the database.
    ///   - collections: The collections that are served, if the database has them.
    ///   - openFile: Returns the open file of the database.
    ///   - read: Runs a function with it.
    package init(
        to name: String,
        _ activities: DatabaseActivities,
        _ collections: [CollectionID],
        openFile: @escaping @Sendable () throws -> DatabaseFile,
        read: @escaping Reading
    ) {
        logName = "database \(name)"
        self.activities = [activities]
        self.collections = collections
        self.openFile = openFile
        self.read = read
    }

    /// The options for messages: in memory they need no compression, and no memory limit because both sides belong to this process.
    package var messages: BLIPOptions {
        var options = BLIPOptions()
        options.compressionLevel = 0
        options.memoryBudget = .unlimited
        options.maximumMemory = .max / 2
        return options
    }

    /// The private UUID of the database, which does not change when its files are moved.
    package var remote: String { get throws { try read { "local://" + (try $0.ensuredPrivateUUID().hexadecimal) } } }

    package func channel(
        _ replica: ReplicaDatabase,
        offering subprotocols: [String],
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel {
        let file = try openFile()
        let accepted = try Subprotocol.accepted(by: file)
        guard let subprotocol = subprotocols.first(where: accepted.containsExactly) else {
            throw SyncError(
                engine: .notImplemented,
                "\(logName) has revision trees, and the other database has version vectors: upgrade it with upgradeToVersionVectors()"
            )
        }
        let ends = MemoryChannel.pair(subprotocol: subprotocol, servesVersions: accepted.containsExactly(Subprotocol.versions))
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
#endif
