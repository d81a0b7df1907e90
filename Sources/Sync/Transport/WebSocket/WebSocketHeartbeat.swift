#if Replication
import NIOCore

/// Schedules pings and detects a peer that no longer responds (Replication 1.7). Used on an event loop only.
final class WebSocketHeartbeat {
    /// Whether data is read. While it is not, no pong can be received, so the deadline is extended.
    var isReading = true

    private let interval: TimeAmount
    private let timeout: TimeAmount
    private var nextPing: Scheduled<Void>?
    private var deadline: Scheduled<Void>?
    /// Whether any data has been received since the deadline was set: a peer that is busy sending answers a ping late.
    private var hasReceivedData = false

    /// - Parameters:
    ///   - interval: The time between pings, in seconds. 0 disables pings.
    ///   - timeout: The maximum time for the response, in seconds.
    init(interval: Double, timeout: Double) {
        self.interval = interval.secondsAsTime
        self.timeout = timeout.secondsAsTime
    }

    /// Starts the heartbeat. `ping` is called at every interval, `timedOut` if the peer does not respond. Both must not retain the
    /// heartbeat's owner.
    func start(on loop: any EventLoop, ping: @escaping () -> Void, timedOut: @escaping () -> Void) {
        guard interval > .zero else { return }
        nextPing = loop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self else { return }
            start(on: loop, ping: ping, timedOut: timedOut)
            if deadline == nil { awaitPong(on: loop, timedOut) }
            ping()
        }
    }

    func noteBytes() { hasReceivedData = true }

    func notePong() {
        deadline?.cancel()
        deadline = nil
    }

    func stop() {
        nextPing?.cancel()
        nextPing = nil
        notePong()
    }

    private func awaitPong(on loop: any EventLoop, _ timedOut: @escaping () -> Void) {
        hasReceivedData = false
        deadline = loop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            guard let self else { return }
            deadline = nil
            if hasReceivedData || !isReading {
                awaitPong(on: loop, timedOut)
            } else {
                timedOut()
            }
        }
    }
}
#endif
