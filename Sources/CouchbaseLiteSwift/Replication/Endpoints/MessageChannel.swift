#if Replication
import SyncCore
import Replication
import Synchronization
import Transport

/// A channel over a connection of the app.
///
/// The app's functions are called on the channel's own queue, one at a time; the app may deliver messages on any thread.
final class MessageChannel: FrameChannel, @unchecked Sendable {
    typealias Receiver = @Sendable (FrameChannelEvent) -> Void

    // Unchecked: the connection is code of the app, documented to be called on a background thread; mutable state is in `state`.
    private struct State {
        var receiver: Receiver?
        var isOpen = false
        /// The reason of the end; `nil` while the channel has not ended.
        var closure: ChannelClosure?
        var isClosed: Bool { closure != nil }
        /// The messages queued for sending, and their number of bytes.
        var outgoing: [[UInt8]] = []
        var byteCount = 0
        var isSending = false
        var isFull = false
        /// The requested close, which waits until the queued messages have been sent.
        var closing: (code: Int, reason: String)?
        var isReading = true
        /// The received frames that were not delivered yet, and their number of bytes.
        var unread: [[UInt8]] = []
        var unreadByteCount = 0
        /// The framing; `nil` unless the transport is a byte stream.
        var stream: WebSocketByteStream?
    }

    /// The most undelivered bytes while reading is paused. The app's transport cannot be paused, so a connection that exceeds the limit is
    /// closed.
    private static let maximumUnread = 16 << 20

    /// The number of queued bytes above which the sender has to wait (Replication 1.7).
    private static let capacity = 64 << 10

    let connection: any MessageEndpointConnection
    /// The queue on which the app's functions are called and events are delivered.
    private let queue = DispatchQueue(label: "CouchbaseLite.message-channel")
    private let state: Mutex<State>

    /// The most seconds that sending the queued messages may take after a close (Replication 1.8).
    private let closeTimeout: Double

    /// Creates a channel.
    ///
    /// - Parameter isActive: Whether this side has initiated the connection.
    init(
        _ connection: any MessageEndpointConnection,
        _ type: ProtocolType,
        isActive: Bool,
        closeTimeout: Double = WebSocketOptions().closeTimeout
    ) {
        self.connection = connection
        self.closeTimeout = closeTimeout
        state = Mutex(State(stream: type == .byteStream ? WebSocketByteStream(isClient: isActive) : nil))
    }

    /// Sets the replicator or listener for which the app's functions are called. Must be called before ``open(_:)``.
    func works(for activity: AnyObject) {
        ActivityQueue.mark(queue, for: activity)
    }

    func open(_ receiver: @escaping Receiver) {
        state.withLock { $0.receiver = receiver }
        queue.async { [self] in
            guard !state.withLock({ $0.isClosed }) else { return tellEnd() }
            connection.open(connection: self) { [self] isSuccess, error in
                guard isSuccess else { return end(Self.closure(of: error)) }
                queue.async { self.tellOpened() }
            }
        }
    }

    private func tellOpened() {
        let receiver = state.withLock { state -> Receiver? in
            guard !state.isOpen else { return nil }
            state.isOpen = true
            return state.receiver
        }
        receiver?(.opened(ChannelHandshake()))
        tellUnread()
    }

    @discardableResult
    func send(_ frame: [UInt8]) -> Bool {
        let (hasRoom, begins) = state.withLock { state in
            guard !state.isClosed, state.closing == nil else { return (true, false) }
            let message = state.stream?.frame(frame) ?? frame
            state.outgoing.append(message)
            state.byteCount += message.count
            state.isFull = state.byteCount > Self.capacity
            defer { state.isSending = true }
            return (!state.isFull, !state.isSending)
        }
        if begins { queue.async { self.sendNext() } }
        return hasRoom
    }

    private func sendNext() {
        let next = state.withLock { state -> [UInt8]? in
            guard !state.isClosed, !state.outgoing.isEmpty else {
                state.isSending = false
                return nil
            }
            return state.outgoing.removeFirst()
        }
        guard let next else { return finishClosing() }
        connection.send(message: Message(bytes: next)) { [self] isSuccess, error in
            guard isSuccess else { return end(Self.closure(of: error)) }
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

    func setReading(_ isReading: Bool) {
        state.withLock { $0.isReading = isReading }
        if isReading { queue.async { self.tellUnread() } }
    }

    // MARK: The end

    func close(code: Int, reason: String) {
        let (isOpen, isIdle) = state.withLock { state in
            guard !state.isClosed, state.closing == nil else { return (true, false) }
            guard state.isOpen else { return (false, false) }
            state.closing = (code, reason)
            if let message = state.stream?.close(code: code, reason: reason) {
                state.outgoing.append(message)
                state.byteCount += message.count
            }
            let isIdle = !state.isSending
            state.isSending = true
            return (true, isIdle)
        }
        guard isOpen else { return end(ChannelClosure(code: code, reason: reason, isByPeer: false)) }
        if isIdle { queue.async { self.sendNext() } }
        // The app's transport may never complete a send.
        queue.asyncAfter(deadline: .now() + closeTimeout) { [weak self] in self?.finishClosing() }
    }

    func cancel() {
        end(ChannelClosure(code: nil, isByPeer: false, error: SyncError(.webSocket, 1006, "the connection was aborted")))
    }

    /// Closes the channel after all queued messages have been sent, or the time for them has expired.
    private func finishClosing() {
        guard let (code, reason) = state.withLock({ $0.closing }) else { return }
        end(ChannelClosure(code: code, reason: reason, isByPeer: false))
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
            connection.close(error: closure.error?.publicError) {}
            tellUnread()
            tellEnd()
        }
    }

    /// Delivers the close event if there is a receiver. Must be called on the queue.
    private func tellEnd() {
        let (receiver, closure) = state.withLock { state in
            defer { state.receiver = nil }
            return (state.receiver, state.closure)
        }
        if let closure { receiver?(.closed(closure)) }
    }

    private static func closure(of error: MessagingError?) -> ChannelClosure {
        guard let error else {
            return ChannelClosure(code: nil, isByPeer: true, error: SyncError(.webSocket, 1006, "the app's transport failed"))
        }
        // The close codes for transient and for permanent errors of applications (Replication 1.8).
        let code = error.isRecoverable ? 4001 : 4002
        let message = (error.error as NSError).localizedDescription
        return ChannelClosure(code: code, reason: message, isByPeer: true, error: SyncError(.webSocket, code, message))
    }

    // MARK: What comes in

    /// Delivers the received frames unless reading is paused. Must be called on the queue, which preserves their order.
    private func tellUnread() {
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
}

extension MessageChannel: ReplicatorConnection {
    func close(error: MessagingError?) {
        // If this side has requested the close, the peer's disconnection completes it.
        if let (code, reason) = state.withLock({ $0.closing }) {
            return end(ChannelClosure(code: code, reason: reason, isByPeer: false))
        }
        end(error == nil ? ChannelClosure(code: 1000, isByPeer: true) : Self.closure(of: error))
    }

    func receive(message: Message) {
        let closure = state.withLock { state -> ChannelClosure? in
            guard !state.isClosed else { return nil }
            guard let items = state.stream?.receive(message.bytes) else { return Self.append(message.bytes, to: &state) }
            for item in items {
                switch item {
                case .frame(let frame):
                    if let closure = Self.append(frame, to: &state) { return closure }
                case .reply(let bytes):
                    state.outgoing.append(bytes)
                    state.byteCount += bytes.count
                case .closed(let closure): return closure
                }
            }
            return nil
        }
        queue.async { self.tellUnread() }
        if let closure { end(closure) }
        kick()
    }

    /// Stores a frame until it is delivered. Returns a `ChannelClosure` if the limit is exceeded.
    private static func append(_ frame: [UInt8], to state: inout State) -> ChannelClosure? {
        state.unread.append(frame)
        state.unreadByteCount += frame.count
        guard state.unreadByteCount > maximumUnread else { return nil }
        let error = SyncError(.webSocket, 1009, "the peer sent more than \(maximumUnread) bytes while reading was paused")
        return ChannelClosure(code: 1009, reason: error.message, isByPeer: false, error: error)
    }

    /// Starts sending messages that were queued by other functions than ``send(_:)``.
    private func kick() {
        let begins = state.withLock { state in
            guard !state.isClosed, !state.outgoing.isEmpty, !state.isSending else { return false }
            state.isSending = true
            return true
        }
        if begins { queue.async { self.sendNext() } }
    }
}

/// Creates channels over connections of the app.
struct MessageChannelFactory: ChannelFactory, @unchecked Sendable {
    // Unchecked: the endpoint's delegate is code of the app, documented to be called on a background thread.
    private let endpoint: MessageEndpoint

    init(_ endpoint: MessageEndpoint) {
        self.endpoint = endpoint
    }

    var databases: [Database] { [] }
    var remote: String { endpoint.uid }
    var logName: String { "message endpoint \(endpoint.uid)" }

    func channel(
        for configuration: ReplicatorConfiguration,
        _ replica: ReplicaDatabase,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel {
        let connection = endpoint.delegate.createConnection(endpoint: endpoint)
        return MessageChannel(connection, endpoint.protocolType, isActive: true)
    }
}
#endif
