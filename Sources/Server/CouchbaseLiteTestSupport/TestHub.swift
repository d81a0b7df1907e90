#if Replication
public import CouchbaseLiteSwift
import Foundation
import Hub
import Synchronization

/// A hub for one test: a server like Sync Gateway, in the process of the test, with databases of its own, users, channels and faults.
///
/// ```swift
/// let hub = try TestHub(databases: ["app"])
/// try hub.addUser("anna", password: "secret", channels: ["news"])
/// let config = ReplicatorConfiguration(target: URLEndpoint(url: hub.url(of: "app")))
/// config.authenticator = BasicAuthenticator(username: "anna", password: "secret")
/// ```
///
/// It listens on a free port of the loopback interface. The REST API for documents has the same address with the scheme `http`, with
/// TLS `https`: see ``restURL(of:)``. As long as there are no users, everyone may read and write all documents. The hub stops, and its files are removed, when this
/// object is released; ``stop()`` waits for that.
public final class TestHub: Sendable {
    /// What happens to requests, including those that begin a replication.
    public enum Fault: Sendable, Equatable {
        /// Requests are served.
        case none
        /// Requests are refused with this HTTP status.
        case refuse(status: Int)
        /// Requests are served after this time, in seconds.
        case delay(seconds: Double)
    }

    /// The directory that contains the databases of the hub.
    public let directory: URL
    /// The port on which the hub listens.
    public let port: Int
    /// The certificate of the hub, which replicators can pin; `nil` if the hub does not use TLS.
    public var certificate: SecCertificate? { encodedCertificate.flatMap { SecCertificate.read(der: $0) } }
    /// DER. `SecCertificate` is not `Sendable` on Apple's systems.
    private let encodedCertificate: [UInt8]?
    private let hub: Hub
    private let current: CurrentFault

    /// Starts a hub.
    ///
    /// - Parameters:
    ///   - databases: The names of its databases, which are empty. Default: one database `test`.
    ///   - collections: The collections of each database, besides the default collection, as `scope.name` or `name`.
    ///   - channelMapping: Where the channels of documents come from: JSON as for `cblite serve --hub DIR --channels FILE`, such as
    ///     `{"test": {"_default.notes": {"property": "meta.tags"}}}`. `nil`, the default, means the property `channels` of all documents.
    ///   - versioning: How the databases name revisions. With version vectors, they serve clients of protocol 4, and those with revision trees.
    ///     Default: as new databases of an app.
    ///   - usesTLS: Whether the hub uses TLS, with a new self-signed certificate: see ``certificate``. Default: `false`.
    /// - Throws: The errors of `Database(name:config:)` and `createCollection(name:scope:)`, or an error if no port is free, or if the mapping is
    ///   not valid.
    public init(
        databases: [String] = ["test"],
        collections: [String] = [],
        channelMapping: String? = nil,
        versioning: DatabaseConfiguration.Versioning = .automatic,
        usesTLS: Bool = false
    ) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("couchbase-lite-hub-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        do {
            let config = DatabaseConfiguration()
            config.directory = directory.path
            config.versioning = versioning
            for name in databases {
                let database = try Database(name: name, config: config)
                for collection in collections {
                    let parts = collection.split(separator: ".", maxSplits: 1).map(String.init)
                    _ =
                        try parts.count == 2
                        ? database.createCollection(name: parts[1], scope: parts[0]) : database.createCollection(name: collection)
                }
                try database.close()
            }
            let current = CurrentFault()
            var options = HubOptions(directory: directory.path)
            options.passwordIterations = 1000
            options.stopTimeout = 1
            if let channelMapping { options.channelMapping = try ChannelMapping(json: Array(channelMapping.utf8)) }
            options.certificate = usesTLS ? .temporary : nil
            options.beforeRequest = { try await current.apply() }
            let hub = try Hub(options)
            try hub.start()
            self.hub = hub
            self.current = current
            port = hub.port ?? 0
            encodedCertificate = hub.certificate
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
    }

    deinit {
        let (hub, directory) = (hub, directory)
        Task {
            await hub.stop()
            try? FileManager.default.removeItem(at: directory)
        }
    }

    /// Returns the URL of a database for a `URLEndpoint`.
    public func url(of database: String = "test") -> URL { url(encodedCertificate == nil ? "ws" : "wss", database) }

    /// Returns the URL of a database for REST.
    public func restURL(of database: String = "test") -> URL { url(encodedCertificate == nil ? "http" : "https", database) }

    private func url(_ scheme: String, _ database: String) -> URL {
        var components = URLComponents()
        components.scheme = scheme
        components.host = "127.0.0.1"
        components.port = port
        components.path = "/" + database
        return components.url ?? directory
    }

    /// Adds a user, or changes the password and the channels of an existing one.
    ///
    /// - Parameters:
    ///   - name: The name, without a colon.
    ///   - password: The password.
    ///   - channels: The channels. A user may read and write the documents whose property `channels` names one of them. `*` stands for all
    ///     documents.
    ///   - roles: The names of roles, whose channels the user has too; see ``addRole(_:channels:)``. Default: none.
    /// - Throws: An error if the name is not valid.
    public func addUser(_ name: String, password: String, channels: [String], roles: [String] = []) throws {
        if try !hub.users.add(name, password: password, channels: channels, roles: roles) {
            _ = try hub.users.change(name, password: password, channels: channels, roles: roles)
        }
    }

    /// Adds a role, or changes the channels of an existing one. Changes take effect at once, also for connected clients.
    ///
    /// - Parameters:
    ///   - name: The name, without a colon.
    ///   - channels: The channels of the users of the role.
    /// - Throws: An error if the name is not valid.
    public func addRole(_ name: String, channels: [String]) throws { try hub.users.setRole(name, channels: channels) }

    /// The fault of requests from now on. Established connections are not affected. Default: ``Fault/none``.
    public var fault: Fault {
        get { current.fault.withLock { $0 } }
        set { current.fault.withLock { $0 = newValue } }
    }

    /// Ends all connections without notice, as a network does that fails. Clients may connect again at once.
    public func cutConnections() { hub.cutConnections() }

    /// The number of clients that replicate.
    public var connectionCount: Int { hub.syncCount }

    /// Stops the hub. Returns when all connections have ended and the databases are closed.
    public func stop() async { await hub.stop() }
}

/// The fault of a hub, which its requests and the test share.
private final class CurrentFault: Sendable {
    let fault = Mutex(TestHub.Fault.none)

    func apply() async throws {
        switch fault.withLock({ $0 }) {
        case .none: break
        case .refuse(let status): throw HubRefusal(status: status)
        case .delay(let seconds): try await Task.sleep(for: .seconds(seconds))
        }
    }
}
#endif
