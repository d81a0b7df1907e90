#if Replication
import DatabaseRuntime
import DocumentStore
import Replication
import SyncCore
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
        let identity = first.disableTLS ? nil : try first.tlsIdentity ?? TLSIdentity.anonymous(of: first.collections[0].database)
        service = try ListenerService(databases, first.transport(identity), onStop: onStop)
        self.identity = identity
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
            return ListenerService.ServedDatabase(database.name, file, database.core.activities, passiveOptions, owner: database)
        }
    }

    /// The options of the sessions.
    private var passiveOptions: PassiveOptions {
        var options = PassiveOptions(collections: collections.map(\.store.id))
        options.isReadOnly = readOnly
        options.usesDeltas = enableDeltaSync
        options.maximumDocumentSize = Int(clamping: min(maxDocumentSize, 1 << 40))
        return options
    }

    /// Returns the configuration of the transport. It serves no database yet.
    fileprivate func transport(_ identity: TLSIdentity?) throws -> ListenerConfiguration {
        var result = ListenerConfiguration(subprotocols: Subprotocol.all, servesDatabase: { _ in false })
        result.port = Int(port ?? 0)
        result.networkInterface = networkInterface
        result.maximumConnections = Int(clamping: maxConnections)
        result.tls = identity.map { ListenerTLS(identity: $0.data) }
        switch authenticator {
        case let passwords as ListenerPasswordAuthenticator:
            let delegate = passwords.delegate
            result.authenticator = { delegate($0.username, $0.password) }
        case let certificates as ListenerCertificateAuthenticator:
            guard result.tls != nil else {
                throw SyncError(engine: .invalidParameter, "a listener that authenticates clients by certificates needs TLS")
            }
            result.tls?.clientCertificates = try certificates.validation.transport()
        default: break
        }
        return result
    }
}

extension ListenerCertificateAuthenticator.Validation {
    /// Returns the validation for the transport.
    ///
    /// - Throws: `crypto` for a root certificate that cannot be read.
    fileprivate func transport() throws -> ListenerTLS.ClientCertificates {
        switch self {
        case .roots(let roots):
            return .roots(try CertificateInfo.all(roots.map(\.der), "a root certificate for clients"))
        case .delegate(let delegate):
            return .accepted { chain in delegate(chain.compactMap { SecCertificate.read(der: $0) }) }
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
