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
        /// The largest message that is accepted.
        package var maximumMessageBytes = 1 << 20
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
