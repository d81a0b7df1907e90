#if Replication
import SyncCore
import NIOCore
import Synchronization

/// An established WebSocket: the thread-safe part. ``WebSocketHandler`` is the part on the event loop.
final class WebSocketConnection: FrameChannel {
    /// The send queue.
    private struct Line {
        var frames: [[UInt8]] = []
        var byteCount = 0
        /// Whether the event loop has been scheduled to send the frames.
        var isScheduled = false
        /// Whether the channel accepts more data.
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
    private let line = Mutex(Line())
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
        handler.connection = self
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    func open(_ receiver: @escaping @Sendable (FrameChannelEvent) -> Void) {
        onEventLoop { $0.open(self.handshake, receiver) }
    }

    @discardableResult
    func send(_ frame: [UInt8]) -> Bool {
        let (isFirst, hasRoom) = line.withLock { line in
            guard !line.isClosed else { return (false, false) }
            line.frames.append(frame)
            line.byteCount += frame.count + WebSocketFrameWriter.maximumHeadBytes
            let isFirst = !line.isScheduled && line.isWritable
            if isFirst { line.isScheduled = true }
            let hasRoom = line.isWritable && line.byteCount <= maximumQueuedBytes
            if !hasRoom { line.isOwnerWaiting = true }
            return (isFirst, hasRoom)
        }
        if isFirst { onEventLoop { $0.sendLine() } }
        return hasRoom
    }

    func setReading(_ isReading: Bool) {
        onEventLoop { $0.setReading(isReading) }
    }

    func close(code: Int, reason: String) {
        line.withLock { $0.isClosed = true }
        onEventLoop { $0.close(code: code, reason: reason) }
    }

    func cancel() {
        onEventLoop { $0.cancel() }
    }

    private func onEventLoop(_ work: @escaping @Sendable (WebSocketHandler) -> Void) {
        channel.eventLoop.execute { [handler] in work(handler.value) }
    }
}

extension WebSocketConnection {
    /// The time of the peer's last message, by the clock of the options. `nil` if the peer has sent none.
    var lastMessage: Int64? { lastMessageTime.withLock { $0 } }

    /// Records that a message was received. For the handler.
    func noteMessage() {
        let time = now()
        lastMessageTime.withLock { $0 = time }
    }

    /// Removes and returns all queued frames, with the maximum number of bytes needed to encode them. For the handler.
    func takeLine() -> (frames: [[UInt8]], byteCount: Int) {
        line.withLock { line in
            line.isScheduled = false
            let taken = (line.frames, line.byteCount)
            line.frames = []
            line.byteCount = 0
            return taken
        }
    }

    /// Records whether the channel accepts more data. Must be called before ``takeLine()``, so that frames queued later are scheduled
    /// again.
    func noteWritable(_ isWritable: Bool) {
        line.withLock { $0.isWritable = isWritable }
    }

    /// Returns whether the waiting owner must be notified that there is room, and ends its wait.
    func endsWait() -> Bool {
        line.withLock { line in
            guard line.isOwnerWaiting, line.isWritable, line.frames.isEmpty, !line.isClosed else { return false }
            line.isOwnerWaiting = false
            return true
        }
    }

    /// Closes the queue and discards its frames.
    func endLine() {
        line.withLock { line in
            line.isClosed = true
            line.frames = []
            line.byteCount = 0
        }
    }
}
#endif
