#if Replication
import Foundation

/// Computes a listener's response to a request, in the order of Replication 6.1. Performs no I/O.
package struct ServerHandshake: Sendable {
    /// A valid request, which is accepted unless there are too many connections.
    package struct Accepted: Sendable {
        package let databaseName: String
        package let subprotocol: String
        package let username: String?
        package let response: HTTPResponseHead
    }

    /// An error response, after which the connection is closed.
    package struct Refusal: Error, Sendable {
        package let status: Int
        package let reason: String
        var fields: [(name: String, value: String)] = []
    }

    let subprotocols: [String]
    let authenticator: (@Sendable (BasicCredentials) -> Bool)?
    let servesDatabase: @Sendable (String) -> Bool
    private let throttle: PasswordThrottle?
    private let now: @Sendable () -> Int64

    /// - Parameter throttle: Limits how fast passwords can be guessed.
    package init(_ configuration: ListenerConfiguration, throttle: PasswordThrottle? = nil) {
        self.throttle = throttle
        now = configuration.webSocket.now
        subprotocols = configuration.subprotocols
        authenticator = configuration.authenticator
        servesDatabase = configuration.servesDatabase
    }

    /// Validates a request. May call code of the app, so it must not be called on an event loop.
    ///
    /// - Parameter address: The address of the client.
    package func answer(_ head: HTTPRequestHead, from address: ClientAddress? = nil) throws(Refusal) -> Accepted {
        // Browsers let any web page connect to any server, including servers on this machine, and send this field. Sync clients do not send
        // it.
        guard head.fields["Origin"] == nil else { throw Refusal(status: 403, reason: "Web pages are not served") }
        let username = try authenticate(head, address)
        guard let name = Self.databaseName(of: head.target), servesDatabase(name) else { throw Refusal(status: 404, reason: "Not found") }
        guard head.method == "GET", WebSocketHandshake.isUpgrade(head), let key = head.fields["Sec-WebSocket-Key"]
        else {
            throw Refusal(
                status: 426,
                reason: "This is the address of a WebSocket",
                fields: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
            )
        }
        let offered = head.fields.tokens(of: "Sec-WebSocket-Protocol")
        guard let subprotocol = WebSocketHandshake.choose(from: offered, supported: subprotocols) else {
            throw Refusal(status: 400, reason: "I only speak \(subprotocols.joined(separator: ", "))")
        }
        return Accepted(
            databaseName: name,
            subprotocol: subprotocol,
            username: username,
            response: WebSocketHandshake.acceptance(key: key, subprotocol: subprotocol)
        )
    }

    private func authenticate(_ head: HTTPRequestHead, _ address: ClientAddress?) throws(Refusal) -> String? {
        guard let authenticator else { return nil }
        guard let credentials = head.fields["Authorization"].flatMap({ BasicCredentials(fieldValue: $0) }) else { throw Self.unauthorized }
        let isCorrect =
            if let address, let throttle {
                throttle.check(from: address, now: now) { authenticator(credentials) }
            } else {
                Optional(authenticator(credentials))
            }
        guard let isCorrect else {
            throw Refusal(status: 429, reason: "Too many wrong passwords", fields: [("Retry-After", "60")])
        }
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

    /// Encodes the response, with the reason in JSON, in the form that clients expect.
    package func encoded() -> [UInt8] {
        let body = (try? JSONEncoder().encode(Body(error: HTTPStatus.phrase(of: status), reason: reason))) ?? Data()
        var head = HTTPResponseHead(status: status, reason: HTTPStatus.phrase(of: status), fields: HTTPFields(fields))
        head.fields.append("Connection", "close")
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Content-Length", String(body.count))
        // Encoding cannot fail, because all fields are constants of this file.
        return ((try? head.encoded()) ?? []) + body
    }
}

enum HTTPStatus {
    /// Returns the standard reason phrase of a status that a listener sends.
    static func phrase(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        default: "Error"
        }
    }
}
#endif
