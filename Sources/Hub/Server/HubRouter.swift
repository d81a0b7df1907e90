#if Replication
import DocumentStore
import ExactStrings
import Fleece
import Foundation
import LogCore
import Replication
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
    private let pages: WebPages
    /// Whether all requests have access to everything.
    private let isAdmin: Bool

    init(
        _ options: HubOptions,
        _ databases: HubDatabases,
        _ channels: ChannelIndexes,
        _ authentication: Authentication,
        _ sync: SyncRequests,
        isAdmin: Bool = false
    ) {
        self.isAdmin = isAdmin
        pages = WebPages(origins: isAdmin ? [] : options.allowedOrigins)
        self.options = options
        self.databases = databases
        self.channels = channels
        self.authentication = authentication
        self.sync = sync
    }

    func maximumBodyBytes(method: String, path: [String]) -> Int {
        guard method == "PUT" || method == "POST" else { return 64 << 10 }
        if path.count == 3, path[1] != "_local" { return options.maximumAttachmentSize }
        if path.count == 2, ["_session", "_all_docs", "_bulk_get", "_changes"].contains(path[1]) { return 1 << 20 }
        return options.maximumDocumentSize
    }

    func respond(to request: WebRequest) async throws -> WebResponse {
        let start = ContinuousClock.now
        var response: WebResponse
        var pageHeaders: [(name: String, value: String)] = []
        do {
            try await options.beforeRequest?()
            pageHeaders = try pages.headers(for: request)
            if let preflight = pages.preflight(request) { response = preflight } else { response = try await route(request) }
        } catch {
            response = WebResponse(HubError.of(error))
        }
        for (name, value) in pageHeaders { response.headers.append(name, value) }
        if response.headers["Cache-Control"] == nil { response.headers.append("Cache-Control", "no-store") }
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        metrics.count(request.method, response.status)
        options.requestLog?(RequestLog.line(request, response.status, milliseconds))
        return response
    }

    /// Returns a name as it is written in a path.
    static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? name
    }

    private func route(_ request: WebRequest) async throws -> WebResponse {
        if let response = try await ownResponse(request) { return response }
        guard let first = request.path.first else { throw HubError.missing }
        if request.path.count == 2, request.path[1] == "_session", let database = databases.database(first) {
            return try await SessionRequests(
                database: database,
                authentication: authentication,
                usesTLS: options.certificate != nil && !isAdmin
            ).respond(to: request)
        }
        let access = try await access(request)
        if isAdmin, (2...3).contains(request.path.count), databases.database(first) != nil {
            let name = request.path.count == 3 ? request.path[2] : nil
            if request.path[1].isExactly("_user") { return try await UserRequests(users: authentication.users).respond(name, request) }
            if request.path[1].isExactly("_role") { return try await RoleRequests(users: authentication.users).respond(name, request) }
        }
        if request.path.count == 2, request.path[1].isExactly("_blipsync") {
            // As in Sync Gateway, a client does not learn which databases exist.
            guard let database = databases.database(first) else { throw HubError.unauthorized }
            guard request.method == "GET" else { throw HubError.wrongMethod("GET") }
            return try sync.accept(request, database, channels, userName: access.userName) { [self] in
                try current(access)
            } rights: { [self] in
                try rights(access)
            }
        }
        guard let keyspace = try databases.keyspace(first) else { throw HubError.noDatabase }
        return try await route(request, keyspace, access)
    }

    /// Returns the response about the hub itself; `nil` if the request is for a database.
    private func ownResponse(_ request: WebRequest) async throws -> WebResponse? {
        let response: WebResponse
        switch (request.path.first, request.path.count) {
        case (nil, _): response = welcome()
        case ("_health", 1): response = WebResponse(json: Array(#"{"status":"ok"}"#.utf8))
        case ("_openapi", 1): response = HubDescription.response
        case ("_metrics", 1),
            ("metrics", 1) where databases.database("metrics") == nil:
            _ = try await access(request)
            response = metrics.response(syncCount: sync.count)
        default: return nil
        }
        guard request.method == "GET" else { throw HubError.wrongMethod("GET") }
        return response
    }

    private func access(_ request: WebRequest) async throws -> HubAccess {
        isAdmin ? .guest : try await authentication.access(request)
    }

    /// Returns the current rights of the user of a request that lasts.
    private func current(_ access: HubAccess) throws -> HubAccess {
        guard let name = access.userName else { return access }
        guard let current = try authentication.users.access(of: name) else { throw HubError.unauthorized }
        return current
    }

    /// Returns the same with the history of the user's channels.
    private func rights(_ access: HubAccess) throws -> FeedRights {
        guard let name = access.userName else { return FeedRights(access: access, history: AccessHistory(access.channels)) }
        guard let rights = try authentication.users.rights(of: name) else { throw HubError.unauthorized }
        return rights
    }

    private func route(_ request: WebRequest, _ keyspace: Keyspace, _ access: HubAccess) async throws -> WebResponse {
        let documents = DocumentRequests(keyspace: keyspace, access: access)
        let path = request.path.dropFirst()
        guard let name = path.first else {
            switch request.method {
            case "GET": return try DatabaseInformation.response(keyspace)
            case "POST": return try await documents.put(nil, request)
            default: throw HubError.wrongMethod("GET, POST")
            }
        }
        switch (name, path.count, request.method) {
        case ("_all_docs", 1, "GET"), ("_all_docs", 1, "POST"):
            return try await AllDocuments(keyspace: keyspace, access: access).get(request)
        case ("_bulk_docs", 1, "POST"): return try await BulkRequests(documents: documents).store(request)
        case ("_bulk_get", 1, "POST"): return try await BulkRequests(documents: documents).get(request)
        case ("_changes", 1, "GET"), ("_changes", 1, "POST"):
            let changes = try await ChangesRequest(request)
            let index = try channels.index(of: keyspace.id, in: keyspace.database)
            let own = databases.own.file
            let feed: @Sendable (ChangesRequest) -> ChangesFeed = { options in
                ChangesFeed(keyspace, index, own: own, options) { [self] in try rights(access) }
            }
            return changes.feed == .websocket ? try SocketFeed(changes, feed).response(to: request) : feed(changes).response()
        case ("_query", 1, "POST"): return try await QueryRequests(database: keyspace.database, access: access).run(request)
        case ("_local", 2, _): return try await local(path[path.startIndex + 1], request, keyspace, access)
        case (_, 1, _) where !name.hasPrefix("_"): return try await document(name, request, documents)
        case (_, 2..., _) where !name.hasPrefix("_"):
            let attachment = path.dropFirst().joined(separator: "/")
            return try await self.attachment(name, attachment, request, AttachmentRequests(documents: documents))
        case ("_all_docs", 1, _), ("_changes", 1, _): throw HubError.wrongMethod("GET, POST")
        case ("_bulk_docs", 1, _), ("_bulk_get", 1, _), ("_query", 1, _): throw HubError.wrongMethod("POST")
        default: throw WebError(404, "unknown URL", error: "not_found")
        }
    }

    private func document(_ id: String, _ request: WebRequest, _ documents: DocumentRequests) async throws -> WebResponse {
        switch request.method {
        case "GET": return try documents.get(id, request)
        case "PUT": return try await documents.put(id, request)
        case "DELETE": return try documents.delete(id, request)
        default: throw HubError.wrongMethod("GET, PUT, DELETE")
        }
    }

    private func attachment(
        _ id: String,
        _ name: String,
        _ request: WebRequest,
        _ attachments: AttachmentRequests
    ) async throws -> WebResponse {
        switch request.method {
        case "GET": return try attachments.get(id, name, request)
        case "PUT": return try await attachments.put(id, name, request)
        case "DELETE": return try attachments.delete(id, name, request)
        default: throw HubError.wrongMethod("GET, PUT, DELETE")
        }
    }

    private func local(_ name: String, _ request: WebRequest, _ keyspace: Keyspace, _ access: HubAccess) async throws -> WebResponse {
        let local = LocalDocuments(keyspace: keyspace, access: access)
        switch request.method {
        case "GET": return try local.get(name)
        case "PUT": return try await local.put(name, request)
        case "DELETE": return try local.delete(name, request)
        default: throw HubError.wrongMethod("GET, PUT, DELETE")
        }
    }

    private func welcome() -> WebResponse {
        var writer = JSONWriter()
        writer.append(raw: #"{"couchdb":"Welcome","vendor":{"name":"CouchbaseLiteSwift Hub","version":"#)
        writer.append(Hub.version)
        writer.append(raw: #"},"version":"#)
        writer.append("CouchbaseLiteSwift Hub/" + Hub.version)
        writer.append(ascii: "}")
        return WebResponse(json: writer.byteArray)
    }
}

/// The information about a database: `GET /{keyspace}/`.
private enum DatabaseInformation {
    static func response(_ keyspace: Keyspace) throws -> WebResponse {
        let sequence = try keyspace.store.lastSequence()
        var writer = JSONWriter()
        writer.append(raw: #"{"db_name":"#)
        writer.append(keyspace.database.name)
        writer.append(raw: #","update_seq":"#)
        writer.append(unsigned: sequence)
        writer.append(raw: #","committed_update_seq":"#)
        writer.append(unsigned: sequence)
        writer.append(raw: #","instance_start_time":"#)
        writer.append(keyspace.database.startTime)
        writer.append(raw: #","compact_running":false,"purge_seq":0,"disk_format_version":0,"state":"Online"}"#)
        return WebResponse(json: writer.byteArray)
    }
}

/// The log of requests: one line of JSON for each.
enum RequestLog {
    static func line(_ request: WebRequest, _ status: Int, _ milliseconds: Int) -> String {
        var writer = JSONWriter()
        writer.append(raw: #"{"time":"#)
        writer.append(Date().formatted(.iso8601))
        writer.append(raw: #","client":"#)
        writer.append(request.remoteAddress)
        writer.append(raw: #","method":"#)
        writer.append(request.isHead ? "HEAD" : request.method)
        // Without the query, which may contain parts of documents.
        writer.append(raw: #","path":"#)
        writer.append(String(request.target.prefix { $0 != "?" }.prefix(1000)))
        writer.append(raw: #","status":"#)
        writer.append(Int64(status))
        writer.append(raw: #","ms":"#)
        writer.append(Int64(milliseconds))
        writer.append(ascii: "}")
        return writer.string
    }
}
#endif
