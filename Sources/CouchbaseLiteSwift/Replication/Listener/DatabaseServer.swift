#if Replication
import SyncRuntime
import Transport

/// Serves several databases on one port, for the command line tool.
package final class DatabaseServer {
    private let service: ListenerService

    /// Starts listening. Blocks until the port is bound.
    ///
    /// - Parameter configs: One for each database, at least one. The first one determines how clients connect.
    /// - Throws: As ``URLEndpointListener/start()``.
    package init(_ configs: [URLEndpointListenerConfiguration]) throws {
        service = try throwingPublicErrors { try ConfiguredListener(configs) { _ in }.service }
    }

    /// Returns the URLs of a database, like ``URLEndpointListener/urls``.
    package func urls(of database: Database) -> [URL] { service.urls(of: database.name) ?? [] }

    /// Returns whether a network interface, given by its name or address, is reachable from this machine only.
    ///
    /// - Throws: `unknownInterface`.
    package static func isOfThisMachineOnly(_ networkInterface: String) throws -> Bool {
        try throwingPublicErrors { try NetworkInterfaces.isOfThisMachineOnly(networkInterface) }
    }

    /// Stops the server, and blocks until all received documents are stored.
    package func stop() {
        service.stop()
        service.waitUntilStopped()
    }
}
#endif
