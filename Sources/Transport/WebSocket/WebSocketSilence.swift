#if Replication
import NIOCore

/// Says when a peer has not sent its first message in time, and when nobody has said anything for long. Pings do not count. Lives on an event
/// loop.
final class WebSocketSilence {
    private let first: TimeAmount
    private let idle: TimeAmount
    private var hasSpoken = false
    /// Whether anything has been said since the deadline was set.
    private var isActive = false
    private var firstDeadline: Scheduled<Void>?
    private var idleDeadline: Scheduled<Void>?

    /// - Parameters:
    ///   - first: Seconds for the peer's first message; 0 for any time.
    ///   - idle: Seconds without a message in either direction, after which it ends, and at most twice that; 0 for never.
    init(first: Double, idle: Double) {
        self.first = first.secondsAsTime
        self.idle = idle.secondsAsTime
    }

    /// Begins. `end` is called when it is too long, with whether the peer has spoken. It must not hold on to the silence's owner.
    func start(on loop: any EventLoop, end: @escaping (Bool) -> Void) {
        if first > .zero {
            firstDeadline = loop.assumeIsolated().scheduleTask(in: first) { [weak self] in
                if let self, !hasSpoken { end(false) }
            }
        }
        if idle > .zero { waitIdle(on: loop, end) }
    }

    /// A message has come, or gone out.
    func noteMessage(isFromPeer: Bool) {
        isActive = true
        guard isFromPeer, !hasSpoken else { return }
        hasSpoken = true
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
            if isActive { waitIdle(on: loop, end) } else { end(hasSpoken) }
        }
    }
}
#endif
