#if Replication
import DocumentStore
import Base
import Fleece
import Foundation
import Replication
import SyncCore
import Transport
import WebServer

/// Passes requests to what responds to them.
struct HubRouter: WebHandler {
    private let options: HubOptions
    private let databases: HubDatabases
    private let channels: ChannelIndexes
    private let authentication: Authentication
    private let sync: SyncRequests
    private let metrics = HubMetrics()
    /// The WebSockets of feeds.
    let feeds = SocketFeeds()
    private var pages: WebPages
    /// Whether all requests have access to everything.
    private var isAdmin = false

    init(
        _ options: HubOptions,
        _ databases: HubDatabases,
        _ channels: ChannelIndexes,
        _ authentication: Authentication,
        _ sync: SyncRequests
    ) {
        pages = WebPages(origins: options.allowedOrigins)
        (self.options, self.databases, self.channels) = (options, databases, channels)
        (self.authentication, self.sync) = (authentication, sync)
    }

    /// The same for the port for administration: all requests have access to everything, and web pages are not served.
    var forAdministration: HubRouter {
        var router = self
        router.isAdmin = true
        router.pages = WebPages(origins: [], refusesParts: true)
        return router
    }

    func maximumBodyBytes(method: String, path: [String]) -> Int {
        guard method == "PUT" || method == "POST" else { return 64 << 10 }
        return switch HubRoute(path) {
        case .attachment: options.maximumAttachmentSize
        // Attachments may follow the document.
        case .keyspace, .document: options.maximumDocumentSize + options.maximumAttachmentSize
        case .bulkDocuments: options.maximumDocumentSize
        // A login: the client is not known before its body has been read.
        case .session: 4 << 10
        default: 1 << 20
        }
    }

    func respond(to request: WebRequest) async throws -> WebResponse {
        let start = ContinuousClock.now
        var response: WebResponse
        var pageHeaders: [(name: String, value: String)] = []
        var failure: String?
        do {
            try await options.beforeRequest?()
            pageHeaders = try pages.headers(for: request)
            if let preflight = pages.preflight(request) {
                response = preflight
            } else {
                response = try await route(try pages.withoutCredentials(request))
            }
        } catch {
            let refusal = HubError.of(error)
            // The client is not told what is wrong with the hub.
            if refusal.status == 500 { failure = SyncError(error).message }
            response = WebResponse(refusal)
        }
        for (name, value) in pageHeaders { response.headers.append(name, value) }
        if response.headers["Cache-Control"] == nil { response.headers.append("Cache-Control", "no-store") }
        note(request, response, since: start, failure: failure)
        return response
    }

    /// Counts and logs a request.
    ///
    /// - Parameter failure: What is wrong with the hub, if the request failed because of that.
    func note(_ request: WebRequest, _ response: WebResponse, since start: ContinuousClock.Instant, failure: String? = nil) {
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        metrics.count(request.method, response.status)
        options.requestLog?(RequestLog.line(request, response.status, milliseconds, failure))
    }

    private func route(_ request: WebRequest) async throws -> WebResponse {
        let route = HubRoute(request.path, hasMetricsDatabase: databases.database("metrics") != nil)
        if request.method.isExactly("OPTIONS") {
            // What a path can do is the same for all databases, so this tells nothing about them.
            guard let route, isAdmin || !route.isForAdministration else { throw HubError.unknownURL }
            return route.options
        }
        if let route, let response = try await ownResponse(route, request) { return response }
        let first = request.path.first ?? ""
        let database = databases.database(first)
        if route == .session {
            let sessions = SessionRequests(
                authentication: authentication,
                usesTLS: options.certificate != nil && !isAdmin,
                isAdmin: isAdmin
            )
            return try await sessions.respond(to: request, ofDatabase: database != nil)
        }
        let access = try await access(request)
        // What the request takes from now on counts for the user.
        request.body.owner.identify(access.userName)
        if let route, isAdmin, route.isForAdministration, database != nil {
            try route.check(request.method)
            let name = request.path.count == 3 ? request.path[2] : nil
            if route == .users || route == .user { return try await UserRequests(users: authentication.users).respond(name, request) }
            return try await RoleRequests(users: authentication.users).respond(name, request)
        }
        if route == .sync {
            // As in Sync Gateway, a client does not learn which databases exist.
            guard let database else { throw HubError.unauthorized }
            try HubRoute.sync.check(request.method)
            return try sync.accept(request, database, channels, userName: access.userName) { [self] in
                try current(access)
            } rights: { [self] in
                try rights(access)
            }
        }
        guard let keyspace = try databases.keyspace(first) else {
            throw route == .keyspace && request.method.isExactly("PUT") ? HubError.noCreation : HubError.noDatabase
        }
        guard let route else { throw HubError.unknownURL }
        return try await respond(route, request, keyspace, access)
    }

    /// Returns the response about the hub itself; `nil` if the request is for a database.
    private func ownResponse(_ route: HubRoute, _ request: WebRequest) async throws -> WebResponse? {
        // Users of some channels do not learn which databases exist.
        var counted: [HubDatabase] = []
        switch route {
        case .welcome, .health, .ping, .description: break
        case .metrics, .plainMetrics: if try await access(request).hasAllChannels { counted = databases.all }
        default: return nil
        }
        try route.check(request.method)
        return switch route {
        case .welcome: welcome()
        case .health: WebResponse(json: Array(#"{"status":"ok"}"#.utf8))
        case .ping: WebResponse(headers: [("Content-Type", "text/plain")], body: Array("OK".utf8))
        case .description: HubDescription.response(isAdmin: isAdmin)
        default:
            metrics.response(syncCount: sync.count, sync: counted.map { ($0.name, sync.counters.count(of: $0.name)) })
        }
    }

    private func access(_ request: WebRequest) async throws -> HubAccess {
        isAdmin ? .guest : try await authentication.access(request)
    }

    /// Returns the current rights of the user of a request that lasts.
    ///
    /// - Throws: ``WebError`` 401 if the user was removed or disabled, or has got another password.
    private func current(_ access: HubAccess) throws -> HubAccess {
        guard let name = access.userName else { return try isAdmin ? access : authentication.guestAccess() }
        guard let current = try authentication.users.access(of: name), current.password == access.password else {
            throw HubError.unauthorized
        }
        return current
    }

    /// Returns the same with the history of the user's channels.
    private func rights(_ access: HubAccess) throws -> FeedRights {
        guard let name = access.userName else {
            return FeedRights(access: try current(access), history: AccessHistory(access.channels))
        }
        guard let rights = try authentication.users.rights(of: name), rights.access.password == access.password else {
            throw HubError.unauthorized
        }
        return rights
    }

    /// Returns the response to a request for a collection.
    private func respond(_ route: HubRoute, _ request: WebRequest, _ keyspace: Keyspace, _ access: HubAccess) async throws -> WebResponse {
        let now: @Sendable () throws -> HubAccess = { [self] in try current(access) }
        let lost = LostAccess(keyspace: keyspace, channels: channels) { [self] in try rights(access) }
        let limits = (document: options.maximumDocumentSize, content: options.maximumAttachmentSize)
        let documents = DocumentRequests(keyspace: keyspace, access: now, lost: lost, limits: limits)
        let names = Array(request.path.dropFirst())
        switch route {
        case .welcome, .health, .ping, .description, .metrics, .plainMetrics, .session, .sync, .users, .user, .roles, .role:
            throw HubError.unknownURL
        default: try route.check(request.method)
        }
        switch (route, request.method) {
        case (.keyspace, "GET"): return try DatabaseInformation.response(keyspace)
        case (.keyspace, "PUT"): throw HubError.databaseExists
        case (.keyspace, "POST"): return try await documents.put(nil, request)
        case (.fullCommit, _): return try await DatabaseInformation.committed(keyspace, request)
        case (.allDocuments, _): return try await AllDocuments(keyspace: keyspace, access: now).get(request)
        case (.bulkDocuments, _): return try await BulkRequests(documents: documents).store(request)
        case (.bulkGet, _): return try await BulkRequests(documents: documents).get(request)
        case (.revisionsDifference, _): return try await RevisionsDifference(documents: documents).respond(request)
        case (.changes, _):
            let changes = try await ChangesRequest(request, maximumTimeout: options.maximumFeedTimeout)
            let index = try channels.index(of: keyspace.id, in: keyspace.database)
            let own = databases.own.file
            let feed: @Sendable (ChangesRequest) -> ChangesFeed = { options in
                ChangesFeed(keyspace, index, own: own, options) { [self] in try rights(access) }
            }
            return changes.feed == .websocket ? try SocketFeed(changes, feeds, feed).response(to: request) : try feed(changes).response()
        case (.query, _): return try await QueryRequests(database: keyspace.database, access: now).run(request)
        case (.localDocument, let method):
            let local = LocalDocuments(keyspace: keyspace, access: now)
            switch method {
            case "GET": return try local.get(names[1])
            case "PUT": return try await local.put(names[1], request)
            case "DELETE": return try local.delete(names[1], request)
            default: throw route.wrongMethod
            }
        case (.document, "GET"): return try await documents.getInTurn(names[0], request)
        case (.document, "PUT"): return try await documents.put(names[0], request)
        case (.document, "DELETE"): return try documents.delete(names[0], request)
        case (.attachment, let method):
            let (attachments, name) = (AttachmentRequests(documents: documents), names.dropFirst().joined(separator: "/"))
            switch method {
            case "GET": return try attachments.get(names[0], name, request)
            case "PUT": return try await attachments.put(names[0], name, request)
            case "DELETE": return try attachments.delete(names[0], name, request)
            default: throw route.wrongMethod
            }
        default: throw route.wrongMethod
        }
    }

    private func welcome() -> WebResponse {
        let json = JSONWriter.object { writer in
            writer.member("couchdb", "Welcome")
            writer.object("vendor", ["name": "CouchbaseLiteSwift Hub", "version": Hub.version])
            writer.member("version", "CouchbaseLiteSwift Hub/" + Hub.version)
        }
        return WebResponse(json: json.byteArray)
    }
}

/// The information about a database: `GET /{keyspace}/`.
private enum DatabaseInformation {
    static func response(_ keyspace: Keyspace) throws -> WebResponse {
        let sequence = try keyspace.store.lastSequence()
        let uuid = try keyspace.database.file.publicUUID()
        let json = JSONWriter.object { writer in
            writer.members([
                "db_name": keyspace.database.name, "update_seq": sequence, "committed_update_seq": sequence,
                "instance_start_time": keyspace.database.startTime, "compact_running": false, "purge_seq": 0,
                "disk_format_version": 0, "state": "Online",
            ])
            if let uuid { writer.member("server_uuid", uuid.map { String(format: "%02x", $0) }.joined()) }
        }
        return WebResponse(json: json.byteArray)
    }

    /// `POST /{keyspace}/_ensure_full_commit`, for clients of CouchDB: what was stored before is committed when its response is sent.
    static func committed(_ keyspace: Keyspace, _ request: WebRequest) async throws -> WebResponse {
        // Otherwise the connection could not be used for another request.
        _ = try await request.body.collect()
        let json = JSONWriter.object(["instance_start_time": keyspace.database.startTime, "ok": true])
        return WebResponse(status: 201, json: json.byteArray)
    }
}

/// The log of requests: one line of JSON for each.
enum RequestLog {
    static func line(_ request: WebRequest, _ status: Int, _ milliseconds: Int, _ failure: String?) -> String {
        JSONWriter.object { writer in
            writer.members([
                "time": Date().formatted(.iso8601), "client": request.remoteAddress,
                "method": request.isHead ? "HEAD" : request.method,
                // Without the query, which may contain parts of documents.
                "path": String(request.target.prefix { $0 != "?" }.prefix(1000)), "status": status, "ms": milliseconds,
            ])
            if let failure { writer.member("error", String(failure.prefix(1000))) }
        }.string
    }
}
#endif
