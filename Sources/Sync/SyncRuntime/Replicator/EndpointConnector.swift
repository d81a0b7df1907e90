#if Replication
package import BLIP
package import DocumentStore
import Foundation
package import Replication
package import SyncCore
package import Synchronization

/// Creates the channels to one target.
package protocol ChannelFactory: Sendable {
    /// The identifier of the target in checkpoints (Replication 4.2).
    ///
    /// - Throws: An error if the target is not reachable now, or is invalid.
    var remote: String { get throws }
    /// The name of the target in the log. Contains no secrets.
    var logName: String { get }
    /// The activities of the target's databases in this process.
    var activities: [DatabaseActivities] { get }
    /// The options for messages to the target.
    var messages: BLIPOptions { get }

    /// Creates a channel that is not open yet.
    ///
    /// - Parameter subprotocols: The names of the subprotocols to offer to the target, the preferred one first.
    func channel(
        _ replica: ReplicaDatabase,
        offering subprotocols: [String],
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel
}

extension ChannelFactory {
    package var activities: [DatabaseActivities] { [] }
    package var messages: BLIPOptions { BLIPOptions() }
}

/// Creates channels over connections of the app.
package struct MessageChannelFactory: ChannelFactory {
    /// The unique ID of the database on the other side.
    package let remote: String
    private let connect: @Sendable () -> MessageChannel

    /// - Parameter connect: Returns a channel over a new connection.
    package init(_ remote: String, connect: @escaping @Sendable () -> MessageChannel) { (self.remote, self.connect) = (remote, connect) }

    package var logName: String { "message endpoint \(remote)" }

    package func channel(
        _ replica: ReplicaDatabase,
        offering subprotocols: [String],
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel {
        connect()
    }
}

/// A collection that is replicated.
package struct ReplicatedCollection: Sendable {
    fileprivate let store: CollectionStore
    fileprivate let options: CollectionOptions
    fileprivate let solver: any ConflictSolving

    /// Describes a collection of the database, and how its conflicts are resolved.
    package init(_ store: CollectionStore, _ options: CollectionOptions, _ solver: any ConflictSolving) {
        (self.store, self.options, self.solver) = (store, options, solver)
    }
}

/// Creates the connections between collections of a database and a target.
package final class EndpointConnector: ReplicatorConnector {
    /// The directions of a replication.
    package struct Directions: Sendable {
        /// Whether changes of this database are sent.
        package var pushes: Bool
        /// Whether changes of the target are received.
        package var pulls: Bool

        package init(pushes: Bool, pulls: Bool) { (self.pushes, self.pulls) = (pushes, pulls) }
    }

    package let collections: [CollectionID]
    package let solvers: [CollectionID: any ConflictSolving]
    package let activities: [DatabaseActivities]
    package let logName: String
    /// The directions of connections that are created from now on; changed only by the functions of the preview API.
    package let directions: Mutex<Directions>
    private let entries: [ReplicatedCollection]
    private let target: any ChannelFactory
    private let isContinuous: Bool
    private let purgesOnLostAccess: Bool
    private let openFile: @Sendable () throws -> DatabaseFile

    /// - Parameters:
    ///   - database: The name and the activities of the database.
    ///   - openFile: Returns the open file of the database.
    package init(
        _ entries: [ReplicatedCollection],
        of database: (name: String, activities: DatabaseActivities),
        with target: any ChannelFactory,
        _ directions: Directions,
        isContinuous: Bool,
        purgesOnLostAccess: Bool,
        openFile: @escaping @Sendable () throws -> DatabaseFile
    ) {
        self.entries = entries
        self.target = target
        self.directions = Mutex(directions)
        self.isContinuous = isContinuous
        self.purgesOnLostAccess = purgesOnLostAccess
        self.openFile = openFile
        collections = entries.map(\.store.id)
        solvers = Dictionary(entries.map { ($0.store.id, $0.solver) }, uniquingKeysWith: { first, _ in first })
        logName = "Replicator \(database.name) with \(target.logName)"
        activities = [database.activities] + target.activities
    }

    package var file: DatabaseFile { get throws { try openFile() } }

    package func connect(
        isReset: Bool,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> (any ReplicationSession, any FrameChannel) {
        let file = try file
        let replica = ReplicaDatabase(file)
        for entry in entries where !entry.store.exists { throw entry.store.notOpen }
        var options = try activeOptions
        options.logName = logName
        // The stored checkpoints are deleted, so that the next connection does not find them either if this one fails.
        if isReset { try replica.discardCheckpoints(options) }
        let subprotocols = try Subprotocol.offered(by: file, pushes: options.push != .disabled, pulls: options.pull != .disabled)
        let channel = try target.channel(replica, offering: subprotocols, certificateSeen: certificateSeen)
        let session = Session.active(replica, options, blip: target.messages) {
            Int64(Date().timeIntervalSince1970)
        }
        return (session, channel)
    }

    /// Returns the options for examining which documents of a collection are pending push.
    ///
    /// - Parameters:
    ///   - isConfigured: Whether the replicator has the collection.
    ///   - isValid: Returns whether the collection exists.
    /// - Throws: `unsupported` if nothing is pushed; `notFound` or `notOpen` if one of the conditions is not met.
    package func pushOptions(
        of store: CollectionStore,
        isConfigured: Bool,
        isValid: () -> Bool
    ) throws -> (session: ActiveOptions, collection: CollectionOptions) {
        guard directions.withLock({ $0.pushes }) else {
            throw SyncError(engine: .unsupported, "pending documents exist only for a replicator that pushes")
        }
        guard isConfigured else { throw StoreError.notFound(what: "collection \"\(store.id.fullName)\" in the replicator's configuration") }
        guard isValid(), let entry = entries.first(where: { $0.store.id == store.id }) else { throw store.notOpen }
        return (try activeOptions, entry.options)
    }

    private var activeOptions: ActiveOptions {
        get throws {
            let mode: ReplicationMode = isContinuous ? .continuous : .oneShot
            let directions = directions.withLock { $0 }
            var result = ActiveOptions(
                remoteURL: try target.remote,
                push: directions.pushes ? mode : .disabled,
                pull: directions.pulls ? mode : .disabled,
                collections: entries.map(\.options)
            )
            result.purgesOnLostAccess = purgesOnLostAccess
            return result
        }
    }
}

/// Creates the connections of a replicator, for any kind of target.
package protocol ReplicatorConnector: Sendable {
    /// The collections that are replicated, of one database.
    var collections: [CollectionID] { get }
    /// The open file of the collections.
    var file: DatabaseFile { get throws }
    /// The solvers of their conflicts.
    var solvers: [CollectionID: any ConflictSolving] { get }
    /// The activities of the databases that must not be closed while the replicator runs.
    var activities: [DatabaseActivities] { get }

    /// The name of the replicator in the log. Contains no secrets.
    var logName: String { get }

    /// Creates a session, and a channel for it that is not open yet.
    ///
    /// - Parameters:
    ///   - isReset: Whether the checkpoints are deleted first.
    ///   - certificateSeen: Called with the server's certificate, DER, even if it is not trusted.
    /// - Throws: An error if a connection is not possible.
    func connect(isReset: Bool, certificateSeen: @escaping @Sendable ([UInt8]) -> Void) throws -> (any ReplicationSession, any FrameChannel)
}
#endif
