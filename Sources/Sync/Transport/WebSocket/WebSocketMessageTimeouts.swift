#if Replication
import NIOCore

/// Detects that a peer has not sent its first message in time, or that no message was exchanged for a long time. Pings do not count. Used
/// on an event loop only.
final class WebSocketMessageTimeouts {
    private let first: TimeAmount
    private let idle: TimeAmount
    private var hasReceivedMessage = false
    /// Whether a message was sent or received since the deadline was set.
    private var isActive = false
    private var firstDeadline: Scheduled<Void>?
    private var idleDeadline: Scheduled<Void>?

    /// - Parameters:
    ///   - first: The maximum time until the peer's first message, in seconds. 0 means no limit.
    ///   - idle: The time without a message in either direction, in seconds. The timeout is reported after this time, and at most twice
    ///     this time. 0 means no limit.
    init(first: Double, idle: Double) {
        self.first = first.secondsAsTime
        self.idle = idle.secondsAsTime
    }

    /// Starts the timers. `end` is called on a timeout, with whether the peer has sent a message. It must not retain the owner of this
    /// object.
    func start(on loop: any EventLoop, end: @escaping (Bool) -> Void) {
        if first > .zero {
            firstDeadline = loop.assumeIsolated().scheduleTask(in: first) { [weak self] in
                if let self, !hasReceivedMessage { end(false) }
            }
        }
        if idle > .zero { waitIdle(on: loop, end) }
    }

    func noteMessage(isFromPeer: Bool) {
        isActive = true
        guard isFromPeer, !hasReceivedMessage else { return }
        hasReceivedMessage = true
        firstDeadline?.cancel()
        firstDeadline = nil
    }

    func stop() {
        firstDeadline?.cancel()
        idleDeadline?.cancel()
    }

    private func waitIdle(on loop: any EventLoop, _ end: @escaping (Bool) -> Void) {
        isActive = false
        idleDeadline = loop.assumeIsolated().scheduleTask(in: idle) { [weak self] in
            guard let self else { return }
            if isActive { waitIdle(on: loop, end) } else { end(hasReceivedMessage) }
        }
    }
}
#endif
