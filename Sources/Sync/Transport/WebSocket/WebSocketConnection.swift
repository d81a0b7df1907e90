#if Replication
package import NIOCore
package import SyncCore
import Synchronization

/// The timeouts and limits of a WebSocket (Replication 1.7, 1.8 and 4.13).
package struct WebSocketOptions: Sendable {
    /// The time between pings, in seconds. 0 disables pings.
    package var heartbeat: Double = 300
    /// The maximum time for the response to a ping, in seconds. It is extended while data is received or reading is stopped.
    package var pongTimeout: Double = 10
    /// The time to wait for the peer's close frame after sending one, in seconds.
    package var closeTimeout: Double = 5
    /// The time within which the peer must send its first message, in seconds. 0 means no limit.
    package var firstMessageTimeout: Double = 0
    /// The time without a message in either direction after which the connection is closed, in seconds. 0 means no limit. The close code,
    /// 4001, makes continuous replicators reconnect when they have something to send.
    package var idleTimeout: Double = 0
    /// Returns the current time, in milliseconds since any fixed moment.
    package var now: @Sendable () -> Int64 = { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }
    /// The maximum size of a received message, in bytes. BLIP frames have at most 16 KiB, and Sync Gateway accepts 32 KiB (Replication
    /// 1.7).
    package var maximumMessageBytes = WebSocketOptions.defaultMaximumMessageBytes
    /// The default of ``maximumMessageBytes``.
    package static let defaultMaximumMessageBytes = 128 << 10
    /// The number of queued bytes above which ``FrameChannel/send(_:)`` asks the caller to wait.
    package var maximumQueuedBytes = 64 * 1024

    /// Whether messages are sent as text. A message that begins with the bytes of gzip, which are no text, is sent as a binary one, and so are
    /// all that follow: they are parts of the same compressed stream. Received messages may be text or binary.
    package var sendsText = false

    package init() {}
}

extension Double {
    /// The number of seconds as a time amount of the event loop.
    var secondsAsTime: TimeAmount { .nanoseconds(Int64(Swift.max(0, Swift.min(self, 1e9)) * 1e9)) }
}

/// An established WebSocket: the thread-safe part. ``WebSocketHandler`` is the part on the event loop.
final class WebSocketConnection: FrameChannel {
    private struct SendQueue {
        var frames: [[UInt8]] = []
        var byteCount = 0
        /// Whether the event loop has been scheduled to send the frames.
        var isScheduled = false
        var isWritable = true
        /// Whether the owner has been asked to wait.
        var isOwnerWaiting = false
        /// Whether the queue accepts no more frames.
        var isClosed = false
    }

    private let channel: any Channel
    private let handler: NIOLoopBound<WebSocketHandler>
    private let handshake: ChannelHandshake
    private let maximumQueuedBytes: Int
    private let sendQueue = Mutex(SendQueue())
    /// The time of the last received message. `nil` before the first one.
    private let lastMessageTime = Mutex<Int64?>(nil)
    private let now: @Sendable () -> Int64

    /// Adds the handler of the connection to the end of a channel's pipeline. Must be called on the channel's event loop. Reading must be
    /// disabled; ``open(_:)`` enables it.
    init(channel: any Channel, isClient: Bool, options: WebSocketOptions, handshake: ChannelHandshake) throws {
        let handler = WebSocketHandler(isClient: isClient, options: options)
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        self.handshake = handshake
        maximumQueuedBytes = options.maximumQueuedBytes
        now = options.now
        try channel.pipeline.syncOperations.addHandler(handler)
        // Only now, because the handler breaks this cycle when it is removed.
        handler.connection = self
    }

    func open(_ receiver: @escaping @Sendable (FrameChannelEvent) -> Void) { onEventLoop { $0.open(self.handshake, receiver) } }

    @discardableResult
    func send(_ frame: [UInt8]) -> Bool {
        let (isFirst, hasRoom) = sendQueue.withLock { queue in
            guard !queue.isClosed else { return (false, false) }
            queue.frames.append(frame)
            queue.byteCount += frame.count + WebSocketFrameWriter.maximumHeadBytes
            let isFirst = !queue.isScheduled && queue.isWritable
            if isFirst { queue.isScheduled = true }
            let hasRoom = queue.isWritable && queue.byteCount <= maximumQueuedBytes
            if !hasRoom { queue.isOwnerWaiting = true }
            return (isFirst, hasRoom)
        }
        if isFirst { onEventLoop { $0.sendQueuedFrames() } }
        return hasRoom
    }

    func setReading(_ isReading: Bool) { onEventLoop { $0.setReading(isReading) } }

    func close(code: Int, reason: String) {
        sendQueue.withLock { $0.isClosed = true }
        onEventLoop { $0.close(code: code, reason: reason) }
    }

    func cancel() { onEventLoop { $0.cancel() } }

    private func onEventLoop(_ work: @escaping @Sendable (WebSocketHandler) -> Void) {
        channel.eventLoop.execute { [handler] in work(handler.value) }
    }

    /// The time of the peer's last message, by the clock of the options. `nil` if the peer has sent none.
    var lastMessage: Int64? { lastMessageTime.withLock { $0 } }

    func noteMessage() {
        let time = now()
        lastMessageTime.withLock { $0 = time }
    }

    /// Removes and returns all queued frames, with the maximum number of bytes needed to encode them. For the handler.
    func drainFrames() -> (frames: [[UInt8]], byteCount: Int) {
        sendQueue.withLock { queue in
            queue.isScheduled = false
            let drained = (queue.frames, queue.byteCount)
            queue.frames = []
            queue.byteCount = 0
            return drained
        }
    }

    /// Records whether the channel accepts more data. Must be called before ``drainFrames()``, so that frames queued later are scheduled
    /// again.
    func noteWritable(_ isWritable: Bool) { sendQueue.withLock { $0.isWritable = isWritable } }

    /// Returns whether the waiting owner must be notified that there is room, and ends its wait.
    func endWaitIfRoom() -> Bool {
        sendQueue.withLock { queue in
            guard queue.isOwnerWaiting, queue.isWritable, queue.frames.isEmpty, !queue.isClosed else { return false }
            queue.isOwnerWaiting = false
            return true
        }
    }

    func closeQueue() {
        sendQueue.withLock { queue in
            queue.isClosed = true
            queue.frames = []
            queue.byteCount = 0
        }
    }
}

/// A WebSocket on a channel whose HTTP handshake another server has done.
package enum UpgradedWebSocket {
    /// Adds the handler of a WebSocket to the end of a channel's pipeline. Must be called on the channel's event loop, when the channel does
    /// not read by itself, after the `101` response was written.
    ///
    /// - Parameters:
    ///   - subprotocol: The sub-protocol of the response; `nil` if it has none.
    ///   - isClient: Whether this side has sent the request of the handshake.
    ///   - options: The timeouts and limits.
    /// - Returns: The connection, which starts reading when it is opened.
    package static func add(
        to channel: any Channel,
        subprotocol: String?,
        isClient: Bool = false,
        options: WebSocketOptions
    ) throws -> any FrameChannel {
        let handshake = ChannelHandshake(subprotocol: subprotocol)
        return try WebSocketConnection(channel: channel, isClient: isClient, options: options, handshake: handshake)
    }
}
#endif
