#if Replication
package import SyncCore
import Foundation

/// The current server and proxy of a client, and how a redirect changes them (Replication 1.2).
package struct ClientRoute: Sendable {
    static let maximumRedirects = 10

    /// The URL of the next request.
    package private(set) var url: EndpointURL
    private(set) var proxy: ProxyConfiguration?
    /// Whether requests include data intended only for the configured server: the user's credentials, cookies, the app's header fields, the
    /// client certificate. It becomes `false` at a redirect to another scheme, host or port, and stays `false` after a redirect back.
    package private(set) var sendsCredentials = true
    private var redirects = 0
    private var hasBeenSentToProxy = false

    /// Begins at the configured URL, to whose server all data may be sent.
    package init(url: EndpointURL, proxy: ProxyConfiguration?) {
        self.url = url
        self.proxy = proxy
    }

    /// Follows a response that is not `101`.
    ///
    /// - Throws: ``SyncError``, if the response is not a valid redirect: the server's error, or what is wrong with the redirect.
    package mutating func follow(_ response: HTTPResponse) throws(SyncError) {
        switch response.head.status {
        case 301, 302, 307: try redirect(to: location(of: response))
        case 305: try useProxy(location(of: response))
        default: throw Self.refusal(response)
        }
    }

    private func location(of response: HTTPResponse) throws(SyncError) -> String {
        guard let location = response.head.fields["Location"], !location.isEmpty else { throw Self.invalidRedirect("it has no location") }
        return location
    }

    private mutating func redirect(to location: String) throws(SyncError) {
        redirects += 1
        guard redirects <= Self.maximumRedirects else {
            throw SyncError(network: .tooManyRedirects, "more than \(Self.maximumRedirects) redirects")
        }
        var new = url
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            guard location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw Self.invalidRedirect("its location is malformed") }
            new.target = String(location.prefix { $0 != "#" })
        } else {
            new = try Self.read(location)
        }
        guard !url.isSecure || new.isSecure else { throw Self.invalidRedirect("it leads from TLS to an unencrypted connection") }
        if !new.isOfSameOrigin(as: url) { sendsCredentials = false }
        url = new
    }

    private mutating func useProxy(_ location: String) throws(SyncError) {
        guard !hasBeenSentToProxy, proxy == nil else { throw Self.invalidRedirect("it requires a proxy although one is already in use") }
        hasBeenSentToProxy = true
        let new = try Self.read(location)
        proxy = ProxyConfiguration(isSecure: new.isSecure, host: new.host, port: new.port)
    }

    private static func read(_ location: String) throws(SyncError) -> EndpointURL {
        do throws(SyncError) {
            return try EndpointURL(http: location)
        } catch {
            throw invalidRedirect(error.message)
        }
    }

    private static func invalidRedirect(_ why: String) -> SyncError {
        SyncError(network: .invalidRedirect, "the server's redirect is invalid: \(why)")
    }

    /// The maximum length of a body that is the message of an error, in bytes.
    private static let maximumMessageLength = 1000

    /// Returns the error for a status. The message is the reason in the body if the body is JSON, the body if it is plain text (Version vectors
    /// 6.1), otherwise the reason phrase.
    static func refusal(_ response: HTTPResponse) -> SyncError {
        let head = response.head
        if (200..<300).contains(head.status) {
            let message = "the server responded with status \(head.status) instead of an upgrade to WebSocket"
            return SyncError(webSocket: .protocolError, message)
        }
        if head.status == 400, mentionsTLS(response.body) { return SyncError(webSocket: .badRequest, NetworkFailure.tlsDemanded) }
        struct Body: Decodable {
            let reason: String
        }
        let type = head.fields["Content-Type"]?.prefix { $0 != ";" }.trimmingBlanks()
        var message: String?
        if type?.isEqualIgnoringCase(to: "application/json") == true {
            message = (try? JSONDecoder().decode(Body.self, from: Data(response.body)))?.reason
        } else if type?.isEqualIgnoringCase(to: "text/plain") == true, response.body.count <= maximumMessageLength {
            let text = String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            message = text.isEmpty ? nil : text
        }
        return SyncError(.webSocket, head.status, message ?? head.reason)
    }

    /// Returns whether a server rejects a request without TLS, in the usual words: those of Go, the language of Sync Gateway, which
    /// ``PlainRequestDetector`` also uses, and those of nginx.
    private static func mentionsTLS(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body.prefix(4096), as: UTF8.self)
        return text.contains("HTTP request to an HTTPS server") || text.contains("HTTP request was sent to HTTPS port")
    }
}
#endif
