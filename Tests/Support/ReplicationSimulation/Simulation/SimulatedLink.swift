import BLIP
package import SyncCore

/// A simulated connection between two sides, with configurable delays and faults.
package final class SimulatedLink {
    /// The properties of a link.
    package struct Properties {
        /// The transmission time of a byte.
        package var latency: Duration = .milliseconds(1)
        /// The maximum random time added to ``latency``. Frames are never reordered.
        package var jitter: Duration = .zero
        /// The bandwidth of each direction; `nil` for no limit.
        package var bytesPerSecond: Int?
        /// The maximum size of a side's send queue, in bytes (Replication 1.7).
        package var lineSize = 65_536
        /// The time after which a side detects that the peer does not respond.
        package var silenceTimeout: Duration = .seconds(10)

        package init() {}
    }

    /// One side of the link.
    package final class End {
        fileprivate weak var link: SimulatedLink?
        fileprivate let isClient: Bool
        fileprivate var handler: ((FrameChannelEvent) -> Void)?
        /// The number of bytes in the send queue.
        fileprivate var queuedByteCount = 0
        fileprivate var isFull = false
        /// The time at which the send queue will be empty.
        fileprivate var linkIsFreeAt: Duration = .zero
        /// The arrival time of the last event sent.
        fileprivate var lastArrival: Duration = .zero
        fileprivate var isClosing = false
        fileprivate var hasEnded = false
        /// The number of bytes of all frames sent by this side.
        package fileprivate(set) var sentBytes = 0
        package fileprivate(set) var sentFrames = 0

        fileprivate init(isClient: Bool) {
            self.isClient = isClient
        }

        /// Whether a frame may be sent.
        package var hasRoom: Bool { !isFull && !isClosing && !hasEnded }

        package func open(_ handler: @escaping (FrameChannelEvent) -> Void) {
            self.handler = handler
        }

        package func send(_ frame: [UInt8]) {
            link?.send(frame, from: self)
        }

        package func close(code: Int, reason: String) {
            link?.close(code: code, reason: reason, from: self)
        }

        /// Closes the link because the process of this side was killed; the other side is notified at once.
        package func abandon() {
            handler = nil
            link?.cut()
        }
    }

    package let properties: Properties
    package let client = End(isClient: true)
    package let server = End(isClient: false)
    private let simulation: Simulation
    package let subprotocol: String
    /// The number of bytes, in both directions together, after which the link breaks; `nil` if it does not.
    private var bytesUntilCut: Int?
    /// Whether all events sent from now on are lost.
    private var isSilent = false
    /// Called with every frame that is sent, and whether the client sends it.
    package var onFrame: ((_ frame: [UInt8], _ isFromClient: Bool) -> Void)?

    package init(_ simulation: Simulation, _ properties: Properties = .init(), subprotocol: String = "BLIP_3+CBMobile_3") {
        self.simulation = simulation
        self.properties = properties
        self.subprotocol = subprotocol
        client.link = self
        server.link = self
    }

    /// Connects the two sides. Each is notified after the time that its part of a handshake takes.
    package func connect() {
        let handshake = ChannelHandshake(subprotocol: subprotocol.isEmpty ? nil : subprotocol)
        let half = properties.latency
        simulation.after(half) { self.deliver(.opened(handshake), to: self.server) }
        simulation.after(half + half) { self.deliver(.opened(handshake), to: self.client) }
        client.lastArrival = simulation.now + half + half
        server.lastArrival = client.lastArrival
    }

    // MARK: Faults

    /// Breaks the link at once: frames in transit are lost, and both sides are notified.
    package func cut(_ error: SyncError? = nil) {
        let error = error ?? Self.reset
        for end in [client, server] { finish(end, ChannelClosure(code: nil, isByPeer: false, error: error)) }
    }

    /// Breaks the link for the client at once. Frames that it has sent still arrive, and the server, which is notified after `delay`, may
    /// still process them when the client reconnects.
    package func cutForClient(serverLearnsAfter delay: Duration) {
        finish(client, ChannelClosure(code: nil, isByPeer: false, error: Self.reset))
        simulation.after(delay) { self.cut() }
    }

    /// Cancels planned faults. Frames that have been lost are not recovered.
    package func heal() {
        bytesUntilCut = nil
        if isSilent { cut() }
    }

    private static let reset = SyncError(.posix, 104, "the connection was reset")

    /// Breaks the link when `count` more bytes have been sent, in both directions together.
    package func cut(afterBytes count: Int) {
        bytesUntilCut = count
    }

    /// Loses all frames from now on. The sides detect this after ``Properties/silenceTimeout``.
    package func fallSilent() {
        guard !isSilent else { return }
        isSilent = true
        simulation.after(properties.silenceTimeout) { self.cut(SyncError(.network, 3, "the peer does not answer")) }
    }

    // MARK: Sending

    private func other(_ end: End) -> End { end.isClient ? server : client }

    private func send(_ frame: [UInt8], from end: End) {
        guard !end.hasEnded, !end.isClosing else { return }
        end.sentBytes += frame.count
        end.sentFrames += 1
        onFrame?(frame, end.isClient)
        if let left = bytesUntilCut {
            bytesUntilCut = left - frame.count
            if left <= frame.count {
                simulation.after(.zero) { self.cut() }
                return
            }
        }
        end.queuedByteCount += frame.count
        end.isFull = end.queuedByteCount > properties.lineSize
        let departure = departure(of: frame.count, from: end)
        simulation.after(departure - simulation.now) { self.left(frame.count, end) }
        transmit(.frame(frame), from: end, leavingAt: departure)
    }

    private func departure(of size: Int, from end: End) -> Duration {
        var time = max(simulation.now, end.linkIsFreeAt)
        if let speed = properties.bytesPerSecond { time += .nanoseconds(size * 1_000_000_000 / speed) }
        end.linkIsFreeAt = time
        return time
    }

    private func left(_ size: Int, _ end: End) {
        end.queuedByteCount -= size
        guard end.isFull, end.queuedByteCount <= properties.lineSize / 2, !end.hasEnded else { return }
        end.isFull = false
        deliver(.writable, to: end)
    }

    private func transmit(_ event: FrameChannelEvent, from end: End, leavingAt departure: Duration) {
        guard !isSilent else { return }
        var arrival = departure + properties.latency
        if properties.jitter > .zero {
            arrival += properties.jitter * Double.random(in: 0...1, using: &simulation.random)
        }
        arrival = max(arrival, end.lastArrival)
        end.lastArrival = arrival
        let receiver = other(end)
        simulation.after(arrival - simulation.now) {
            if case .closed(let closure) = event { return self.closed(closure, receiver) }
            self.deliver(event, to: receiver)
        }
    }

    private func deliver(_ event: FrameChannelEvent, to end: End) {
        guard !end.hasEnded else { return }
        end.handler?(event)
    }

    // MARK: Closing

    private func close(code: Int, reason: String, from end: End) {
        guard !end.hasEnded, !end.isClosing else { return }
        end.isClosing = true
        let closure = ChannelClosure(code: code, reason: reason, isByPeer: true)
        transmit(.closed(closure), from: end, leavingAt: departure(of: 0, from: end))
        // The connection is closed even if the peer does not reply in time (Replication 1.8).
        simulation.after(.seconds(5)) {
            self.finish(end, ChannelClosure(code: code, reason: reason, isByPeer: false))
        }
    }

    /// Handles a received CLOSE: either the reply to one of this side, or one to reply to.
    private func closed(_ closure: ChannelClosure, _ end: End) {
        guard !end.hasEnded else { return }
        if end.isClosing {
            finish(end, ChannelClosure(code: closure.code, reason: closure.reason, isByPeer: false))
            return
        }
        end.isClosing = true
        transmit(.closed(closure), from: end, leavingAt: departure(of: 0, from: end))
        finish(end, closure)
    }

    private func finish(_ end: End, _ closure: ChannelClosure) {
        guard !end.hasEnded else { return }
        end.hasEnded = true
        let handler = end.handler
        end.handler = nil
        handler?(.closed(closure))
    }
}
