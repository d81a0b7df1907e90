#if Replication
import Fleece
import Foundation
import WebServer

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
