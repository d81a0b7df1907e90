#if Replication
import Base
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

    /// - Parameter sync: What was synced, by the names of databases.
    func response(syncCount: Int, sync: [(database: String, count: SyncCount)]) -> WebResponse {
        var text = "# HELP hub_requests_total The number of responses.\n# TYPE hub_requests_total counter\n"
        for (labels, count) in requests.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "hub_requests_total{\(labels)} \(count)\n"
        }
        text += "# HELP hub_sync_clients The number of clients that sync.\n# TYPE hub_sync_clients gauge\nhub_sync_clients \(syncCount)\n"
        for counter in Self.counters {
            let name = "hub_sync_\(counter.name)_total"
            text += "# HELP \(name) \(counter.help)\n# TYPE \(name) counter\n"
            for (database, count) in sync {
                text += "\(name){database=\"\(Self.label(database))\"} \(count[keyPath: counter.value])\n"
            }
        }
        return WebResponse(headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: Array(text.utf8))
    }

    private struct Counter {
        let name: String
        let help: String
        let value: any KeyPath<SyncCount, UInt64> & Sendable
    }

    private static let counters = [
        Counter(name: "documents_sent", help: "The number of documents that clients have pulled.", value: \.sent),
        Counter(name: "documents_received", help: "The number of documents that clients have pushed.", value: \.received),
        Counter(name: "documents_refused", help: "How often one side has refused a document.", value: \.refused),
        Counter(name: "failures", help: "The number of connections that ended with an error.", value: \.failures),
    ]

    /// Returns a text as the value of a label.
    private static func label(_ text: String) -> String {
        // By scalars: a quotation mark followed by a combining accent, or a line feed after a carriage return, is part of another character.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\", "\"": result.unicodeScalars.append(contentsOf: ["\\", scalar])
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
#endif
