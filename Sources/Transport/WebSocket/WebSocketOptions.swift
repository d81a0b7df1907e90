#if Replication
import NIOCore

/// What a WebSocket does on its own, and when it gives up (Replication 1.7, 1.8 and 4.13).
package struct WebSocketOptions: Sendable {
    /// Seconds between pings; 0 for none.
    package var heartbeat: Double = 300
    /// Seconds for the answer to a ping. While bytes keep coming, or reading is stopped, they begin again.
    package var pongTimeout: Double = 10
    /// Seconds for the peer's close frame after ours.
    package var closeTimeout: Double = 5
    /// Seconds within which the peer must have sent its first message; 0 for any time.
    package var firstMessageTimeout: Double = 0
    /// Seconds after which a connection is closed over which no message has gone in either direction; 0 for never. The close code, 4001,
    /// tells continuous replicators to connect anew when they have something to say.
    package var idleTimeout: Double = 0
    /// Milliseconds since some fixed moment.
    package var now: @Sendable () -> Int64 = { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
    /// The largest message that is accepted. Frames of BLIP have 16 KiB at most, and Sync Gateway takes 32 KiB (Replication 1.7).
    package var maximumMessageBytes = WebSocketOptions.defaultMaximumMessageBytes
    package static let defaultMaximumMessageBytes = 128 << 10
    /// Above this many bytes in line ``FrameChannel/send(_:)`` asks to wait.
    package var maximumQueuedBytes = 64 * 1024

    package init() {}
}

extension Double {
    /// As a span of time of the event loop.
    var secondsAsTime: TimeAmount {
        .nanoseconds(Int64(Swift.max(0, Swift.min(self, 1e9)) * 1e9))
    }
}
#endif
