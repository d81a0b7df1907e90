#if Replication
import Base
import WebServer

/// Passes the requests of the port for administration to the hub, or to the inspector.
struct AdminRouter: WebHandler {
    private let hub: HubRouter
    private let inspector: (any WebHandler)?

    init(_ hub: HubRouter, inspector: (any WebHandler)?) {
        self.hub = hub
        self.inspector = inspector
    }

    func maximumBodyBytes(method: String, path: [String]) -> Int {
        (isForInspector(path) ? inspector : nil)?.maximumBodyBytes(method: method, path: path)
            ?? hub.maximumBodyBytes(method: method, path: path)
    }

    func respond(to request: WebRequest) async throws -> WebResponse {
        guard isForInspector(request.path), let inspector else { return try await hub.respond(to: request) }
        let start = ContinuousClock.now
        let response = try await inspector.respond(to: request)
        // Its page reads counters and lines of the log every second: only what may change something is noted.
        if request.method != "GET" { hub.note(request, response, since: start) }
        return response
    }

    private func isForInspector(_ path: [String]) -> Bool { path.first?.isExactly(Hub.inspectorPath) ?? false }
}
#endif
