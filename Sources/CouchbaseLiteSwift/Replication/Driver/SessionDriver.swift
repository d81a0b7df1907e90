#if Replication
import BLIP
import SyncCore
import SyncCore
import DocumentStore
import LogCore
import Replication

/// What a driver needs of a session.
protocol ReplicationSession: AnyObject {
    func handle(_ event: SessionEvent, at time: Duration) -> [SessionAction]
    /// Takes frames that have come together.
    func handle(frames: [[UInt8]], at time: Duration) -> [SessionAction]
    func nextFrame() -> [UInt8]?
    /// The channel took a frame and has no room for another.
    func noteChannelIsFull()
    /// What the session's connection holds in memory; nil when nobody counts.
    var memory: MemoryAccount? { get }
    /// The bytes of requests that wait until the peer has taken the answers to earlier ones.
    var waitingByteCount: Int { get }
}

extension ReplicationSession {
    var memory: MemoryAccount? { nil }
    var waitingByteCount: Int { 0 }
}

extension Session: ReplicationSession {
    var memory: MemoryAccount? { account }
}

/// Runs a session on a channel: hands events over, carries its actions out, and fetches frames while the channel has room.
///
/// All functions are to be called on the queue, where all callbacks come too, until the end has been reported.
final class SessionDriver: @unchecked Sendable {
    // Unchecked: everything but the inbox and the watch, which lock themselves, is touched on the queue only.
    private let queue: DispatchQueue
    private let channel: any FrameChannel
    private let session: any ReplicationSession
    private let clock: any SteadyClock
    private let inbox: ChannelInbox
    private let opened: (ChannelHandshake) -> Void
    private let report: (SessionReport) -> Void

    private var watch: CommitWatch?
    private var timers: [SessionTimer: ScheduledCall] = [:]
    private var isOpen = false
    private var isWritable = false
    private var hasEnded = false

    /// How many frames are sent before others on the queue get their turn.
    private static let framesAtOnce = 64
    /// How many frames are handled before what they have brought about is sent, so that both sides have something to do.
    private static let handledAtOnce = 32
    /// How many bytes of frames, for the same reason: less than what is acknowledged at a time (Replication 2.8), so that no
    /// acknowledgement of a long message takes the place of another, and its sender need not pause.
    private static let bytesHandledAtOnce = 48 * 1024

    /// - Parameters:
    ///   - opened: Is called when the connection stands.
    ///   - report: Is called with what the session reports.
    init(
        _ session: any ReplicationSession,
        on channel: any FrameChannel,
        queue: DispatchQueue,
        clock: any SteadyClock,
        opened: @escaping (ChannelHandshake) -> Void,
        report: @escaping (SessionReport) -> Void
    ) {
        self.session = session
        self.channel = channel
        self.queue = queue
        self.clock = clock
        self.opened = opened
        self.report = report
        inbox = ChannelInbox(channel, queue: queue, memory: session.memory)
        // The channel is kept by whoever opens it; what has ended has nothing to give back.
        session.memory?.whenRevoked { [weak channel] in
            // Not here, where whoever needs the memory holds locks.
            DispatchQueue.global().async { [weak channel] in
                channel?.cancel()
                EngineLog.log(.warning, .network, "A connection is closed: it takes most of the memory that all may take")
            }
        }
    }

    /// Opens the channel, and has the session told of commits to the collections.
    ///
    /// The driver is kept by its channel until that has ended.
    ///
    /// - Throws: When the file cannot be read. Nothing has been opened then.
    func start(watching collections: [CollectionID], of file: DatabaseFile) throws {
        watch = try CommitWatch(collections, of: file) { [weak self] in
            guard let self else { return }
            queue.async { self.tellCommits() }
        }
        channel.open { [self] event in
            inbox.receive(event) { self.handleEvents() }
        }
    }

    /// Ends the session in order.
    func stop() {
        handle(.stop)
        sendFrames()
    }

    /// Breaks the connection off.
    func abort() {
        if !hasEnded { channel.cancel() }
    }

    /// A conflict that the session had reported is none any more, or was left for later.
    func conflictSettled(_ documentID: String, in collection: CollectionID) {
        handle(.conflictSettled(collection: collection, documentID: documentID))
        sendFrames()
    }

    // MARK: Events

    private func handleEvents() {
        var frames: [[UInt8]] = []
        var byteCount = 0
        for event in inbox.take() {
            if case .frame(let bytes) = event {
                frames.append(bytes)
                byteCount += bytes.count
                if frames.count == Self.handledAtOnce || byteCount >= Self.bytesHandledAtOnce {
                    handle(&frames)
                    byteCount = 0
                }
                continue
            }
            handle(&frames)
            byteCount = 0
            switch event {
            case .opened(let handshake):
                isWritable = true
                // What was committed until now the session finds by itself.
                isOpen = true
                _ = watch?.take()
                opened(handshake)
                handle(.opened(handshake))
            case .frame: break
            case .writable: isWritable = true
            case .closed(let closure):
                handle(.closed(closure))
                end(closure)
            }
            sendFrames()
        }
        handle(&frames)
    }

    /// Handles frames that have come together, and empties the list.
    private func handle(_ frames: inout [[UInt8]]) {
        guard !frames.isEmpty else { return }
        if !hasEnded { perform(session.handle(frames: frames, at: .milliseconds(clock.now))) }
        inbox.didHandle(frames.reduce(0) { $0 + $1.count })
        inbox.noteWaiting(session.waitingByteCount)
        frames.removeAll(keepingCapacity: true)
        sendFrames()
    }

    private func tellCommits() {
        guard isOpen, !hasEnded, let changed = watch?.take(), !changed.isEmpty else { return }
        handle(.databaseChanged(changed))
        sendFrames()
    }

    private func handle(_ event: SessionEvent) {
        if !hasEnded { perform(session.handle(event, at: .milliseconds(clock.now))) }
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .close(let code, let reason):
                // What was said before goes out before.
                sendFrames()
                channel.close(code: code, reason: reason)
            case .setTimer(let timer, let delay):
                set(timer, after: delay)
            case .cancelTimer(let timer):
                timers.removeValue(forKey: timer)?.cancel()
            case .report(.ended(let error)):
                end(reporting: error)
            case .report(let report):
                self.report(report)
            }
        }
    }

    private func set(_ timer: SessionTimer, after delay: Duration) {
        timers[timer] = clock.wake(at: clock.now + delay.milliseconds, on: queue) { [weak self] in
            guard let self, timers.removeValue(forKey: timer) != nil else { return }
            handle(.timer(timer))
            inbox.noteWaiting(session.waitingByteCount)
            sendFrames()
        }
    }

    // MARK: Frames

    private func sendFrames() {
        for _ in 0..<Self.framesAtOnce {
            guard isWritable, !hasEnded, let frame = session.nextFrame() else { return }
            isWritable = channel.send(frame)
            if !isWritable { session.noteChannelIsFull() }
        }
        queue.async { [weak self] in self?.sendFrames() }
    }

    // MARK: The end

    /// The channel has ended; should the session not have noticed, its end is reported for it.
    private func end(_ closure: ChannelClosure) {
        end(reporting: closure.error)
    }

    private func end(reporting error: SyncError?) {
        guard !hasEnded else { return }
        hasEnded = true
        watch = nil
        for wakeUp in timers.values { wakeUp.cancel() }
        timers.removeAll()
        report(.ended(error))
    }
}

extension Duration {
    /// Rounded up, so that nothing is woken too early.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return seconds * 1000 + (attoseconds + perMillisecond - 1) / perMillisecond
    }
}
#endif
