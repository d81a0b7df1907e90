#if Replication
import Fleece
import WebServer

/// Requests about the hub itself.
extension HubEndpoints {
    /// The path that scrapers of Prometheus use unless configured. A database of this name has precedence.
    static let plainMetricsPath = "/metrics"

    static let hub = [
        HubRoute(
            "/",
            [
                HubEndpoint<OpenCall>("GET", "welcome", "Returns the version of the hub.", responses: [.json("The version.")]) { _ in
                    welcome()
                }
            ]
        ),
        HubRoute(
            "/_health",
            [
                HubEndpoint<OpenCall>("GET", "health", "Says that the hub responds.", responses: [.json("The hub responds.")]) { _ in
                    WebResponse(json: Array(#"{"status":"ok"}"#.utf8))
                }
            ]
        ),
        HubRoute(
            "/_ping",
            [
                HubEndpoint<OpenCall>("GET", "ping", "Says that the hub responds, as a text.", responses: [.text("The hub responds.")]) {
                    _ in
                    WebResponse(headers: [("Content-Type", "text/plain")], body: Array("OK".utf8))
                }
            ]
        ),
        HubRoute("/_metrics", [metrics("metrics", "Returns counters in the text format of Prometheus.")]),
        HubRoute(
            plainMetricsPath,
            [metrics("plainMetrics", "The same as `/_metrics`, unless a database has the name `metrics`.")]
        ),
        HubRoute(
            "/_openapi",
            [
                HubEndpoint<OpenCall>("GET", "description", "Returns this description.", responses: [.json("The description.")]) { call in
                    WebResponse(json: call.port.isAdmin ? adminDescription : usersDescription)
                }
            ]
        ),
    ]

    private static func metrics(_ id: String, _ summary: String) -> HubEndpoint<UserCall> {
        HubEndpoint("GET", id, summary, responses: [.text("The counters.")]) { call in
            let (port, counters) = (call.port, call.port.sync.counters)
            // Users of some channels do not learn which databases exist.
            let counted = call.access.hasAllChannels ? port.databases.all : []
            return port.metrics.response(syncCount: port.sync.count, sync: counted.map { ($0.name, counters.count(of: $0.name)) })
        }
    }

    private static func welcome() -> WebResponse {
        let json = JSONWriter.object { writer in
            writer.member("couchdb", "Welcome")
            writer.object("vendor", ["name": "CouchbaseLiteSwift Hub", "version": Hub.version])
            writer.member("version", "CouchbaseLiteSwift Hub/" + Hub.version)
        }
        return WebResponse(json: json.byteArray)
    }
}
#endif
