#if Replication
import Base
import Transport
package import WebServer

/// Serves a page to look at databases and to change them, and the API that the page uses, to a browser on this machine.
///
/// Every request needs the cookie that the browser gets for the token in ``makeLink(port:)``. Requests from pages of other web sites are
/// refused.
package final class Inspector: WebHandler {
    private let paths: InspectorPaths
    private let databases: [InspectedDatabase]
    private let access = InspectorAccess()
    private let queries = RunningQueries()
    private let streams = PageStreams()
    private let users: InspectedUsers?

    /// Creates an inspector of one database, whose page is at the root. If the database is open for reading only, nothing can be changed.
    ///
    /// - Parameter log: The lines for the page's view of the log.
    package init(_ database: InspectedSource, log: LogBuffer = LogBuffer()) {
        paths = InspectorPaths(base: nil, hasNames: false)
        databases = [InspectedDatabase(database, log: log, queries: queries)]
        users = nil
    }

    /// Creates an inspector of several databases: there is a list of them at `/base/`, and the page of each at `/base/name/`.
    ///
    /// - Parameters:
    ///   - base: The segment with which all paths begin. Other paths have no pages.
    ///   - users: The users of the databases, which the list of databases shows; `nil` if they have none.
    ///   - log: The lines for the page's view of the log.
    package init(_ databases: [InspectedSource], below base: String, users: InspectedUsers? = nil, log: LogBuffer = LogBuffer()) {
        paths = InspectorPaths(base: base, hasNames: true)
        self.databases = databases.map { [queries] in InspectedDatabase($0, log: log, queries: queries) }
        self.users = users
    }

    /// Returns the link that gives a browser access. It works once. The link before it stops working.
    ///
    /// - Parameter port: The port at which the server listens.
    package func makeLink(port: Int) -> String { "http://127.0.0.1:\(port)\(paths.root)?token=\(access.makeToken())" }

    /// Cancels the running queries, and lets none begin, so that the server can stop.
    package func stop() { queries.stop() }

    /// A document has at most 20 MB, and an uploaded blob may have as much; other requests are small.
    package func maximumBodyBytes(method: String, path: [String]) -> Int {
        guard let rest = paths.target(of: path)?.rest else { return 0 }
        let isLarge = ["document", "conflicts", "blob"].contains { rest.elementsEqual(["api", $0]) }
        return isLarge ? 24 << 20 : 1 << 20
    }

    /// The number of pages that are told of changes.
    package var streamCount: Int { streams.count }

    package func respond(to request: WebRequest) async throws -> WebResponse {
        let target = paths.target(of: request.path)
        let isContent = target?.rest.elementsEqual(["api", "blob"]) ?? false
        let answer: APIResponse
        switch await self.answer(to: request, target) {
        case .response(let response): answer = response
        case .stream(let stream): return stream.response
        }
        var headers = [(name: "Content-Type", value: answer.contentType)] + answer.headers
        headers += (isContent ? SecurityHeaders.content : SecurityHeaders.page).map {
            (name: $0.0, value: $0.1)
        }
        return WebResponse(status: answer.status, headers: headers, body: answer.body)
    }

    private enum Answer {
        case response(APIResponse)
        case stream(PageStream)
    }

    private func answer(to request: WebRequest, _ target: InspectorPaths.Target?) async -> Answer {
        do {
            try Self.origin(of: request, target).check()
            guard let target else { throw Self.noPage }
            // Whoever has no access sees a page, which looks like the others.
            if request.method == "GET", let file = PageFiles.publicFile(target.rest) { return .response(file) }
            // HEAD changes nothing: programs that look at links would use up the token of the browser for which it was made.
            if target.isPage, request.method == "GET", !request.isHead, let token = request.queryValue("token") {
                return .response(open(target, token, hasCookie: session(of: request) != nil))
            }
            guard let session = self.session(of: request) else {
                if target.isPage { return .response(PageFiles.withoutAccess) }
                throw APIError(.unauthorized, "open the link that cblite has printed")
            }
            if target.rest.elementsEqual(["api", "stream"]) { return .stream(try stream(request, target, session)) }
            if target.rest.count == 2, target.rest.first == "api" { return .response(try await call(request, target)) }
            return .response(try page(request, target))
        } catch let error as WebError {
            return .response(APIResponse(status: error.status, body: APIResponse.json(["error": error.reason]).body))
        } catch {
            return .response(APIError(error).response)
        }
    }

    /// `GET stream`: a WebSocket on which the page is told of changes.
    private func stream(_ request: WebRequest, _ target: InspectorPaths.Target, _ session: String) throws -> PageStream {
        // Browsers state the origin of every WebSocket, and send cookies with those of other sites' pages, too.
        guard request.isWebSocketUpgrade else {
            throw APIError(.badRequest, "the stream is a WebSocket, of version 13 and with a valid key")
        }
        guard request.headers["Origin"] != nil else { throw APIError(.badRequest, "the header Origin of the stream is missing") }
        let database = self.database(of: target)
        guard database != nil || paths.hasNames && target.database == nil else { throw Self.noDatabase }
        return PageStream(databases: databases, database: database, users: users, streams: streams, access: access, session: session)
    }

    private func page(_ request: WebRequest, _ target: InspectorPaths.Target) throws -> APIResponse {
        guard request.method == "GET" else { throw APIError(.badMethod, "only GET is possible here") }
        let isList = paths.hasNames && target.database == nil
        guard isList || database(of: target) != nil, let page = PageFiles.response(target.rest, isList: isList) else { throw Self.noPage }
        // The addresses in the page are relative to its path, which ends with a slash.
        guard !target.isPage || request.target.prefix(while: { $0 != "?" }).hasSuffix("/") else { return redirection(to: target) }
        return page
    }

    private func call(_ request: WebRequest, _ target: InspectorPaths.Target) async throws -> APIResponse {
        let call = APIRequest(
            method: request.method,
            name: target.rest.last ?? "",
            parameters: request.query,
            body: try await request.body.collect(),
            range: request.rangeField
        )
        if call.name == "databases", call.method == "GET" { return list(current: target.database) }
        guard let database = self.database(of: target) else { throw Self.noDatabase }
        return database.answer(call)
    }

    /// `GET databases`: the databases, which of them the page shows, and whether they have users. Empty if there is no list.
    private func list(current: String?) -> APIResponse {
        let listed = paths.hasNames ? databases.map(\.summary) : []
        return .json(["current": current, "databases": listed, "users": users != nil])
    }

    private func database(of target: InspectorPaths.Target) -> InspectedDatabase? {
        guard paths.hasNames else { return databases.first }
        return target.database.flatMap { name in databases.first { $0.name.isExactly(name) } }
    }

    private func session(of request: WebRequest) -> String? { access.session(cookies: request.headers.values(of: "Cookie")) }

    /// Exchanges the token for a cookie, and leads to the page without the token in its address.
    private func open(_ target: InspectorPaths.Target, _ token: String, hasCookie: Bool) -> APIResponse {
        let session = access.exchange(token)
        guard session != nil || hasCookie else { return PageFiles.withoutAccess }
        var response = redirection(to: target)
        if let session {
            response.headers.append(
                ("Set-Cookie", "\(access.cookieName)=\(session); Path=\(paths.root); HttpOnly; SameSite=Strict")
            )
        }
        return response
    }

    private func redirection(to target: InspectorPaths.Target) -> APIResponse {
        APIResponse(status: 303, contentType: "text/plain", headers: [("Location", paths.page(of: target))])
    }

    private static var noDatabase: APIError { APIError(.notFound, "there is no such database") }
    private static var noPage: APIError { APIError(.notFound, "there is no such page") }

    private static func origin(of request: WebRequest, _ target: InspectorPaths.Target?) -> RequestOrigin {
        RequestOrigin(
            method: request.method,
            isForPage: target?.isPage ?? false,
            isUpload: target?.rest.elementsEqual(["api", "blob"]) ?? false,
            host: request.headers["Host"],
            origin: request.headers["Origin"],
            site: request.headers["Sec-Fetch-Site"],
            contentType: request.headers["Content-Type"]
        )
    }
}

/// The headers that restrict what a browser does with an answer.
private enum SecurityHeaders {
    /// Nothing is loaded from elsewhere, nothing inline is run, and scripts cannot create elements from text.
    private static let pagePolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self'", "connect-src 'self'",
        "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// For contents of blobs: opened by themselves, they can do nothing.
    private static let contentPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    private static let common: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]

    static let page = [("Content-Security-Policy", pagePolicy)] + common
    static let content = [("Content-Security-Policy", contentPolicy)] + common
}
#endif
