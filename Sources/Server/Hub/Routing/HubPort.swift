#if Replication
import WebServer

/// What the requests of one port of a hub use: that of the users, or that for administration.
final class HubPort: Sendable {
    let options: HubOptions
    let databases: HubDatabases
    let channels: ChannelIndexes
    let authentication: Authentication
    let sync: SyncRequests
    let metrics: HubMetrics
    /// The WebSockets of feeds.
    let feeds: SocketFeeds
    /// Whether this is the port for administration, where all requests have access to everything.
    let isAdmin: Bool

    /// Creates the port of the users.
    init(
        _ options: HubOptions,
        _ databases: HubDatabases,
        _ channels: ChannelIndexes,
        _ authentication: Authentication,
        _ sync: SyncRequests
    ) {
        (self.options, self.databases, self.channels) = (options, databases, channels)
        (self.authentication, self.sync) = (authentication, sync)
        (metrics, feeds, isAdmin) = (HubMetrics(), SocketFeeds(), false)
    }

    /// Creates the port for administration of the same hub.
    init(administering users: HubPort) {
        (options, databases, channels) = (users.options, users.databases, users.channels)
        (authentication, sync) = (users.authentication, users.sync)
        (metrics, feeds, isAdmin) = (users.metrics, users.feeds, true)
    }

    /// Returns what the client of a request may do. What the request takes from now on counts for the user.
    ///
    /// - Throws: ``WebError`` 401 if the client has not proved to be a user, and guests may do nothing.
    func access(_ request: WebRequest) async throws -> HubAccess {
        let access: HubAccess = isAdmin ? .guest : try await authentication.access(request)
        request.body.owner.identify(access.userName)
        return access
    }

    /// Returns the current rights of the user of a request that lasts.
    ///
    /// - Throws: ``WebError`` 401 if the user was removed or disabled, or has got another password.
    func current(_ access: HubAccess) throws -> HubAccess {
        guard let name = access.userName else { return try isAdmin ? access : authentication.guestAccess() }
        guard let current = try authentication.users.access(of: name), current.password == access.password else {
            throw HubError.unauthorized
        }
        return current
    }

    /// Returns the same with the history of the user's channels.
    func rights(_ access: HubAccess) throws -> FeedRights {
        guard let name = access.userName else {
            return FeedRights(access: try current(access), history: AccessHistory(access.channels))
        }
        guard let rights = try authentication.users.rights(of: name), rights.access.password == access.password else {
            throw HubError.unauthorized
        }
        return rights
    }
}
#endif
