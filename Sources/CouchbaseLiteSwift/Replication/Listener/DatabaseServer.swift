#if Replication
import Transport

/// Serves several databases at one port, as the command line tool does.
package final class DatabaseServer {
    private let service: ListenerService

    /// Begins to listen.
    ///
    /// - Parameter configs: One for each database, at least one. How clients connect is said by the first.
    /// - Throws: As ``URLEndpointListener/start()``.
    package init(_ configs: [URLEndpointListenerConfiguration]) throws {
        service = try throwingPublicErrors { try ListenerService(configs) { _ in } }
    }

    /// The URLs of a database, as ``URLEndpointListener/urls``.
    package func urls(of database: Database) -> [URL] {
        service.urls(of: database) ?? []
    }

    /// Whether a network interface, by its name or address, is reached from this machine only.
    ///
    /// - Throws: `unknownInterface`.
    package static func isOfThisMachineOnly(_ networkInterface: String) throws -> Bool {
        try throwingPublicErrors { try WebSocketListener.isOfThisMachineOnly(networkInterface) }
    }

    /// Ends it, and waits until what clients were sending is stored.
    package func stop() {
        service.stop()
        service.waitUntilStopped()
    }
}
#endif
