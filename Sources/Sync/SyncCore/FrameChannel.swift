/// Carries whole frames to and from a peer: over a WebSocket, over a transport of the app, or in memory.
///
/// A channel is opened once and ends with one ``FrameChannelEvent/closed(_:)`` event.
package protocol FrameChannel: AnyObject, Sendable {
    /// Starts connecting, or starts receiving if the connection is already established.
    ///
    /// - Parameter handler: Called serially, in the order of the events, on any thread. It must return quickly.
    func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void)

    /// Queues a frame for sending.
    ///
    /// - Returns: `false` if the queue is full (64 KiB, Replication 1.7). ``FrameChannelEvent/writable`` follows, and nothing should be
    ///   sent before it.
    @discardableResult
    func send(_ frame: [UInt8]) -> Bool

    /// Pauses or resumes reading from the peer, so that the peer has to wait. Must not call the handler before it returns, because the owner may hold
    /// the lock that decides about reading.
    func setReading(_ isReading: Bool)

    /// Closes the connection in order: queued frames are sent first, and the peer has 5 seconds to answer.
    ///
    /// - Parameter code: A close code of Replication 1.8.
    func close(code: Int, reason: String)

    /// Aborts the connection at once.
    func cancel()
}

/// What happens on a channel.
package enum FrameChannelEvent: Sendable {
    /// The channel is ready in both directions.
    case opened(ChannelHandshake)
    /// A whole frame of BLIP was received.
    case frame([UInt8])
    /// The send queue has room again.
    case writable
    /// The channel is closed. No event follows.
    case closed(ChannelClosure)
}

/// The result of the handshake when a connection was established.
package struct ChannelHandshake: Sendable {
    /// The subprotocol, such as `BLIP_3+CBMobile_3`; `nil` if the transport negotiates none.
    package var subprotocol: String?
    /// The header fields of the response, in order.
    package var responseHeaders: [(name: String, value: String)]
    /// The peer's own certificate, DER, if the peer sent one.
    package var peerCertificate: [UInt8]?
    /// Whether the peer serves databases with version vectors; `nil` if the transport does not know it.
    package var servesVersions: Bool?
    /// The last sequence of the server's database, for a progress estimate; `nil` unless the client requested it.
    package var lastSequence: UInt64?

    package init(subprotocol: String? = nil, responseHeaders: [(name: String, value: String)] = [], peerCertificate: [UInt8]? = nil) {
        (self.subprotocol, self.responseHeaders, self.peerCertificate) = (subprotocol, responseHeaders, peerCertificate)
    }

    /// The most characters of a correlation ID, because it is in every line of the log.
    private static let maximumCorrelationID = 128

    /// The ID by which the server names the connection in its log, the field `X-Correlation-Id`. `nil` if it sent none, or one that is no word of
    /// ASCII of a reasonable length.
    package var correlationID: String? {
        guard let value = responseHeaders.first(where: { $0.name.lowercased() == "x-correlation-id" })?.value,
            (1...Self.maximumCorrelationID).contains(value.utf8.count), value.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return value
    }
}

/// How a channel was closed.
package struct ChannelClosure: Sendable {
    /// The close code; `nil` if there was no connection, or the connection failed without one.
    package var code: Int?
    /// The text that explains the code; may be empty.
    package var reason: String
    /// Whether the peer closed first.
    package var isByPeer: Bool
    /// The error: `.webSocket` with an HTTP status below 1000 if the handshake was refused, `.network`, `.posix` or `.tls`. `nil` after an
    /// orderly close.
    package var error: SyncError?

    package init(code: Int?, reason: String = "", isByPeer: Bool, error: SyncError? = nil) {
        self.code = code
        self.reason = reason
        self.isByPeer = isByPeer
        self.error = error
    }

    /// The end of a channel that was cancelled. It has an error, because nothing was finished: a replicator tries again.
    package static let aborted = ChannelClosure(
        code: nil,
        isByPeer: false,
        error: SyncError(webSocket: .abnormal, "the connection was aborted")
    )
}
