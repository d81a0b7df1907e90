#if Replication
import Base
import WebServer

/// The requests to which a hub responds. What is not in this table is not served.
///
/// The raw value is the path, as the description of the API writes it (``HubDescription``). Parts in braces stand for any segment; a document's
/// ID does not begin with an underscore, and the name of an attachment may have several segments.
enum HubRoute: String, CaseIterable, Sendable {
    case welcome = "/"
    case health = "/_health"
    case ping = "/_ping"
    case description = "/_openapi"
    case metrics = "/_metrics"
    /// The path that scrapers of Prometheus use unless configured, if no database has this name.
    case plainMetrics = "/metrics"
    case session = "/{database}/_session"
    case sync = "/{database}/_blipsync"
    case users = "/{database}/_user/"
    case user = "/{database}/_user/{user}"
    case roles = "/{database}/_role/"
    case role = "/{database}/_role/{role}"
    case keyspace = "/{keyspace}/"
    case allDocuments = "/{keyspace}/_all_docs"
    case bulkDocuments = "/{keyspace}/_bulk_docs"
    case bulkGet = "/{keyspace}/_bulk_get"
    case fullCommit = "/{keyspace}/_ensure_full_commit"
    case revisionsDifference = "/{keyspace}/_revs_diff"
    case changes = "/{keyspace}/_changes"
    case query = "/{keyspace}/_query"
    case localDocument = "/{keyspace}/_local/{local}"
    case document = "/{keyspace}/{document}"
    case attachment = "/{keyspace}/{document}/{attachment}"

    /// The methods, in the order in which the field `Allow` lists them. `HEAD` counts as `GET`.
    var methods: [String] {
        switch self {
        case .welcome, .health, .ping, .description, .metrics, .plainMetrics, .sync: ["GET"]
        case .bulkDocuments, .bulkGet, .fullCommit, .revisionsDifference, .query: ["POST"]
        case .keyspace: ["GET", "PUT", "POST"]
        case .allDocuments, .changes, .users, .roles: ["GET", "POST"]
        case .document, .attachment, .localDocument, .user, .role: ["GET", "PUT", "DELETE"]
        case .session: ["GET", "POST", "DELETE"]
        }
    }

    /// Whether only the port for administration has this route.
    var isForAdministration: Bool {
        switch self {
        case .users, .user, .roles, .role: true
        default: false
        }
    }

    private static let table = allCases.map { route in (route, route.rawValue.split(separator: "/").map(String.init)) }

    /// Finds the route of a path.
    ///
    /// - Parameters:
    ///   - path: The decoded segments.
    ///   - hasMetricsDatabase: Whether a database has the name `metrics`.
    init?(_ path: [String], hasMetricsDatabase: Bool = false) {
        let found = Self.table.first { route, pattern in
            Self.matches(path, pattern) && !(route == .plainMetrics && hasMetricsDatabase)
        }
        guard let found else { return nil }
        self = found.0
    }

    private static func matches(_ path: [String], _ pattern: [String]) -> Bool {
        let isLong = pattern.last == "{attachment}" && path.count > pattern.count
        guard path.count == pattern.count || isLong else { return false }
        return zip(path, pattern).allSatisfy { segment, part in
            part.hasPrefix("{") ? part != "{document}" || !segment.beginsExactly(with: "_") : segment.isExactly(part)
        }
    }

    /// - Throws: ``WebError`` 405 if the route does not have the method.
    func check(_ method: String) throws(WebError) {
        guard methods.contains(where: { $0.isExactly(method) }) else { throw wrongMethod }
    }

    /// The response to `OPTIONS`: the methods.
    var options: WebResponse {
        let allowed = methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] } + ["OPTIONS"]
        return WebResponse(status: 204, headers: [("Allow", allowed.joined(separator: ", "))])
    }

    /// The error of a request whose method the route does not have.
    var wrongMethod: WebError { HubError.wrongMethod(methods.joined(separator: ", ")) }
}
#endif
