#if Replication
import Dispatch
import DocumentStore
import Replication
package import SyncCore
import Synchronization
import Transport

/// A channel over a transport of the app.
///
/// The app's functions are called on the channel's own queue, one at a time; the app may deliver messages on any thread.
package final class MessageChannel: FrameChannel {
    /// Takes the events of a channel.
    package typealias Receiver = @Sendable (FrameChannelEvent) -> Void

    private struct State {
        var receiver: Receiver?
        var isOpen = false
        /// The reason of the end; `nil` while the channel has not ended.
        var closure: ChannelClosure?
        var isClosed: Bool { closure != nil }
        var outgoing = FIFO<[UInt8]>()
        /// The answer to the latest ping, which is sent next. It replaces answers to earlier pings that were not sent yet, so that a peer
        /// cannot queue more and more of them (RFC 6455, 5.5.3).
        var pong: [UInt8]?
        /// The number of bytes of the queued messages and of the one that is being sent.
        var byteCount = 0
        var isSending = false
        var isFull = false
        /// The end that this side or the peer has requested. It waits until the queued messages have been sent.
        var closing: ChannelClosure?
        var isReading = true
        /// The received frames that were not delivered yet, and the memory that they use.
        var unread: [[UInt8]] = []
        var unreadByteCount = 0
        /// The framing; `nil` unless the transport is a byte stream.
        var stream: WebSocketByteStream?

        var hasMessages: Bool { pong != nil || !outgoing.isEmpty }

        mutating func enqueue(_ message: [UInt8]) {
            outgoing.append(message)
            byteCount += message.count
        }

        mutating func enqueue(pong newPong: [UInt8]) {
            byteCount += newPong.count - (pong?.count ?? 0)
            pong = newPong
        }

        mutating func dequeueMessage() -> [UInt8]? {
            guard let answer = pong else { return outgoing.popFirst() }
            pong = nil
            return answer
        }
    }

    /// The limits of a channel.
    package struct Limits: Sendable {
        /// The most seconds that sending the queued messages may take after a close (Replication 1.8).
        package var closeTimeout: Double = WebSocketOptions().closeTimeout
        /// The most bytes of memory for undelivered frames while reading is paused. The app's transport cannot be paused, so a connection
        /// that exceeds the limit is closed.
        package var maximumUnread = 16 << 20

        package init() {}
    }

    private let limits: Limits
    /// The memory that an undelivered frame uses besides its bytes, in bytes.
    private static let costOfFrame = 64

    /// The number of queued bytes above which the sender has to wait (Replication 1.7).
    private static let capacity = 64 << 10

    private let transport: any MessageTransport
    /// The queue on which the app's functions are called and events are delivered.
    private let queue = DispatchQueue(label: "CouchbaseLite.message-channel")
    private let state: Mutex<State>

    /// - Parameters:
    ///   - isByteStream: Whether the transport does not preserve message boundaries.
    ///   - isActive: Whether this side has initiated the connection.
    package init(_ transport: any MessageTransport, isByteStream: Bool, isActive: Bool, _ limits: Limits = Limits()) {
        self.transport = transport
        self.limits = limits
        state = Mutex(State(stream: isByteStream ? WebSocketByteStream(isClient: isActive) : nil))
    }

    /// Sets the replicator or listener for which the app's functions are called. Must be called before ``open(_:)``.
    package func works(for activity: AnyObject) { ActivityQueue.mark(queue, for: activity) }

    package func open(_ receiver: @escaping Receiver) {
        state.withLock { $0.receiver = receiver }
        queue.async { [self] in
            guard !state.withLock({ $0.isClosed }) else { return notifyEnd() }
            transport.open(self) { [self] isSuccess, failure in
                guard isSuccess else { return end(ChannelClosure(of: failure)) }
                queue.async { self.notifyOpened() }
            }
        }
    }

    private func notifyOpened() {
        let receiver = state.withLock { state -> Receiver? in
            guard !state.isOpen else { return nil }
            state.isOpen = true
            return state.receiver
        }
        receiver?(.opened(ChannelHandshake()))
        notifyUnread()
    }

    @discardableResult
    package func send(_ frame: [UInt8]) -> Bool {
        let hasRoom = state.withLock { state in
            guard !state.isClosed, state.closing == nil else { return true }
            let message = state.stream?.frame(frame) ?? frame
            state.enqueue(message)
            state.isFull = state.byteCount > Self.capacity
            return !state.isFull
        }
        startSending()
        return hasRoom
    }

    private func sendNext() {
        let (next, closure) = state.withLock { state -> ([UInt8]?, ChannelClosure?) in
            if !state.isClosed, let message = state.dequeueMessage() { return (message, nil) }
            state.isSending = false
            return (nil, state.closing)
        }
        guard let next else {
            if let closure { end(closure) }
            return
        }
        transport.send(next) { [self] isSuccess, failure in
            guard isSuccess else { return end(ChannelClosure(of: failure)) }
            let hasRoomAgain = state.withLock { state in
                state.byteCount -= next.count
                guard state.isFull, state.byteCount <= Self.capacity / 2 else { return false }
                state.isFull = false
                return true
            }
            queue.async { [self] in
                if hasRoomAgain { state.withLock { $0.receiver }?(.writable) }
                sendNext()
            }
        }
    }

    package func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
        if isReading { queue.async { self.notifyUnread() } }
    }

    // MARK: The end

    package func close(code: Int, reason: String) {
        let closure = ChannelClosure(code: code, reason: reason, isByPeer: false)
        let isOpen = state.withLock { state in
            guard !state.isClosed, state.closing == nil else { return true }
            guard state.isOpen else { return false }
            state.closing = closure
            if let message = state.stream?.close(code: code, reason: reason) { state.enqueue(message) }
            return true
        }
        guard isOpen else { return end(closure) }
        startSending()
        finishClosingLater()
    }

    /// Limits the time for sending the queued messages: the app's transport may never complete a send.
    private func finishClosingLater() {
        queue.asyncAfter(deadline: .now() + limits.closeTimeout) { [weak self] in
            if let self, let closure = state.withLock({ $0.closing }) { end(closure) }
        }
    }

    package func cancel() {
        end(.aborted)
    }

    /// Closes the app's connection, and delivers the close event after all earlier events, once.
    private func end(_ closure: ChannelClosure) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.closure = closure
            return true
        }
        guard isFirst else { return }
        queue.async { [self] in
            transport.close(closure.error)
            notifyUnread()
            notifyEnd()
        }
    }

    /// Delivers the close event if there is a receiver. Must be called on the queue.
    private func notifyEnd() {
        let (receiver, closure) = state.withLock { state in
            defer { state.receiver = nil }
            return (state.receiver, state.closure)
        }
        if let closure { receiver?(.closed(closure)) }
    }

    // MARK: What comes in

    /// Delivers the received frames unless reading is paused. Must be called on the queue, which preserves their order.
    private func notifyUnread() {
        let (receiver, frames) = state.withLock { state -> (Receiver?, [[UInt8]]) in
            guard state.isOpen, state.isReading || state.isClosed else { return (nil, []) }
            defer {
                state.unread.removeAll()
                state.unreadByteCount = 0
            }
            return (state.receiver, state.unread)
        }
        for frame in frames { receiver?(.frame(frame)) }
    }

    /// Notes that the peer has closed the connection, or that the connection was lost.
    ///
    /// - Parameter failure: The failure; `nil` if the peer has closed the connection in order.
    package func didClose(_ failure: MessageFailure?) {
        // The peer's disconnection completes a close that was requested.
        if let closure = state.withLock({ $0.closing }) { return end(closure) }
        end(failure == nil ? ChannelClosure(code: CloseCode.normal.rawValue, isByPeer: true) : ChannelClosure(of: failure))
    }

    /// Receives a message, or a part of the byte stream.
    package func receive(_ message: [UInt8]) {
        let (closure, answersClose) = state.withLock { state -> (ChannelClosure?, Bool) in
            guard !state.isClosed else { return (nil, false) }
            guard let items = state.stream?.receive(message) else { return (append(message, to: &state), false) }
            for item in items {
                switch item {
                case .frame(let frame):
                    if let closure = append(frame, to: &state) { return (closure, false) }
                case .pong(let pong):
                    // After a close frame nothing else is sent.
                    if state.closing == nil { state.enqueue(pong: pong) }
                case .closed(let closure, let answer):
                    // After this side's close frame, the planned closure counts, even if the peer answers with an invalid frame.
                    guard let answer else { return (state.closing ?? closure, false) }
                    // The peer ignores what follows its close frame, except the answer to it (RFC 6455, 5.5.1).
                    state.outgoing = FIFO()
                    state.pong = nil
                    state.enqueue(answer)
                    state.closing = closure
                    return (nil, true)
                }
            }
            return (nil, false)
        }
        queue.async { self.notifyUnread() }
        if let closure { end(closure) }
        if answersClose { finishClosingLater() }
        startSending()
    }

    /// Stores a frame until it is delivered. Returns a `ChannelClosure` if the limit is exceeded.
    private func append(_ frame: [UInt8], to state: inout State) -> ChannelClosure? {
        state.unread.append(frame)
        state.unreadByteCount += frame.count + Self.costOfFrame
        guard state.unreadByteCount > limits.maximumUnread else { return nil }
        let error = SyncError(webSocket: .messageTooBig, "the peer sent more than \(limits.maximumUnread) bytes while reading was paused")
        return ChannelClosure(code: error.code, reason: error.message, isByPeer: false, error: error)
    }

    /// Starts sending the queued messages, or closing the channel after the last one.
    private func startSending() {
        let begins = state.withLock { state in
            guard !state.isClosed, state.hasMessages || state.closing != nil, !state.isSending else { return false }
            state.isSending = true
            return true
        }
        if begins { queue.async { self.sendNext() } }
    }
}
#endif
