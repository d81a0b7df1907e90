#if Replication
import Base
import WebServer

/// A request for which a handler can respond: who has sent it, and what the path names, were checked. Its type says who may use an endpoint.
protocol HubCall: Sendable {
    /// Whether only the port for administration serves such requests.
    static var isForAdministration: Bool { get }

    /// Checks a request.
    ///
    /// - Throws: ``WebError`` 401 if the client must log in first, 404 if there is no such database or collection.
    init(_ request: WebRequest, at port: HubPort) async throws
}

extension HubCall {
    static var isForAdministration: Bool { false }
}

/// A request of everyone, also of clients that have not logged in.
struct OpenCall: HubCall {
    let request: WebRequest
    let port: HubPort

    init(_ request: WebRequest, at port: HubPort) async throws { (self.request, self.port) = (request, port) }
}

/// A request of a user that is about no database.
struct UserCall: HubCall {
    let port: HubPort
    let access: HubAccess

    init(_ request: WebRequest, at port: HubPort) async throws {
        (self.port, access) = (port, try await port.access(request))
    }
}

/// A request of a user who wants to sync a database.
struct SyncCall: HubCall {
    let request: WebRequest
    let port: HubPort
    let database: HubDatabase
    let access: HubAccess

    init(_ request: WebRequest, at port: HubPort) async throws {
        access = try await port.access(request)
        // As in Sync Gateway, a client does not learn which databases exist.
        guard let database = port.databases.database(request.path[0]) else { throw HubError.unauthorized }
        (self.request, self.port, self.database) = (request, port, database)
    }
}

/// A request for users or roles, which all databases share.
struct AdministrationCall: HubCall {
    static let isForAdministration = true

    let request: WebRequest
    let users: HubUsers

    init(_ request: WebRequest, at port: HubPort) async throws {
        _ = try await port.access(request)
        guard port.databases.database(request.path[0]) != nil else {
            throw try port.databases.keyspace(request.path[0]) == nil ? HubError.noDatabase : HubError.unknownURL
        }
        (self.request, users) = (request, port.authentication.users)
    }

    /// The name of the user or the role in the path.
    var name: String { request.path[2] }
}

/// A request of a user for a collection, or for the default collection of a database.
struct CollectionCall: HubCall {
    let request: WebRequest
    let port: HubPort
    let keyspace: Keyspace
    /// What the user was able to do when the request came.
    private let initial: HubAccess

    init(_ request: WebRequest, at port: HubPort) async throws {
        initial = try await port.access(request)
        guard let keyspace = try port.databases.keyspace(request.path[0]) else {
            throw request.path.count == 1 && request.method.isExactly("PUT") ? HubError.noCreation : HubError.noDatabase
        }
        (self.request, self.port, self.keyspace) = (request, port, keyspace)
    }

    /// Returns what the user may do now. Throws if the user may not use the hub anymore.
    var access: @Sendable () throws -> HubAccess { { [port, initial] in try port.current(initial) } }

    /// Returns the same with the history of the user's channels.
    var rights: @Sendable () throws -> FeedRights { { [port, initial] in try port.rights(initial) } }

    var documents: DocumentRequests {
        DocumentRequests(
            keyspace: keyspace,
            access: access,
            lost: LostAccess(keyspace: keyspace, channels: port.channels, rights: rights),
            limits: (port.options.maximumDocumentSize, port.options.maximumAttachmentSize)
        )
    }

    /// The second segment of the path.
    var documentID: String { request.path[1] }
    /// What follows the second segment of the path.
    var name: String { request.path.dropFirst(2).joined(separator: "/") }
}
#endif
