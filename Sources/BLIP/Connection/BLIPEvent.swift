/// What a connection tells its owner.
package enum BLIPEvent: Sendable {
    /// A request has come, whole.
    case request(IncomingRequest)
    /// A response has come, whole; after the parts of a streamed one, with an empty body.
    case reply(RequestToken, IncomingReply)
    /// A part of the body of a response that was asked for piece by piece.
    case replyPart(RequestToken, [UInt8])
    /// The connection has ended before the response came.
    case disconnected(RequestToken)
}
