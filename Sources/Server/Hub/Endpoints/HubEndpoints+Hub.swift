#if Replication
import Fleece
import WebServer

/// Requests about the hub itself.
extension HubEndpoints {
    static let hub: [HubEndpoint<OpenCall>] = [
        .init("GET /", "welcome", "Returns the version of the hub.", .json("The version.")) { _ in welcome() },
        .init("GET /_health", "health", "Says that the hub responds.", .json("The hub responds.")) { _ in
            WebResponse(json: Array(#"{"status":"ok"}"#.utf8))
        },
        .init("GET /_ping", "ping", "Says that the hub responds, as a text.", .text("The hub responds.")) { _ in
            WebResponse(headers: [("Content-Type", "text/plain")], body: Array("OK".utf8))
        },
        .init("GET /_openapi", "description", "Returns this description.", .json("The description.")) { call in
            WebResponse(json: call.port.isAdmin ? adminDescription : usersDescription)
        },
    ]

    /// The path that scrapers of Prometheus use unless configured. A database of this name has precedence.
    static let plainMetricsPath = "/metrics"

    static let metrics: [HubEndpoint<UserCall>] = [
        .init("GET /_metrics", "metrics", "Returns counters in the text format of Prometheus.", .text("The counters."), respond: counters),
        .init(
            "GET \(plainMetricsPath)",
            "plainMetrics",
            "The same as `/_metrics`, unless a database has the name `metrics`.",
            .text("The counters."),
            respond: counters
        ),
    ]

    private static func counters(_ call: UserCall) -> WebResponse {
        let port = call.port
        // Users of some channels do not learn which databases exist.
        let counted = call.access.hasAllChannels ? port.databases.all : []
        let counts = counted.map { ($0.name, port.sync.counters.count(of: $0.name)) }
        return port.metrics.response(syncCount: port.sync.count, sync: counts)
    }

    /// The version of the API that responses name.
    private static let version = "3.2.0"

    private static func welcome() -> WebResponse {
        let json = JSONWriter.object { writer in
            writer.member("couchdb", "Welcome")
            writer.object("vendor", ["name": "CouchbaseLiteSwift Hub", "version": version])
            writer.member("version", "CouchbaseLiteSwift Hub/" + version)
        }
        return WebResponse(json: json.byteArray)
    }
}
#endif
