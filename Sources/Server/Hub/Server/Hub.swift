#if Replication
import Replication
package import SyncCore
import Transport
package import WebServer

/// A server for the databases in a directory, which stands in for Sync Gateway in development, in tests and in small sites: it offers sync and
/// the REST API for documents, with users and channels.
///
/// While it has no users, everyone on this machine may use all documents, and it must not listen on other interfaces.
package final class Hub: Sendable {
    /// The descriptors that are not for connections: those of each database, and others.
    private static let reservedDescriptors = (perDatabase: 16, others: 32)

    let databases: HubDatabases
    private let channels: ChannelIndexes
    let server: WebServer
    let adminServer: WebServer?
    let sync: SyncRequests
    let passwordChecks: PasswordChecks
    private let feeds: SocketFeeds
    /// The users and roles.
    package let users: HubUsers
    /// The certificate of the hub in DER form; `nil` if it does not use TLS.
    package let certificate: [UInt8]?

    /// The first segment of the paths on the port for administration that the inspector responds to.
    package static let inspectorPath = "_inspect"

    /// Opens the databases in the directory.
    ///
    /// - Parameters:
    ///   - options: The configuration.
    ///   - inspector: Called with the databases, sorted by name, and the users, if there is a port for administration. Returns what responds to
    ///     all requests of that port whose path begins with ``inspectorPath``. The hub checks nothing for them.
    /// - Throws: The errors of opening; ``ChannelMappingError`` if the mapping names a database that does not exist; ``SyncError``: LiteCore 9
    ///   if other machines could use the hub without a password; LiteCore 22 or POSIX if the certificate cannot be used.
    package init(_ options: HubOptions, inspector: (([ServedDatabase], HubUsers) -> any WebHandler)? = nil) throws {
        let listensHereOnly =
            try options.networkInterface.map { interface throws(SyncError) in try NetworkInterfaces.isOfThisMachineOnly(interface) }
            ?? false
        // A proxy on this machine passes on the requests of others.
        let isOfThisMachineOnly = listensHereOnly && options.hostNames.isEmpty
        guard options.hostNames.allSatisfy(HubOptions.isHostName) else {
            throw SyncError(engine: .invalidParameter, "the name of a host has no port, and no other part of a URL")
        }
        databases = try HubDatabases(directory: options.directory, mapping: options.channelMapping)
        users = HubUsers(databases.own, of: databases.all, iterations: options.passwordIterations ?? PasswordHash.defaultIterations)
        let identity: TLSIdentityData?
        do {
            identity = try options.certificate?.identity(of: databases.own.file)
            guard try isOfThisMachineOnly || !users.isEmpty() else {
                throw SyncError(engine: .invalidParameter, "a hub that other machines can use must have a user")
            }
        } catch {
            databases.close()
            throw error
        }
        var limited = options.web
        let reserved = Self.reservedDescriptors.others + Self.reservedDescriptors.perDatabase * (databases.all.count + 1)
        limited.limit(descriptors: options.maximumDescriptors - reserved)
        // Each user may send one document of the maximum size.
        limited.bodyMemory.ofUser = max(limited.bodyMemory.ofUser, options.maximumDocumentSize)
        limited.bodyMemory.ofAddress = max(limited.bodyMemory.ofAddress, options.maximumDocumentSize)
        var web = limited
        web.port = options.port
        web.networkInterface = options.networkInterface
        web.serverName = "CouchbaseLiteSwift-Hub"
        web.usesGzip = true
        web.identity = identity
        certificate = identity?.certificates.first?.der
        web.hostNames = listensHereOnly || !options.hostNames.isEmpty ? web.hostNames : nil
        web.hostNames?.formUnion(options.hostNames.map { $0.lowercased() })
        passwordChecks = PasswordChecks(options.passwordLimits, now: options.now)
        let authentication = Authentication(users, isOfThisMachineOnly: isOfThisMachineOnly, passwordChecks)
        channels = ChannelIndexes(in: databases.own.file)
        sync = SyncRequests(maximumBlobSize: options.maximumAttachmentSize)
        let port = HubPort(options, databases, channels, authentication, sync)
        feeds = port.feeds
        server = WebServer(web, handler: HubRouter(port))
        var admin = limited
        admin.networkInterface = "localhost"
        admin.serverName = web.serverName
        if let adminPort = options.adminPort {
            admin.port = adminPort
            let served = databases.all.map { [counters = sync.counters] in ServedDatabase($0, counters) }
            let router = HubRouter(HubPort(administering: port))
            adminServer = WebServer(admin, handler: AdminRouter(router, inspector: inspector?(served, users)))
        } else {
            adminServer = nil
        }
    }

    /// Starts listening. Blocks until the sockets are bound.
    ///
    /// - Throws: ``SyncError`` as ``WebServer/start()``. Then the hub listens on no port, and must be stopped.
    package func start() throws(SyncError) {
        do {
            try sync.start(watching: databases.own.file) { [channels] in channels.update() }
        } catch {
            throw SyncError(error)
        }
        try server.start()
        do throws(SyncError) {
            try adminServer?.start()
        } catch {
            server.abort()
            throw error
        }
    }

    /// The port for administration; `nil` if there is none, or the hub is not listening.
    package var adminPort: Int? { adminServer?.port }

    /// The base URLs of the port for administration.
    package var adminURLs: [String] { adminServer?.urls ?? [] }

    /// The port; `nil` if the hub is not listening.
    package var port: Int? { server.port }

    /// The URLs of the databases for sync and for REST, sorted by database: `http://localhost:4984/travel`, with TLS `https://…`.
    package var urls: [String] { server.urls.flatMap { base in databases.all.map { "\(base)/\(PathSegment.encoded($0.name))" } } }

    /// The base URLs of the hub.
    package var baseURLs: [String] { server.urls }

    /// The number of clients that sync.
    package var syncCount: Int { sync.count }

    /// Ends all connections without notice. For tests of clients.
    package func cutConnections() {
        server.cutConnections()
        adminServer?.cutConnections()
    }

    /// Stops listening, completes the requests being served, ends sync after the revisions being stored, and closes the databases.
    package func stop() async {
        feeds.stop()
        await sync.stop()
        await server.stop()
        await adminServer?.stop()
        databases.close()
    }
}
#endif
