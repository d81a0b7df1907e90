#if Replication
import Base
import Transport
import WebServer

/// Requests of web pages (CORS). Browsers let any web page send requests to any server, so only pages of the allowed origins are served.
///
/// Pages of origins that are named may use what the browser adds to their requests: cookies and stored passwords. If `*` allows all origins, the
/// other pages may only use what they have themselves, such as the password that the user has typed into the page. Otherwise every page that a
/// user visits could use the user's session.
struct WebPages: Sendable {
    /// The origins, such as `http://localhost:3000`. `*` allows all.
    let origins: [String]
    /// Whether requests for parts of a web page are refused, too, which do not name the page's origin. Browsers mark them.
    var refusesParts = false

    /// The types of a body that pages may send without asking first (preflight), and with cookies.
    private static let simpleTypes: Set<String> = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]
    private static let refusal = WebError(403, "Web pages are not served", error: "Forbidden")

    /// Returns the header fields of a response to a web page. Empty if the client is no web page.
    ///
    /// - Throws: ``WebError`` 403 if the page is of another origin.
    func headers(for request: WebRequest) throws(WebError) -> [(name: String, value: String)] {
        if refusesParts, let destination = request.headers["Sec-Fetch-Dest"], !destination.isExactly("document") { throw Self.refusal }
        guard let origin = request.headers["Origin"] else { return [] }
        var headers: [(name: String, value: String)] = [("Vary", "Origin"), ("Access-Control-Expose-Headers", "ETag")]
        if let named = HeaderValue.safe(origin), isNamed(named) {
            headers += [("Access-Control-Allow-Origin", named), ("Access-Control-Allow-Credentials", "true")]
        } else if allowsAll {
            headers.append(("Access-Control-Allow-Origin", "*"))
        } else {
            throw Self.refusal
        }
        return headers
    }

    private var allowsAll: Bool { origins.contains { $0.isExactly("*") } }

    private func isNamed(_ origin: String) -> Bool { origins.contains { $0.isExactly(origin) && !$0.isExactly("*") } }

    /// Returns a request without what the browser has added to it on its own, if it is of a page whose origin is not named.
    ///
    /// - Throws: ``WebError`` 415 if such a page sends a body of a type for which the browser has not asked first: that the password is one of
    ///   the page is known only from that.
    func withoutCredentials(_ request: WebRequest) throws(WebError) -> WebRequest {
        guard let origin = request.headers["Origin"], !isNamed(origin) else { return request }
        var request = request
        request.headers.remove("Cookie")
        // A page cannot set this field for a WebSocket.
        if request.isWebSocketUpgrade { request.headers.remove("Authorization") }
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard !request.method.isExactly("POST") || type.map({ !Self.simpleTypes.contains($0) }) ?? false else {
            throw WebError(415, "A web page whose origin is allowed by * must send application/json")
        }
        return request
    }

    /// Returns the response to the question of a browser whether a page may send a request; `nil` for other requests.
    func preflight(_ request: WebRequest) -> WebResponse? {
        guard request.method == "OPTIONS", request.headers["Access-Control-Request-Method"] != nil else { return nil }
        return WebResponse(
            status: 204,
            headers: [
                ("Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, DELETE"),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Range"),
                ("Access-Control-Max-Age", "600"),
            ]
        )
    }
}
#endif
