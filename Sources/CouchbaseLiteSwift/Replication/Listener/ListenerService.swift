#if Replication
import SyncCore
import DocumentStore
import ExactStrings
import LogCore
import Replication
import Synchronization
import Transport

/// A running listener, from its start to its stop. It serves one database or several.
final class ListenerService: @unchecked Sendable {
    // Unchecked: authenticators are code of the app, documented to be called on other threads; everything else is constant or locked.
    let identity: TLSIdentity?
    let connections = PassiveConnections()
    private let served: [ExactString: ServedDatabase]
    private let listener: WebSocketListener
    private let isStopping = OnceFlag()
    private let onStop: (ListenerService) -> Void
    private let activities = Mutex<[(database: Database, number: Int)]>([])
    /// The group is left when the service has stopped.
    private let end = DispatchGroup()

    private struct ServedDatabase: Sendable {
        let database: Database
        let file: DatabaseFile
        let options: PassiveOptions

        init(_ config: URLEndpointListenerConfiguration) throws {
            database = config.collections[0].database
            file = try database.openFile()
            for collection in config.collections where !collection.isValid { throw collection.notOpen }
            options = config.passiveOptions
        }
    }

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - configs: One for each database. The first one determines how clients connect.
    ///   - onStop: Called when the service starts stopping.
    init(_ configs: [URLEndpointListenerConfiguration], onStop: @escaping (ListenerService) -> Void) throws {
        guard let first = configs.first else { throw StoreError.notFound(what: "a database to serve") }
        self.onStop = onStop
        let databases = try configs.map { try ServedDatabase($0) }
        let served = Dictionary(databases.map { (ExactString($0.database.name), $0) }) { first, _ in first }
        self.served = served
        identity =
            first.disableTLS ? nil : try first.tlsIdentity ?? AnonymousIdentity.identity(of: databases[0].database)
        let connections = connections
        listener = WebSocketListener(try first.transport(identity) { served[ExactString($0)] != nil }) {
            connection in
            guard let database = served[ExactString(connection.databaseName)] else { return connection.channel.cancel() }
            var options = database.options
            options.logName = "Listener, \(connection.remoteAddress)"
            let log = ServedConnection(connection)
            log.logBeginning()
            connections.add(connection.channel, database.file, options, report: { log.take($0) })
        }
        end.enter()
        do {
            for database in databases.map(\.database) { try begin(database) }
            try listener.start()
            // A database may have been closed concurrently.
            if isStopping.isSet {
                listener.stop {}
                throw StoreError.notOpen(what: "a database to serve")
            }
        } catch {
            if isStopping.set() { finish() }
            throw error
        }
    }

    private func begin(_ database: Database) throws {
        // The stop closure retains the service until it has stopped, even if the app releases its listener.
        let connections = connections
        let number = database.activities.begin(stop: { self.stop() }, isOfThisThread: { ActivityQueue.isCurrent(for: connections) })
        guard let number else { throw StoreError.notOpen(what: "database \"\(database.name)\"") }
        activities.withLock { $0.append((database, number)) }
    }

    var port: UInt16? { listener.port.flatMap { UInt16(exactly: $0) } }

    /// Returns the URLs of a database: one for each address of this device, or that of the configured interface; `nil` if the service is
    /// not listening.
    func urls(of database: Database) -> [URL]? {
        guard listener.port != nil else { return nil }
        return listener.hosts.compactMap { url(of: database, host: $0) }
    }

    /// Returns the URL of a database for an address or a host name of this device.
    func url(of database: Database, host: String) -> URL? {
        guard let port = listener.port else { return nil }
        let scheme = identity == nil ? "ws" : "wss"
        let name = database.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? database.name
        return URL(string: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(name)")
    }

    /// Stops the service, which stays alive until it has stopped.
    func stop() {
        guard isStopping.set() else { return }
        onStop(self)
        listener.stop { [self] in
            // The channels are closed; their sessions may still use the database.
            connections.stop { [self] in finish() }
        }
    }

    /// Whether the service is stopping or has stopped.
    var isEnding: Bool { isStopping.isSet }

    /// Waits until the service has stopped.
    func waitUntilStopped() {
        end.wait()
    }

    private func finish() {
        let ended = activities.withLock { activities in
            defer { activities = [] }
            return activities
        }
        for (database, number) in ended { database.activities.end(number) }
        end.leave()
    }
}

/// A flag that can be set only once.
private final class OnceFlag: Sendable {
    private let hasHappened = Mutex(false)

    var isSet: Bool { hasHappened.withLock { $0 } }

    /// Sets the flag. Returns whether it was not set before.
    func set() -> Bool {
        hasHappened.withLock { hasHappened in
            defer { hasHappened = true }
            return !hasHappened
        }
    }
}

extension URLEndpointListenerConfiguration {
    /// The options of the sessions.
    fileprivate var passiveOptions: PassiveOptions {
        var options = PassiveOptions(collections: collections.map(\.store.id))
        options.isReadOnly = readOnly
        options.usesDeltas = enableDeltaSync
        options.maximumDocumentSize = Int(clamping: min(maxDocumentSize, 1 << 40))
        return options
    }

    /// Returns the configuration of the transport.
    fileprivate func transport(_ identity: TLSIdentity?, serves: @escaping @Sendable (String) -> Bool) throws -> ListenerConfiguration {
        var result = ListenerConfiguration(subprotocols: Subprotocol.all, servesDatabase: serves)
        result.port = Int(port ?? 0)
        result.networkInterface = networkInterface
        result.maximumConnections = Int(clamping: maxConnections)
        result.tls = identity.map { ListenerTLS(identity: $0.data) }
        switch authenticator {
        case let passwords as ListenerPasswordAuthenticator:
            // Safe because the closure of the app is documented to be called on other threads.
            nonisolated(unsafe) let delegate = passwords.delegate
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
            // Safe because the closure of the app is documented to be called on other threads.
            nonisolated(unsafe) let delegate = delegate
            return .accepted { chain in delegate(chain.compactMap { SecCertificate.read(der: $0) }) }
        }
    }
}
#endif
