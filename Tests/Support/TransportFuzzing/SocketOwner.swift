#if Replication
package import SyncCore
import Synchronization
package import Transport

/// The owner of a WebSocket that is fuzzed: it notes and checks the events, and acts at random.
package final class SocketOwner: Sendable {
    private struct State {
        var channel: (any FrameChannel)?
        /// The channel, to see that it is released.
        weak var released: (any FrameChannel)?
        var isOpened = false
        var isClosed = false
        var hasEnded = false
        var frames: [[UInt8]] = []
        var sent: [[UInt8]] = []
        var findings: [String] = []
    }

    private let state = Mutex(State())

    package init() {}

    package static let options = {
        var options = WebSocketOptions()
        options.heartbeat = 3
        options.pongTimeout = 1
        options.firstMessageTimeout = 5
        options.idleTimeout = 10
        options.now = { 0 }
        options.maximumMessageBytes = 70_000
        return options
    }()

    /// Becomes the owner of a channel, which is opened at a later ``act(_:)``.
    package func use(_ channel: any FrameChannel) {
        state.withLock { state in
            state.channel = channel
            state.released = channel
        }
    }

    package var frames: [[UInt8]] { state.withLock { $0.frames } }
    package var sent: [[UInt8]] { state.withLock { $0.sent } }
    package var isUsed: Bool { state.withLock { $0.released != nil || $0.channel != nil } }
    /// Whether the owner has closed or cancelled the channel, or let it wait for a timeout.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }
    /// Whether the owner has opened the channel and was told its end.
    package var isComplete: Bool { state.withLock { $0.isOpened && $0.isClosed } }

    /// Returns whether the channel exists after its owner has released it.
    package var isRetained: Bool {
        let channel = state.withLock { $0.channel.take() }
        _ = consume channel
        return state.withLock { $0.released != nil }
    }

    package var findings: [String] {
        state.withLock { state in
            state.findings + (state.isOpened && !state.isClosed ? ["the owner was not told the end"] : [])
        }
    }

    /// Opens the channel, sends, pauses, closes or does nothing.
    package func act(_ input: inout RandomInput) {
        guard let channel = state.withLock({ $0.channel }) else { return }
        switch input.number(0...40) {
        case 0...12:
            guard state.withLock({ !$0.isOpened }) else { return }
            state.withLock { $0.isOpened = true }
            channel.open { [weak self] in self?.handle($0) }
        case 13...22:
            let frame = [UInt8](repeating: UInt8(input.number(0...255)), count: input.pick([0, 1, 130, 20_000, 70_000]))
            state.withLock { $0.sent.append(frame) }
            channel.send(frame)
        case 23...26: channel.setReading(input.number(0...1) == 0)
        case 27 where input.number(0...3) == 0:
            state.withLock { $0.hasEnded = true }
            channel.close(code: 1000, reason: "")
        case 28 where input.number(0...3) == 0:
            state.withLock { $0.hasEnded = true }
            channel.cancel()
        default: break
        }
    }

    private func handle(_ event: FrameChannelEvent) {
        state.withLock { state in
            if state.isClosed { state.findings.append("an event after the end: \(event)") }
            switch event {
            case .opened: if !state.frames.isEmpty { state.findings.append("opened after a frame") }
            case .frame(let frame): state.frames.append(frame)
            case .writable: break
            case .closed(let closure):
                state.isClosed = true
                // By a timeout, on this side.
                if !closure.isByPeer { state.hasEnded = true }
            }
        }
    }
}
#endif
