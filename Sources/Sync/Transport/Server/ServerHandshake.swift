#if Replication
import Foundation

/// Computes a listener's response to a request, in the order of Replication 6.1. Performs no I/O.
package struct ServerHandshake: Sendable {
    /// A valid request, which is accepted unless there are too many connections.
    package struct Accepted: Sendable {
        /// The name of the database in the URL of the request.
        package let databaseName: String
        /// The sub-protocol that was agreed.
        package let subprotocol: String
        /// The name of the user; `nil` if the listener has no authenticator.
        package let username: String?
        /// The response `101`, to send before the first frame.
        package let response: HTTPResponseHead
    }

    /// An error response, after which the connection is closed.
    package struct Refusal: Error, Sendable {
        /// The status of the response, from 400.
        package let status: Int
        /// The reason in the body of the response.
        package let reason: String
        var fields: [(name: String, value: String)] = []
    }

    private let configuration: ListenerConfiguration
    private let throttle: PasswordThrottle?

    /// - Parameter throttle: Limits how fast passwords can be guessed.
    package init(_ configuration: ListenerConfiguration, throttle: PasswordThrottle? = nil) {
        self.configuration = configuration
        self.throttle = throttle
    }

    /// Validates a request. May call code of the app, so it must not be called on an event loop.
    ///
    /// - Parameter address: The address of the client.
    package func answer(_ head: HTTPRequestHead, from address: ClientAddress? = nil) throws(Refusal) -> Accepted {
        // Browsers let any web page connect to any server, including servers on this machine, and send this field. Sync clients do not send
        // it.
        guard head.fields["Origin"] == nil else { throw Refusal(status: 403, reason: "Web pages are not served") }
        let username = try authenticate(head, address)
        guard let name = Self.databaseName(of: head.target), configuration.servesDatabase(name) else {
            throw Refusal(status: 404, reason: "Not found")
        }
        guard head.method == "GET", WebSocketHandshake.isUpgrade(head), let key = head.fields["Sec-WebSocket-Key"]
        else {
            throw Refusal(
                status: 426,
                reason: "This is the address of a WebSocket",
                fields: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
            )
        }
        let offered = head.fields.tokens(of: "Sec-WebSocket-Protocol")
        let supported = configuration.subprotocolsOfDatabase(name) ?? configuration.subprotocols
        guard let subprotocol = WebSocketHandshake.choose(from: offered, supported: supported) else {
            throw Refusal(status: 400, reason: "I only speak \(supported.joined(separator: ", "))")
        }
        return Accepted(
            databaseName: name,
            subprotocol: subprotocol,
            username: username,
            response: WebSocketHandshake.acceptance(key: key, subprotocol: subprotocol)
        )
    }

    private func authenticate(_ head: HTTPRequestHead, _ address: ClientAddress?) throws(Refusal) -> String? {
        guard let authenticator = configuration.authenticator else { return nil }
        guard let credentials = head.fields["Authorization"].flatMap({ BasicCredentials(fieldValue: $0) }) else { throw Self.unauthorized }
        let isCorrect =
            if let address, let throttle {
                throttle.check(from: address, now: configuration.webSocket.now) { authenticator(credentials) }
            } else {
                Optional(authenticator(credentials))
            }
        guard let isCorrect else { throw Refusal(status: 429, reason: "Too many wrong passwords", fields: [("Retry-After", "60")]) }
        guard isCorrect else { throw Self.unauthorized }
        return credentials.username
    }

    private static let unauthorized = Refusal(
        status: 401,
        reason: "Unauthorized",
        fields: [("WWW-Authenticate", #"Basic charset="UTF-8", realm="Couchbase Lite""#)]
    )

    /// Returns the name in `/name/_blipsync`. A query is ignored. The name is percent-decoded and may contain a slash.
    static func databaseName(of target: String) -> String? {
        let parts = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, "/" + parts[2] == EndpointURL.syncPath else { return nil }
        return String(parts[1]).removingPercentEncoding.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ServerHandshake.Refusal {
    private struct Body: Encodable {
        let error: String
        let reason: String
    }

    /// The standard reason phrases of the statuses that a listener sends.
    private static let phrases = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 426: "Upgrade Required", 429: "Too Many Requests",
        503: "Service Unavailable",
    ]

    /// Encodes the response, with the reason in JSON, in the form that clients expect.
    package func encoded() -> [UInt8] {
        let phrase = Self.phrases[status] ?? "Error"
        let body = (try? JSONEncoder().encode(Body(error: phrase, reason: reason))) ?? Data()
        var head = HTTPResponseHead(status: status, reason: phrase, fields: HTTPFields(fields))
        head.fields.append("Connection", "close")
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Content-Length", String(body.count))
        // Encoding cannot fail, because all fields are constants of this file.
        return ((try? head.encoded()) ?? []) + body
    }
}
#endif
