#if Replication
package import CouchbaseLiteSwift

import Transport
package import WebServer

/// Serves a page to look at a database and to change it, and the API that the page uses, to a browser on this machine.
///
/// Every request needs the cookie that the browser gets for the token in ``makeLink(port:)``. Requests from pages of other web sites are
/// refused.
package final class Inspector: WebHandler {
    private let inspected: InspectedDatabase
    private let access = InspectorAccess()

    /// - Parameters:
    ///   - database: The database, which must stay open. If it is open for reading only, nothing can be changed.
    ///   - notice: What the page tells about the database, for example why it is read-only; `nil` for nothing.
    ///   - log: The lines for the page's view of the log.
    package init(_ database: Database, notice: String? = nil, log: LogBuffer = LogBuffer()) {
        inspected = InspectedDatabase(database, notice: notice, log: log)
    }

    /// Returns the link that gives a browser access. It works once. The link before it stops working.
    ///
    /// - Parameter port: The port at which the server listens.
    package func makeLink(port: Int) -> String {
        "http://127.0.0.1:\(port)/?token=\(access.makeToken())"
    }

    /// Cancels the running queries, so that the server can stop.
    package func stop() { inspected.queries.cancelAll() }

    /// A document has at most 20 MB; other requests are small.
    package func maximumBodyBytes(method: String, path: [String]) -> Int {
        path == ["api", "document"] || path == ["api", "conflicts"] ? 24 << 20 : 1 << 20
    }

    package func respond(to request: WebRequest) async throws -> WebResponse {
        let isContent = request.path == ["api", "blob"]
        let answer = await answer(to: request)
        var headers = [(name: "Content-Type", value: answer.contentType)] + answer.headers
        headers += (isContent ? SecurityHeaders.content : SecurityHeaders.page).map {
            (name: $0.0, value: $0.1)
        }
        return WebResponse(status: answer.status, headers: headers, body: answer.body)
    }

    private func answer(to request: WebRequest) async -> APIResponse {
        do {
            try Self.origin(of: request).check()
            if request.path.isEmpty, request.method == "GET", let token = request.queryValue("token") {
                return open(token, hasCookie: hasAccess(request))
            }
            guard hasAccess(request) else {
                if request.path.isEmpty { return PageFiles.withoutAccess }
                throw APIError(.unauthorized, "open the link that cblite has printed")
            }
            if request.path.count == 2, request.path[0] == "api" { return try await call(request) }
            guard request.method == "GET" else {
                throw APIError(.badMethod, "only GET is possible here")
            }
            guard let page = PageFiles.response(request.path) else {
                throw APIError(.notFound, "there is no such page")
            }
            return page
        } catch let error as WebError {
            return APIResponse(status: error.status, body: JSONValue.object([("error", .string(error.reason))]).bytes)
        } catch {
            return APIError(error).response
        }
    }

    private func call(_ request: WebRequest) async throws -> APIResponse {
        let call = APIRequest(
            method: request.method,
            name: request.path[1],
            parameters: request.query,
            body: try await request.body.collect(),
            range: request.headers["Range"]
        )
        return inspected.answer(call)
    }

    private func hasAccess(_ request: WebRequest) -> Bool {
        access.allows(cookies: request.headers.values(of: "Cookie"))
    }

    /// Exchanges the token for a cookie, and leads to the page without the token in its address.
    private func open(_ token: String, hasCookie: Bool) -> APIResponse {
        let session = access.exchange(token)
        guard session != nil || hasCookie else { return PageFiles.withoutAccess }
        var response = APIResponse(
            status: 303,
            contentType: "text/plain",
            headers: [("Location", "/")]
        )
        if let session {
            response.headers.append(
                ("Set-Cookie", "\(access.cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict")
            )
        }
        return response
    }

    private static func origin(of request: WebRequest) -> RequestOrigin {
        RequestOrigin(
            method: request.method,
            isForPage: request.path.isEmpty,
            host: request.headers["Host"],
            origin: request.headers["Origin"],
            site: request.headers["Sec-Fetch-Site"],
            contentType: request.headers["Content-Type"]
        )
    }
}
#endif
