#if Replication
import ExactStrings
import Synchronization
import WebServer

/// The counters of a hub, in the text format of Prometheus.
final class HubMetrics: Sendable {
    private static let methods: Set<ExactString> = ["GET", "PUT", "POST", "DELETE"]
    private let requests = Mutex<[ExactString: Int]>([:])

    func count(_ method: String, _ status: Int) {
        // Methods are texts of clients: the number of counters must have a limit.
        let method = Self.methods.contains(method) ? method : "other"
        let labels = "method=\"\(method)\",status=\"\(status)\""
        requests.withLock { $0[ExactString(labels), default: 0] += 1 }
    }

    func response(syncCount: Int) -> WebResponse {
        var text = "# HELP hub_requests_total The number of responses.\n# TYPE hub_requests_total counter\n"
        for (labels, count) in requests.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "hub_requests_total{\(labels)} \(count)\n"
        }
        text += "# HELP hub_sync_clients The number of clients that sync.\n# TYPE hub_sync_clients gauge\nhub_sync_clients \(syncCount)\n"
        return WebResponse(headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: Array(text.utf8))
    }
}
#endif
