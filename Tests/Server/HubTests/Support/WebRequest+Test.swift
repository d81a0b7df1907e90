#if Replication
import Testing
import Transport

@testable import WebServer

extension WebRequest {
    /// Creates a request that no server has received.
    init(method: String, target: String, headers: [(name: String, value: String)] = [], body: WebBody) throws {
        let parsed = try #require(WebTarget(target))
        self.init(
            method: method,
            isHead: false,
            target: target,
            path: parsed.path,
            query: parsed.query,
            headers: HTTPFields(headers),
            body: body,
            remoteAddress: "",
            clientAddress: ClientAddress(nil)
        )
    }
}
#endif
