#if Replication
import DatabaseRuntime
import DocumentStore
import Replication
import SyncRuntime
import Transport

/// A running listener as configured: the service, and the identity that it shows.
struct ConfiguredListener: RunningListener {
    let service: ListenerService
    let identity: TLSIdentity?

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - configs: One for each database. The first one determines how clients connect.
    ///   - onStop: Called when the service starts stopping.
    init(_ configs: [URLEndpointListenerConfiguration], onStop: @escaping @Sendable (ListenerService) -> Void) throws {
        guard let first = configs.first else { throw StoreError.notFound(what: "a database to serve") }
        let databases = try configs.map { try $0.served }
        identity = first.disableTLS ? nil : try first.tlsIdentity ?? TLSIdentity.anonymous(of: first.collections[0].database)
        let transport = try ListenerConfiguration(
            port: first.port,
            networkInterface: first.networkInterface,
            maximumConnections: first.maxConnections,
            identity: identity?.data,
            (first.authenticator as? any ClientAuthenticating)?.authentication
        )
        service = try ListenerService(databases, transport, onStop: onStop)
    }
}

extension URLEndpointListenerConfiguration {
    /// The database with the collections to serve.
    ///
    /// - Throws: `notOpen` if the database is closed or a collection was deleted.
    fileprivate var served: ListenerService.ServedDatabase {
        get throws {
            let database = collections[0].database
            let file = try database.openFile()
            for collection in collections where !collection.isValid { throw collection.store.notOpen }
            let options = PassiveOptions(
                collections: collections.map(\.store.id),
                isReadOnly: readOnly,
                usesDeltas: enableDeltaSync,
                maximumDocumentSize: maxDocumentSize
            )
            return ListenerService.ServedDatabase(database.name, file, database.core.activities, options, owner: database)
        }
    }
}

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
