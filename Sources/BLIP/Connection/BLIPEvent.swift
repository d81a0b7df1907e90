/// An event that a connection reports to its owner.
package enum BLIPEvent: Sendable {
    /// A complete request was received.
    case request(IncomingRequest)
    /// A complete response was received. For a streamed response it follows the parts, with an empty body.
    case reply(RequestToken, IncomingReply)
    /// A part of the body of a streamed response was received.
    case replyPart(RequestToken, [UInt8])
    /// The connection ended before the response was received.
    case disconnected(RequestToken)
}
