#if Replication
import Dispatch
package import SyncCore
import Synchronization

/// One end of a connection between two databases of this process. Frames are passed without being copied.
package final class MemoryChannel: FrameChannel {
    private struct State {
        var handler: (@Sendable (FrameChannelEvent) -> Void)?
        /// The events from the other end that were not delivered yet.
        var incoming: [FrameChannelEvent] = []
        var byteCount = 0
        /// Whether the other end waits until there is room.
        var peerWaits = false
        var isReading = true
        var isClosed = false
        var isScheduled = false
    }

    /// The number of undelivered bytes above which the sender has to wait (Replication 1.7).
    private static let capacity = 64 << 10

    private let queue = DispatchQueue(label: "CouchbaseLite.memory-channel")
    private let state = Mutex(State())
    private let handshake: ChannelHandshake
    /// The other end. Each end retains the other until one is closed.
    private let peer = Mutex<MemoryChannel?>(nil)

    private init(_ handshake: ChannelHandshake) { self.handshake = handshake }

    /// Creates the two ends of a new connection. One of them must be closed or cancelled to release both.
    ///
    /// - Parameters:
    ///   - subprotocol: The subprotocol that both sides use.
    ///   - servesVersions: What the active side learns in ``ChannelHandshake/servesVersions``; `nil`, the default, for nothing.
    package static func pair(subprotocol: String, servesVersions: Bool? = nil) -> (active: MemoryChannel, passive: MemoryChannel) {
        let handshake = ChannelHandshake(subprotocol: subprotocol)
        var ofActive = handshake
        ofActive.servesVersions = servesVersions
        let ends = (MemoryChannel(ofActive), MemoryChannel(handshake))
        ends.0.peer.withLock { $0 = ends.1 }
        ends.1.peer.withLock { $0 = ends.0 }
        return ends
    }

    package func open(_ handler: @escaping @Sendable (FrameChannelEvent) -> Void) {
        state.withLock { state in
            state.handler = handler
            state.incoming.insert(.opened(handshake), at: 0)
        }
        deliver()
    }

    package func send(_ frame: [UInt8]) -> Bool { peer.withLock { $0 }?.enqueue(frame) ?? true }

    package func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
        if isReading { deliver() }
    }

    package func close(code: Int, reason: String) {
        end(with: ChannelClosure(code: code, reason: reason, isByPeer: false))
    }

    package func cancel() {
        end(with: .aborted)
    }

    private func end(with closure: ChannelClosure) {
        let other = peer.withLock { $0.take() }
        var closureOfOther = closure
        closureOfOther.isByPeer = true
        other?.peer.withLock { $0 = nil }
        other?.end(closureOfOther)
        end(closure)
    }

    /// Queues a frame from the other end. Returns whether there is room for more.
    private func enqueue(_ frame: [UInt8]) -> Bool {
        let hasRoom = state.withLock { state in
            guard !state.isClosed else { return true }
            state.incoming.append(.frame(frame))
            state.byteCount += frame.count
            state.peerWaits = state.byteCount > Self.capacity
            return !state.peerWaits
        }
        deliver()
        return hasRoom
    }

    /// Queues the close event after all earlier events.
    private func end(_ closure: ChannelClosure) {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            guard !state.isClosed else { return false }
            state.incoming.append(.closed(closure))
            state.isReading = true
            return true
        }
        if isFirst { deliver() }
    }

    private func notifyWritable() {
        state.withLock { state in
            if !state.isClosed { state.incoming.append(.writable) }
        }
        deliver()
    }

    private func deliver() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.async { [self] in
            let (handler, events, peerWaited) = state.withLock { state in
                state.isScheduled = false
                guard let handler = state.handler, state.isReading else {
                    return (nil as (@Sendable (FrameChannelEvent) -> Void)?, [FrameChannelEvent](), false)
                }
                defer {
                    state.incoming.removeAll(keepingCapacity: true)
                    state.byteCount = 0
                    state.peerWaits = false
                }
                return (handler, state.incoming, state.peerWaits)
            }
            guard let handler else { return }
            for event in events { handler(event) }
            if case .closed? = events.last { state.withLock { $0.handler = nil } }
            if peerWaited { peer.withLock { $0 }?.notifyWritable() }
        }
    }
}
#endif
