#if Replication
import SyncCore
import DocumentStore
import Replication
import Synchronization

/// What a ``MessageEndpointListener`` serves.
public struct MessageEndpointListenerConfiguration: Sendable {
    /// The collections that are served, of one database.
    public let collections: [Collection]
    /// Whether the transport keeps the borders of messages.
    public let protocolType: ProtocolType

    /// The database of the collections.
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database { collections[0].database }

    /// A configuration for the default collection.
    @available(*, deprecated, message: "Use init(collections:protocolType:)")
    public init(database: Database, protocolType: ProtocolType) {
        guard let collection = try? database.defaultCollection() else {
            _CBLMisuse.invalidArgument("Database \"\(database.name)\" cannot be served: it is closed.")
        }
        self.init(collections: [collection], protocolType: protocolType)
    }

    /// - Parameters:
    ///   - collections: At least one, all of one database; anything else is a misuse (invalid argument).
    ///   - protocolType: What the app's transport does.
    public init(collections: [Collection], protocolType: ProtocolType) {
        ServedCollections.check(collections)
        self.collections = collections
        self.protocolType = protocolType
    }
}

/// A connection of a ``MessageEndpointListener`` has another status.
public struct MessageEndpointListenerChange {
    /// The connection that it is about.
    public let connection: any MessageEndpointConnection
    /// How the replication over it is.
    public let status: Replicator.Status
}

/// Lets other apps and devices replicate with collections of a database over a transport of the app's own.
///
/// The app hands it connections as they come in. It serves until they are closed, or the database is.
public final class MessageEndpointListener: Sendable {
    /// A connection of the app's, which knows on what threads it is used.
    private struct Accepted: @unchecked Sendable {
        let connection: any MessageEndpointConnection

        func isSame(as other: any MessageEndpointConnection) -> Bool {
            connection as AnyObject === other as AnyObject
        }
    }

    /// As a listener's change, and handed from one queue to another.
    private struct Change: @unchecked Sendable {
        // Unchecked for the connection, as above.
        let change: MessageEndpointListenerChange
    }

    private let config: MessageEndpointListenerConfiguration
    private let database: Database
    private let connections = PassiveConnections()
    private let accepted = Mutex<[Int: Accepted]>([:])
    private let listeners = ListenerList<Change>()

    /// A listener that serves as soon as it has a connection.
    public init(config: MessageEndpointListenerConfiguration) {
        self.config = config
        database = config.collections[0].database
    }

    /// Opens a connection that has come in, and serves whoever is at its other end.
    ///
    /// - Parameter connection: An object, which ``close(connection:)`` tells from others.
    public func accept(connection: any MessageEndpointConnection) {
        let handed = Accepted(connection: connection)
        let channel = MessageChannel(connection, config.protocolType, isActive: false)
        let connections = connections
        channel.works(for: connections)
        // The channel itself can be closed at any time, also while this function still runs.
        let activity = database.activities.begin(
            stop: { channel.close(code: 1000, reason: "") },
            isOfThisThread: { ActivityQueue.isCurrent(for: connections) }
        )
        guard let activity, let file = try? database.openFile() else {
            if let activity { database.activities.end(activity) }
            tell(handed, .stopped, error: SyncError(.liteCore, CBLError.notOpen, "the database is closed"))
            return channel.cancel()
        }
        let database = database
        connections.add(channel, file, PassiveOptions(collections: config.collections.map(\.store.id))) { number in
            accepted.withLock { $0[number] = handed }
            tell(handed, .connecting)
        } report: { [self] number, report in
            switch report {
            case .status(let status): tell(handed, status.isBusy ? .busy : .idle, status)
            case .ended(let error):
                accepted.withLock { _ = $0.removeValue(forKey: number) }
                // The client decides when it is over.
                let isGood = error?.domain == .webSocket && error?.code == 1001
                tell(handed, .stopped, error: isGood ? nil : error)
                database.activities.end(activity)
            case .documents, .conflict: break
            }
        }
    }

    /// Ends a connection.
    public func close(connection: any MessageEndpointConnection) {
        let numbers = accepted.withLock { $0.filter { $0.value.isSame(as: connection) }.keys }
        for number in numbers { connections.close(number) }
    }

    /// Ends all connections.
    public func closeAll() {
        for number in accepted.withLock({ $0.keys }) { connections.close(number) }
    }

    /// Calls `listener` on the main queue whenever a connection has another status.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (MessageEndpointListenerChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Calls `listener` on `queue`, by default the main one, whenever a connection has another status.
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping (MessageEndpointListenerChange) -> Void
    ) -> ListenerToken {
        listeners.add(queue: queue) { listener($0.change) }
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    public func removeChangeListener(token: ListenerToken) {
        token.remove()
    }

    private func tell(
        _ accepted: Accepted,
        _ activity: Replicator.ActivityLevel,
        _ status: SessionStatus = SessionStatus(),
        error: SyncError? = nil
    ) {
        let status = Replicator.Status(activity: activity, progress: Replicator.Progress(status), error: error?.publicError)
        listeners.tell(Change(change: MessageEndpointListenerChange(connection: accepted.connection, status: status)))
    }
}
#endif
