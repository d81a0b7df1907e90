#if Replication
import ExactStrings
import Transport
import WebServer

/// Requests of web pages (CORS). Browsers let any web page send requests to any server, so only pages of the allowed origins are served.
struct WebPages: Sendable {
    /// The origins, such as `http://localhost:3000`. `*` allows all.
    let origins: [String]
    /// Whether requests for parts of a web page are refused, too, which do not name the page's origin. Browsers mark them.
    var refusesParts = false

    /// Returns the header fields of a response to a web page. Empty if the client is no web page.
    ///
    /// - Throws: ``WebError`` 403 if the page is of another origin.
    func headers(for request: WebRequest) throws -> [(name: String, value: String)] {
        if refusesParts, let destination = request.headers["Sec-Fetch-Dest"], !destination.isExactly("document") { throw Self.refusal }
        guard let origin = request.headers["Origin"] else { return [] }
        guard let origin = HeaderValue.safe(origin), origins.contains(where: { $0 == "*" || $0.isExactly(origin) }) else {
            throw Self.refusal
        }
        return [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"), ("Vary", "Origin"),
            ("Access-Control-Expose-Headers", "ETag"),
        ]
    }

    private static let refusal = WebError(403, "Web pages are not served", error: "Forbidden")

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
