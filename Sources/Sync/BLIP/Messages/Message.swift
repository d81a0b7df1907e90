package import SyncCore

/// A request or a response to send.
package struct OutgoingMessage {
    /// The properties. A request should have a `Profile`, which is its kind.
    package var properties: Properties
    /// What follows the properties; it may be empty.
    package var body: MessageBody
    /// Whether the message is sent before ordinary ones that have begun (Replication 2.7). A response inherits this from its request.
    package var isUrgent: Bool
    /// Whether the message is a request that must not be answered.
    package var isNoReply: Bool
    /// Whether the body is compressed with the stream of the connection, if the connection compresses at all (Replication 2.6).
    package var isCompressed: Bool
    /// Whether the message is sent only after all earlier ordered ones were sent completely. Otherwise a short message can be complete
    /// before a long one that was sent earlier.
    package var isOrdered: Bool

    /// Creates a message whose body is in memory.
    package init(
        _ properties: Properties = [:],
        body: [UInt8] = [],
        isUrgent: Bool = false,
        isNoReply: Bool = false,
        isCompressed: Bool = false,
        isOrdered: Bool = false
    ) {
        self.properties = properties
        self.body = .bytes(body)
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isCompressed = isCompressed
        self.isOrdered = isOrdered
    }
}

/// The body of a message to send.
package enum MessageBody {
    /// A body in memory.
    case bytes([UInt8])
    /// A body that is read in pieces while it is sent, so that a large blob is never completely in memory.
    case stream(any BodySource)
}

/// The source of the body of a message.
package protocol BodySource: AnyObject {
    /// Returns the next bytes, at most `maximum`; empty at the end. If it throws, the message ends with the bytes read so far.
    ///
    /// It is called while the connection builds a frame, and must not use the connection.
    func read(upTo maximum: Int) throws -> [UInt8]
}

/// Identifies a request that was sent, as long as its connection exists.
package struct RequestToken: Hashable, Sendable { package let value: Int }

/// A complete request from the peer.
package struct IncomingRequest: Sendable {
    /// The number of the request, from 1 in its direction, which its response repeats.
    package let number: UInt64
    /// The properties of the message.
    package let properties: Properties
    /// The body, decompressed; empty if it was too large.
    package let body: [UInt8]
    /// Whether the peer sent it before ordinary messages. Its response is urgent too.
    package let isUrgent: Bool
    /// Whether it must not be answered.
    package let isNoReply: Bool
    /// Whether the body exceeded the limit and was discarded.
    package let isTooLarge: Bool
    /// The memory reserved for the request, until its last copy is released.
    let reservation: MemoryReservation

    /// The kind of request: the property `Profile`.
    package var profile: String { properties["Profile"] ?? "" }
}

/// A response from the peer.
package struct IncomingReply: Sendable {
    /// The properties of the message.
    package let properties: Properties
    /// The body, decompressed.
    package let body: [UInt8]
    /// The error that the peer reports instead of an answer (Replication 2.9).
    package let error: SyncError?
}

extension SyncError {
    /// The maximum size, in bytes, of the text that is kept of a peer's error. The errors of documents are kept longer than the response.
    package static let longestReportedMessage = 1024

    /// Creates the error that a response of type ERR reports (Replication 2.9).
    ///
    /// An unknown domain becomes LiteCore's "the remote side reports an error" (Replication 3.14).
    init(reportedBy properties: Properties, _ body: [UInt8]) {
        var text = body.prefix(Self.longestReportedMessage)
        // Not cut inside of a code point.
        if text.count < body.count, body[text.count] & 0xC0 == 0x80, let start = text.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
            text = text[..<start]
        }
        let message = String(decoding: text, as: UTF8.self)
        let domain = properties["Error-Domain"].map { Domain(rawValue: $0) } ?? .blip
        let code = properties["Error-Code"].flatMap { Int($0) } ?? 0
        if let domain, code != 0 {
            self.init(domain, code, message)
        } else {
            self.init(engine: .remoteError, message)
        }
    }
}

extension OutgoingMessage {
    /// Creates a response that reports an error (Replication 2.9), in terms of the wire: HTTP statuses have a domain of their own there,
    /// and a delta that cannot be applied is a 422 (Replication 3.14).
    init(reporting error: SyncError) {
        var (domain, code) = (error.domain, error.code)
        if error.isEngine(.deltaBaseUnknown, .corruptDelta) {
            (domain, code) = (.http, 422)
        } else if domain == .webSocket, code < 1000 {
            domain = .http
        }
        self.init(["Error-Domain": domain.rawValue, "Error-Code": String(code)], body: Array(error.message.utf8))
    }
}
