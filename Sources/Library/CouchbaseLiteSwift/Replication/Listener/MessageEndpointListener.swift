#if Replication
import DatabaseRuntime
import DocumentStore
import Replication
import SyncRuntime

/// The configuration of a ``MessageEndpointListener``.
public struct MessageEndpointListenerConfiguration: Sendable {
    /// The collections that are served, all of one database.
    public let collections: [Collection]
    /// Whether the transport preserves message boundaries.
    public let protocolType: ProtocolType

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - collections: At least one valid collection, all of one database; anything else is a misuse (invalid argument), which
    ///     ``init(validating:protocolType:)`` throws.
    ///   - protocolType: Whether the app's transport preserves message boundaries.
    public init(collections: [Collection], protocolType: ProtocolType) {
        _CBLMisuse.trap { () throws(Misuse) in try collections.checkTogether(to: "serve") }
        self.collections = collections
        self.protocolType = protocolType
    }

    /// Creates a configuration with collections that may be invalid.
    ///
    /// - Parameters:
    ///   - collections: At least one valid collection, all of one database.
    ///   - protocolType: Whether the app's transport preserves message boundaries.
    /// - Throws: As ``URLEndpointListenerConfiguration/init(validating:)``.
    public init(validating collections: [Collection], protocolType: ProtocolType) throws {
        try throwingPublicErrors { try collections.checkTogether(to: "serve") }
        self.collections = collections
        self.protocolType = protocolType
    }
}

/// A notification that the status of a connection of a ``MessageEndpointListener`` has changed.
public struct MessageEndpointListenerChange: Sendable {
    /// The connection.
    public let connection: any MessageEndpointConnection
    /// The status of the replication over the connection.
    public let status: Replicator.Status
}

/// Serves collections of a database to other apps and devices over a transport of the app.
///
/// The app passes it the accepted connections. Each is served until it is closed, or the database is. It is thread-safe.
public final class MessageEndpointListener: Sendable {
    private let config: MessageEndpointListenerConfiguration
    private let database: Database
    private let connections = AcceptedConnections()
    private let listeners = ListenerList<MessageEndpointListenerChange>()

    /// Creates a listener, which serves as soon as it has a connection.
    public init(config: MessageEndpointListenerConfiguration) {
        self.config = config
        database = config.collections[0].database
    }

    /// Opens an incoming connection and serves the client at its other end. Returns immediately.
    ///
    /// - Parameter connection: The connection. It must be an object, because ``close(connection:)`` identifies it by reference.
    public func accept(connection: any MessageEndpointConnection) {
        let channel = MessageChannel(connection, config.protocolType, isActive: false)
        let options = PassiveOptions(collections: config.collections.map(\.store.id))
        connections.serve(channel, over: connection, of: database.core.activities, options) {
            try? database.openFile()
        } notify: { [listeners] status in
            listeners.notify(MessageEndpointListenerChange(connection: connection, status: Replicator.Status(status)))
        }
    }

    /// Closes a connection that was passed to ``accept(connection:)``; others are ignored. Returns immediately.
    public func close(connection: any MessageEndpointConnection) { connections.close(connection as AnyObject) }

    /// Closes all connections. Returns immediately.
    public func closeAll() { connections.closeAll() }

    /// Adds a listener that is called on the main queue whenever the status of a connection changes.
    @discardableResult @preconcurrency
    public func addChangeListener(_ listener: @escaping @MainActor (MessageEndpointListenerChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, onMainActor(listener))
    }

    /// Adds a listener that is called on `queue` whenever the status of a connection changes; `nil` means the main queue.
    @discardableResult @preconcurrency
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (MessageEndpointListenerChange) -> Void
    ) -> ListenerToken { ListenerToken(listeners.add(queue: queue, notify: listener)) }

    /// Removes a listener; see ``ListenerToken/remove()``.
    public func removeChangeListener(token: ListenerToken) { token.remove() }
}
#endif
