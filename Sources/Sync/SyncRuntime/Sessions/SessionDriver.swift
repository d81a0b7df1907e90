#if Replication
package import BLIP
package import Dispatch
package import DocumentStore
import Base
package import Replication
package import SyncCore
import Synchronization

/// The parts of a session that a driver uses.
package protocol ReplicationSession: AnyObject {
    /// Handles an event, and returns the actions that must be performed, in order.
    ///
    /// - Parameter time: The time since any fixed moment.
    func handle(_ event: SessionEvent, at time: Duration) -> [SessionAction]
    /// Returns the next frame to send; `nil` if there is none at the moment.
    func nextFrame() -> [UInt8]?
    /// Returns the actions that fetching frames has caused.
    func drainActions() -> [SessionAction]
    /// Notes that the channel accepted a frame and is full.
    func noteChannelIsFull()
    /// The memory account of the session's connection; `nil` if its memory is not limited.
    var memory: MemoryAccount? { get }
    /// The bytes of requests that are waiting until the peer has received the answers to earlier ones.
    var waitingByteCount: Int { get }
}

extension ReplicationSession {
    /// Fetching frames causes no actions unless a session implements this method.
    package func drainActions() -> [SessionAction] { [] }
    /// The memory is not limited unless a session implements this property.
    package var memory: MemoryAccount? { nil }
    /// No requests are waiting unless a session implements this property.
    package var waitingByteCount: Int { 0 }
}

extension Session: ReplicationSession {}

/// Runs a session on a channel: passes events to the session, performs its actions, and fetches its frames while the channel has room.
///
/// Until the end has been reported, all functions must be called on the queue, on which all callbacks are called too.
package final class SessionDriver: Sendable {
    /// What is used on the queue only.
    private final class State {
        let session: any ReplicationSession
        let opened: (ChannelHandshake) -> Void
        let report: (SessionReport) -> Void
        var timers: [SessionTimer: ScheduledCall] = [:]
        var isOpen = false
        var isWritable = false
        var hasEnded = false

        init(_ session: any ReplicationSession, _ opened: @escaping (ChannelHandshake) -> Void, _ report: @escaping (SessionReport) -> Void)
        {
            self.session = session
            self.opened = opened
            self.report = report
        }
    }

    private let queue: DispatchQueue
    private let channel: any FrameChannel
    private let clock: any SteadyClock
    private let inbox: ChannelInbox
    private let watch = Mutex<CommitWatch?>(nil)
    private let confined: QueueConfined<State>
    private var state: State { confined.value }

    /// The most frames that are sent before other work on the queue gets its turn.
    private static let framesAtOnce = 64
    /// The most frames that are handled before the resulting frames are sent, so that both sides can work concurrently.
    private static let handledAtOnce = 32
    /// The most bytes of frames, for the same reason. This is less than the acknowledgement interval (Replication 2.8), so that no
    /// acknowledgement of a long message replaces another one, and its sender does not have to pause.
    private static let bytesHandledAtOnce = 48 * 1024

    /// - Parameters:
    ///   - opened: Called when the connection is established.
    ///   - report: Called with the reports of the session.
    package init(
        _ session: sending any ReplicationSession,
        on channel: any FrameChannel,
        queue: DispatchQueue,
        clock: any SteadyClock = SystemSteadyClock(),
        opened: sending @escaping (ChannelHandshake) -> Void = { _ in },
        report: sending @escaping (SessionReport) -> Void
    ) {
        self.channel = channel
        self.queue = queue
        self.clock = clock
        let memory = session.memory
        inbox = ChannelInbox(channel, queue: queue, memory: memory)
        confined = QueueConfined(State(session, opened, report), to: queue)
        // The channel is retained by its opener; a channel that has ended holds no memory that could be released.
        memory?.whenRevoked { [weak channel] in
            // Not on this thread, because the code that needs the memory holds locks.
            DispatchQueue.global().async { [weak channel] in
                guard let channel else { return }
                channel.cancel()
                EngineLog.log(
                    .warning,
                    .network,
                    "A connection is closed: the memory limit of all connections is reached, and it holds the most"
                )
            }
        }
    }

    /// Opens the channel, and starts notifying the session of commits to the collections.
    ///
    /// The channel retains the driver until the channel has ended.
    ///
    /// - Throws: An error if the file cannot be read. The channel has been cancelled then, without having been opened.
    package func start(watching collections: [CollectionID], of file: DatabaseFile) throws {
        do {
            let started = try CommitWatch(collections, of: file) { [weak self] in
                guard let self else { return }
                queue.async { self.notifyCommits() }
            }
            watch.withLock { $0 = started }
        } catch {
            // The other end may be open already, and would wait forever.
            channel.cancel()
            throw error
        }
        channel.open { [self] event in
            inbox.receive(event) { self.handleEvents() }
        }
    }

    /// Ends the session in order.
    package func stop() {
        handle(.stop)
        sendFrames()
    }

    /// Aborts the connection.
    package func abort() {
        if !state.hasEnded { channel.cancel() }
    }

    /// Notes that a reported conflict was resolved, or was left unresolved.
    func conflictSettled(_ documentID: String, in collection: CollectionID) {
        handle(.conflictSettled(collection: collection, documentID: documentID))
        sendFrames()
    }

    // MARK: Events

    private func handleEvents() {
        var frames: [[UInt8]] = []
        var byteCount = 0
        for event in inbox.drain() {
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
                state.isWritable = true
                // The session reads earlier commits by itself.
                state.isOpen = true
                _ = drainCommits()
                state.opened(handshake)
                handle(.opened(handshake))
            case .frame: break
            case .writable: state.isWritable = true
            case .closed(let closure):
                handle(.closed(closure))
                // Reports the end of the session if the session has not noticed it.
                end(reporting: closure.error)
            }
            sendFrames()
        }
        handle(&frames)
    }

    /// Handles frames that were received together, and empties the array.
    private func handle(_ frames: inout [[UInt8]]) {
        guard !frames.isEmpty else { return }
        handle(.frames(frames))
        inbox.didHandle(frames.reduce(0) { $0 + $1.count })
        inbox.noteWaiting(state.session.waitingByteCount)
        frames.removeAll(keepingCapacity: true)
        sendFrames()
    }

    private func notifyCommits() {
        guard state.isOpen, !state.hasEnded else { return }
        let changed = drainCommits()
        guard !changed.isEmpty else { return }
        handle(.databaseChanged(changed))
        sendFrames()
    }

    /// Notes that the rights of the client may have changed, so that its feeds are read again.
    func accessChanged(to collections: [CollectionID]) {
        guard state.isOpen, !state.hasEnded else { return }
        handle(.databaseChanged(Set(collections)))
        sendFrames()
    }

    private func drainCommits() -> Set<CollectionID> { watch.withLock { $0 }?.drain() ?? [] }

    private func handle(_ event: SessionEvent) {
        if !state.hasEnded { perform(state.session.handle(event, at: .milliseconds(clock.now))) }
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .close(let code, let reason):
                // Earlier messages are sent first.
                sendFrames()
                channel.close(code: code, reason: reason)
            case .setTimer(let timer, let delay):
                set(timer, after: delay)
            case .cancelTimer(let timer):
                state.timers.removeValue(forKey: timer)?.cancel()
            case .report(.ended(let error)):
                end(reporting: error)
            case .report(let report):
                state.report(report)
            }
        }
    }

    private func set(_ timer: SessionTimer, after delay: Duration) {
        state.timers[timer] = clock.wake(at: clock.now + delay.milliseconds, on: queue) { [weak self] in
            guard let self, state.timers.removeValue(forKey: timer) != nil else { return }
            handle(.timer(timer))
            inbox.noteWaiting(state.session.waitingByteCount)
            sendFrames()
        }
    }

    // MARK: Frames

    private func sendFrames() {
        let state = state
        for _ in 0..<Self.framesAtOnce {
            guard state.isWritable, !state.hasEnded else { return }
            guard let frame = state.session.nextFrame() else { return perform(state.session.drainActions()) }
            state.isWritable = channel.send(frame)
            if !state.isWritable { state.session.noteChannelIsFull() }
        }
        queue.async { [weak self] in self?.sendFrames() }
    }

    // MARK: The end

    private func end(reporting error: SyncError?) {
        guard !state.hasEnded else { return }
        state.hasEnded = true
        _ = watch.withLock { $0.take() }
        for wakeUp in state.timers.values { wakeUp.cancel() }
        state.timers.removeAll()
        state.report(.ended(error))
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up so that no timer fires too early.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return seconds * 1000 + (attoseconds + perMillisecond - 1) / perMillisecond
    }
}

/// A value that is used on one serial queue only. This is checked at every use.
///
/// `@unchecked Sendable`: because of the check, one thread at a time uses the value.
final class QueueConfined<Value>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var stored: Value

    init(_ value: sending Value, to queue: DispatchQueue) {
        stored = value
        self.queue = queue
    }

    var value: Value {
        _read {
            dispatchPrecondition(condition: .onQueue(queue))
            yield stored
        }
        _modify {
            dispatchPrecondition(condition: .onQueue(queue))
            yield &stored
        }
    }
}
#endif
