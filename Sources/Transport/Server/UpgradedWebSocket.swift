#if Replication
package import NIOCore
package import SyncCore

/// A WebSocket on a channel whose HTTP handshake another server has done.
package enum UpgradedWebSocket {
    /// Adds the handler of a WebSocket to the end of a channel's pipeline. Must be called on the channel's event loop, when the channel does
    /// not read by itself, after the `101` response was written.
    ///
    /// - Parameters:
    ///   - subprotocol: The sub-protocol of the response; `nil` if it has none.
    ///   - options: The timeouts and limits.
    /// - Returns: The connection, which starts reading when it is opened.
    package static func add(to channel: any Channel, subprotocol: String?, options: WebSocketOptions) throws -> any FrameChannel {
        let handshake = ChannelHandshake(subprotocol: subprotocol)
        return try WebSocketConnection(channel: channel, isClient: false, options: options, handshake: handshake)
    }
}
#endif
