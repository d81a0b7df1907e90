#if Replication
package import SyncCore
import Foundation

/// Where a client stands on its way to the server, and where a refusal sends it (Replication 1.2).
package struct ClientRoute: Sendable {
    /// How often a client may be sent elsewhere.
    static let maximumRedirects = 10

    package private(set) var url: EndpointURL
    private(set) var proxy: ProxyConfiguration?
    /// Whether what is meant for the server alone goes along: the user's credentials, cookies, the app's header fields, the client's
    /// certificate. Not to another scheme, host or port, nor from there back again.
    package private(set) var sendsCredentials = true
    private var redirects = 0
    private var hasBeenSentToProxy = false

    package init(url: EndpointURL, proxy: ProxyConfiguration?) {
        self.url = url
        self.proxy = proxy
    }

    /// Follows a response that is not `101`.
    ///
    /// - Throws: ``SyncError`` when the response leads nowhere: what it says, or what is wrong with the redirect.
    package mutating func follow(_ response: HTTPResponse) throws(SyncError) {
        switch response.head.status {
        case 301, 302, 307: try redirect(to: location(of: response))
        case 305: try useProxy(location(of: response))
        default: throw Self.refusal(response)
        }
    }

    private func location(of response: HTTPResponse) throws(SyncError) -> String {
        guard let location = response.head.fields["Location"], !location.isEmpty else { throw Self.invalidRedirect("it names no location") }
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
        guard !url.isSecure || new.isSecure else { throw Self.invalidRedirect("it leads from TLS to a connection that is not encrypted") }
        if !new.isOfSameOrigin(as: url) { sendsCredentials = false }
        url = new
    }

    private mutating func useProxy(_ location: String) throws(SyncError) {
        guard !hasBeenSentToProxy, proxy == nil else { throw Self.invalidRedirect("a proxy is demanded although one is in use") }
        hasBeenSentToProxy = true
        let new = try Self.read(location)
        proxy = ProxyConfiguration(isSecure: new.isSecure, host: new.host, port: new.port)
    }

    private static func read(_ location: String) throws(SyncError) -> EndpointURL {
        do throws(SyncError) {
            return try EndpointURL(redirect: location)
        } catch {
            throw invalidRedirect(error.message)
        }
    }

    private static func invalidRedirect(_ why: String) -> SyncError {
        SyncError(network: .invalidRedirect, "the server's redirect is not valid: \(why)")
    }

    /// What the server says by a status: its reason is in the body, if that is JSON.
    static func refusal(_ response: HTTPResponse) -> SyncError {
        let head = response.head
        if (200..<300).contains(head.status) {
            return SyncError(.webSocket, 1002, "the server's answer is \(head.status), no upgrade to WebSocket")
        }
        if head.status == 400, saysThatItSpeaksTLS(response.body) {
            return SyncError(.webSocket, 400, NetworkFailure.tlsDemanded)
        }
        struct Body: Decodable {
            let reason: String
        }
        let isJSON = head.fields["Content-Type"]?.prefix { $0 != ";" }.trimmingBlanks()
            .isEqualIgnoringCase(to: "application/json")
        let body = isJSON == true ? try? JSONDecoder().decode(Body.self, from: Data(response.body)) : nil
        return SyncError(.webSocket, head.status, body?.reason ?? head.reason)
    }

    /// Whether a server complains of a request without TLS, in the words that are usual: those of Go, which Sync Gateway is written in,
    /// and of ``PlainRequestDetector``; and those of nginx.
    private static func saysThatItSpeaksTLS(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body.prefix(4096), as: UTF8.self)
        return text.contains("HTTP request to an HTTPS server")
            || text.contains("HTTP request was sent to HTTPS port")
    }
}
#endif
