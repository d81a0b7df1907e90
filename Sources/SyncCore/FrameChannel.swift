/// Carries whole frames to and from a peer: a WebSocket, a transport of the app's, or memory.
///
/// A channel is opened once and ends with one ``FrameChannelEvent/closed(_:)``.
package protocol FrameChannel: AnyObject, Sendable {
    /// Begins to connect, or to receive when the connection stands already.
    ///
    /// - Parameter handler: Is called serially, in the order of the events, on any thread. It must be brief.
    func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void)

    /// Puts a frame in line. Returns false when the line is full (64 KiB, Replication 1.7): ``FrameChannelEvent/writable``
    /// follows, and nothing should be sent before it.
    @discardableResult
    func send(_ frame: [UInt8]) -> Bool

    /// Stops or resumes reading from the peer, so that it has to wait.
    func setReading(_ isReading: Bool)

    /// Ends the connection in order: what is in line is sent first, and the peer is given 5 seconds to answer.
    ///
    /// - Parameter code: A close code of Replication 1.8.
    func close(code: Int, reason: String)

    /// Breaks the connection off at once.
    func cancel()
}

/// What happens to a channel.
package enum FrameChannelEvent: Sendable {
    /// It is ready in both directions.
    case opened(ChannelHandshake)
    /// A frame has come.
    case frame([UInt8])
    /// The line has room again.
    case writable
    /// The end. Nothing follows.
    case closed(ChannelClosure)
}

/// What both sides have agreed on when a connection was made.
package struct ChannelHandshake: Sendable {
    /// The sub-protocol, such as `BLIP_3+CBMobile_3`; nil where the transport negotiates none.
    package var subprotocol: String?
    /// The header fields of the response, in order.
    package var responseHeaders: [(name: String, value: String)]
    /// The peer's own certificate, DER, if it has shown one.
    package var peerCertificate: [UInt8]?
    /// The last sequence of the server's database, if the client has asked for it, for an estimate of what there is to do.
    package var lastSequence: UInt64?

    package init(subprotocol: String? = nil, responseHeaders: [(name: String, value: String)] = [], peerCertificate: [UInt8]? = nil) {
        self.subprotocol = subprotocol
        self.responseHeaders = responseHeaders
        self.peerCertificate = peerCertificate
    }
}

/// How a channel ended.
package struct ChannelClosure: Sendable {
    /// The close code; nil when there was no connection, or it ended with an error of its own.
    package var code: Int?
    package var reason: String
    /// Whether the peer began to close.
    package var isByPeer: Bool
    /// What went wrong: `.webSocket` with a status of HTTP below 1000 when the handshake was refused, `.network`, `.posix` or
    /// `.tls`. Nil after an orderly end.
    package var error: SyncError?

    package init(code: Int?, reason: String = "", isByPeer: Bool, error: SyncError? = nil) {
        self.code = code
        self.reason = reason
        self.isByPeer = isByPeer
        self.error = error
    }
}
