package import SyncCore

/// A request or a response to be sent.
package struct OutgoingMessage: Sendable {
    package var properties: Properties
    package var body: MessageBody
    /// Urgent messages go before ordinary ones that have begun (Replication 2.7). A response inherits it from its request.
    package var isUrgent: Bool
    /// A request that is not to be answered.
    package var isNoReply: Bool
    package var isCompressed: Bool

    package init(
        _ properties: Properties = [:],
        body: [UInt8] = [],
        isUrgent: Bool = false,
        isNoReply: Bool = false,
        isCompressed: Bool = false
    ) {
        self.properties = properties
        self.body = .bytes(body)
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isCompressed = isCompressed
    }
}

/// The body of a message to be sent.
package enum MessageBody: Sendable {
    case bytes([UInt8])
    /// Read piece by piece while it is sent, so that a large blob is never in memory as a whole.
    case stream(any BodySource)
}

/// Where the body of a message comes from.
package protocol BodySource: AnyObject, Sendable {
    /// The next bytes, at most `maximum`; empty at the end. When it throws, the message is ended with what was read.
    ///
    /// It is called while the connection makes a frame, and must not use the connection.
    func read(upTo maximum: Int) throws -> [UInt8]
}

/// Stands for a request that was sent, as long as its connection lives.
package struct RequestToken: Hashable, Sendable {
    package let value: Int

    package init(_ value: Int) {
        self.value = value
    }
}

/// A request that has come from the peer, whole.
package struct IncomingRequest: Sendable {
    package let number: UInt64
    package let properties: Properties
    package let body: [UInt8]
    package let isUrgent: Bool
    /// Whether it must not be answered.
    package let isNoReply: Bool
    /// Whether its body was longer than may be taken, and is not here.
    package let isTooLarge: Bool
    /// What it takes in memory, reserved until the last copy has gone.
    let hold: MemoryReservation?

    /// What is asked for: the property `Profile`.
    package var profile: String { properties["Profile"] ?? "" }

    package init(
        number: UInt64,
        properties: Properties,
        body: [UInt8] = [],
        isUrgent: Bool = false,
        isNoReply: Bool = false,
        isTooLarge: Bool = false
    ) {
        self.init(
            number: number,
            properties: properties,
            body: body,
            isUrgent: isUrgent,
            isNoReply: isNoReply,
            isTooLarge: isTooLarge,
            hold: nil
        )
    }

    init(
        number: UInt64,
        properties: Properties,
        body: [UInt8],
        isUrgent: Bool,
        isNoReply: Bool,
        isTooLarge: Bool,
        hold: MemoryReservation?
    ) {
        self.number = number
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isTooLarge = isTooLarge
        self.hold = hold
    }
}

/// A response that has come from the peer.
package struct IncomingReply: Sendable {
    package let properties: Properties
    package let body: [UInt8]
    /// What the peer reports instead of an answer (Replication 2.9).
    package let error: SyncError?

    package init(properties: Properties = [:], body: [UInt8] = [], error: SyncError? = nil) {
        self.properties = properties
        self.body = body
        self.error = error
    }
}
