#if Replication
import NIOCore

/// Says when to ping, and when the peer has been silent for too long (Replication 1.7). Lives on an event loop.
final class WebSocketHeartbeat {
    /// While nothing is read, no pong can come: the deadline begins again then.
    var isReading = true

    private let interval: TimeAmount
    private let timeout: TimeAmount
    private var nextPing: Scheduled<Void>?
    private var deadline: Scheduled<Void>?
    /// Whether bytes of any kind have come since the deadline was set: a peer that is busy sending answers a ping late.
    private var hasHeard = false

    /// - Parameters:
    ///   - interval: Seconds between pings; 0 for none.
    ///   - timeout: Seconds for the answer.
    init(interval: Double, timeout: Double) {
        self.interval = interval.secondsAsTime
        self.timeout = timeout.secondsAsTime
    }

    /// Begins. `ping` is called every so often, `timedOut` when the peer is silent. Both must not hold on to the heartbeat's owner.
    func start(on loop: any EventLoop, ping: @escaping () -> Void, timedOut: @escaping () -> Void) {
        guard interval > .zero else { return }
        nextPing = loop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self else { return }
            start(on: loop, ping: ping, timedOut: timedOut)
            if deadline == nil { awaitPong(on: loop, timedOut) }
            ping()
        }
    }

    /// Bytes have come.
    func noteBytes() {
        hasHeard = true
    }

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
        hasHeard = false
        deadline = loop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            guard let self else { return }
            deadline = nil
            if hasHeard || !isReading {
                awaitPong(on: loop, timedOut)
            } else {
                timedOut()
            }
        }
    }
}
#endif
