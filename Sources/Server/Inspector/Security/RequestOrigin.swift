#if Replication
import WebServer

/// Where a request comes from, as its headers tell.
struct RequestOrigin {
    var method: String
    /// Whether the page itself is requested, and not a part of it or a call of the API.
    var isForPage = false
    /// Whether the body is the content of a blob.
    var isUpload = false
    var host: String?
    var origin: String?
    /// The value of `Sec-Fetch-Site`, which browsers set and pages cannot.
    var site: String?
    var contentType: String?

    /// The names of this machine. With any other name in the address of the page, another web site could read the answers: it can give its
    /// own name the address of this machine (DNS rebinding).
    private static let hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    /// - Throws: ``APIError`` if the request may come from the page of another web site.
    func check() throws(APIError) {
        guard let host, let name = HostField.name(host), Self.hosts.contains(name) else {
            throw APIError(.misdirected, "the inspector is only available as localhost or 127.0.0.1")
        }
        if let site, site != "same-origin", site != "none" {
            // The link with the token can be opened from anywhere, for example from a page in which it was pasted.
            guard method == "GET", isForPage, origin == nil else {
                throw APIError(.forbidden, "the request comes from another web site")
            }
        }
        if let origin, origin != "http://" + host { throw APIError(.forbidden, "the request comes from another web site") }
        guard method != "GET" else { return }
        guard origin != nil else { throw APIError(.forbidden, "a request that changes something needs the header Origin") }
        let type = contentType?.split(separator: ";").first.map(String.init)
        // Forms of other sites cannot send these types.
        let wanted = isUpload ? "application/octet-stream" : "application/json"
        guard method == "DELETE" || type == wanted else { throw APIError(.badType, "the content type must be \(wanted)") }
    }
}
#endif
