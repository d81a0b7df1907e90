#if Replication
import Base
import Replication
import SyncCore
import Transport
import WebServer

/// Responds to the requests of one port of a hub. It finds the route of a path in the table of endpoints (``HubEndpoints``), which checks the
/// request and responds to it. Here is what all requests have in common: the rules for web pages, errors as JSON, the log and the counters.
struct HubRouter: WebHandler {
    private let port: HubPort
    private let routes: HubRoutes
    private let pages: WebPages

    init(_ port: HubPort) {
        self.port = port
        let hasMetricsDatabase = port.databases.database("metrics") != nil
        routes = HubRoutes(
            HubEndpoints.routes(isAdmin: port.isAdmin).filter { !hasMetricsDatabase || $0.path != HubEndpoints.plainMetricsPath }
        )
        pages = port.isAdmin ? WebPages(origins: [], refusesParts: true) : WebPages(origins: port.options.allowedOrigins)
    }

    func maximumBodyBytes(method: String, path: [String]) -> Int {
        guard method == "PUT" || method == "POST" else { return 64 << 10 }
        return routes.route(of: path)?.maximumBodyBytes(port.options) ?? HubRoutes.defaultBodyBytes
    }

    func respond(to request: WebRequest) async throws -> WebResponse {
        let start = ContinuousClock.now
        var response: WebResponse
        var pageHeaders: [(name: String, value: String)] = []
        var failure: String?
        do {
            try await port.options.beforeRequest?()
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
        port.metrics.count(request.method, response.status)
        port.options.requestLog?(RequestLog.line(request, response.status, milliseconds, failure))
    }

    private func route(_ request: WebRequest) async throws -> WebResponse {
        let asksForMethods = request.method.isExactly("OPTIONS")
        guard let route = routes.route(of: request.path) else {
            // Who has not logged in learns nothing else.
            if !asksForMethods { _ = try await CollectionCall(request, at: port) }
            throw HubError.unknownURL
        }
        // What a path can do is the same for all databases, so this tells nothing about them.
        return asksForMethods ? route.options : try await route.respond(request, port)
    }
}
#endif
