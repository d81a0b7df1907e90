#if Replication
import SyncCore
import NIOCore
import Synchronization

/// A WebSocket that stands: the part of it that may be used from any thread. ``WebSocketHandler`` is the part on the event loop.
final class WebSocketConnection: FrameChannel {
    /// The frames in line to be sent.
    private struct Line {
        var frames: [[UInt8]] = []
        var byteCount = 0
        /// Whether the event loop has been told of the frames.
        var isScheduled = false
        /// Whether the operating system takes more.
        var isWritable = true
        /// Whether the owner has been asked to wait.
        var isOwnerWaiting = false
        /// Whether nothing is put in line any more.
        var isClosed = false
    }

    private let channel: any Channel
    private let handler: NIOLoopBound<WebSocketHandler>
    private let handshake: ChannelHandshake
    private let maximumQueuedBytes: Int
    private let line = Mutex(Line())
    /// When the last message came; nil before the first.
    private let lastMessageTime = Mutex<Int64?>(nil)
    private let now: @Sendable () -> Int64

    /// Puts the handler of the connection at the end of a channel's pipeline. Must be called on the channel's event loop; reading
    /// must be off, and is turned on by ``open(_:)``.
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
    /// When the peer has sent its last message, by the clock of the options; nil when it has not sent any.
    var lastMessage: Int64? { lastMessageTime.withLock { $0 } }

    /// A message has come. For the handler.
    func noteMessage() {
        let time = now()
        lastMessageTime.withLock { $0 = time }
    }

    /// Takes everything that is in line, with the bytes it needs at most. For the handler.
    func takeLine() -> (frames: [[UInt8]], byteCount: Int) {
        line.withLock { line in
            line.isScheduled = false
            let taken = (line.frames, line.byteCount)
            line.frames = []
            line.byteCount = 0
            return taken
        }
    }

    /// Notes whether the operating system takes more. Before the line is taken, so that what is put in it meanwhile makes itself known.
    func noteWritable(_ isWritable: Bool) {
        line.withLock { $0.isWritable = isWritable }
    }

    /// Whether the owner, who was asked to wait, is to be told now that there is room.
    func endsWait() -> Bool {
        line.withLock { line in
            guard line.isOwnerWaiting, line.isWritable, line.frames.isEmpty, !line.isClosed else { return false }
            line.isOwnerWaiting = false
            return true
        }
    }

    /// From now on nothing is put in line, and what is there is dropped.
    func endLine() {
        line.withLock { line in
            line.isClosed = true
            line.frames = []
            line.byteCount = 0
        }
    }
}
#endif
