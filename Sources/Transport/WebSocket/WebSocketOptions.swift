#if Replication
import NIOCore

/// The timeouts and limits of a WebSocket (Replication 1.7, 1.8 and 4.13).
package struct WebSocketOptions: Sendable {
    /// The time between pings, in seconds. 0 disables pings.
    package var heartbeat: Double = 300
    /// The maximum time for the response to a ping, in seconds. It is extended while data is received or reading is stopped.
    package var pongTimeout: Double = 10
    /// The time to wait for the peer's close frame after sending one, in seconds.
    package var closeTimeout: Double = 5
    /// The time within which the peer must send its first message, in seconds. 0 means no limit.
    package var firstMessageTimeout: Double = 0
    /// The time without a message in either direction after which the connection is closed, in seconds. 0 means no limit. The close code,
    /// 4001, makes continuous replicators reconnect when they have something to send.
    package var idleTimeout: Double = 0
    /// Returns the current time, in milliseconds since any fixed moment.
    package var now: @Sendable () -> Int64 = { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
    /// The maximum size of a received message, in bytes. BLIP frames have at most 16 KiB, and Sync Gateway accepts 32 KiB (Replication
    /// 1.7).
    package var maximumMessageBytes = WebSocketOptions.defaultMaximumMessageBytes
    package static let defaultMaximumMessageBytes = 128 << 10
    /// The number of queued bytes above which ``FrameChannel/send(_:)`` asks the caller to wait.
    package var maximumQueuedBytes = 64 * 1024

    package init() {}
}

extension Double {
    /// The number of seconds as a time amount of the event loop.
    var secondsAsTime: TimeAmount {
        .nanoseconds(Int64(Swift.max(0, Swift.min(self, 1e9)) * 1e9))
    }
}
#endif
