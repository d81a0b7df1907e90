#if Replication
import BLIP
import SyncCore
import SyncCore
import Synchronization

/// Takes the events of a channel from whatever thread they come on, and hands them over on a queue, in order.
///
/// When more than a quarter of a mebibyte of frames waits, the peer has to wait as well; and while it does not take the answers to what it
/// has asked.
final class ChannelInbox: Sendable {
    private struct State {
        var events: [FrameChannelEvent] = []
        var byteCount = 0
        /// The bytes of requests that have been taken and are not handled yet.
        var waitingByteCount = 0
        var isScheduled = false
        var isPaused = false
        /// Whether the connection was broken off for want of memory: nothing more is taken.
        var isRefusing = false
    }

    /// How many bytes may wait before reading stops, and how few make it go on.
    static let limits = (high: 1 << 18, low: 1 << 16)
    /// The same for requests that have been taken. There is more room for them: acknowledgements and answers come behind them.
    static let limitsOfWaiting = (high: 1 << 22, low: 1 << 20)
    /// What an event takes besides its bytes.
    private static let costOfEvent = 64

    private let channel: any FrameChannel
    private let queue: DispatchQueue
    private let memory: MemoryAccount?
    private let state = Mutex(State())

    /// - Parameter memory: What frames are counted in while they wait; nil when nobody counts.
    init(_ channel: any FrameChannel, queue: DispatchQueue, memory: MemoryAccount?) {
        self.channel = channel
        self.queue = queue
        self.memory = memory
    }

    /// Puts an event in line.
    ///
    /// - Parameter handle: Is called on the queue, once for all events that have come meanwhile: ``take()`` gives them.
    func receive(_ event: FrameChannelEvent, handle: @escaping @Sendable () -> Void) {
        guard reserve(for: event) else { return }
        let (schedules, pauses) = state.withLock { state in
            state.events.append(event)
            if case .frame(let bytes) = event { state.byteCount += bytes.count }
            let schedules = !state.isScheduled
            state.isScheduled = true
            return (schedules, Self.pauses(&state))
        }
        if pauses { channel.setReading(false) }
        if schedules { queue.async(execute: handle) }
    }

    /// Counts a frame. Without memory for it the connection ends: a frame that is missing could not be made up for.
    private func reserve(for event: FrameChannelEvent) -> Bool {
        guard case .frame(let bytes) = event, let memory else { return true }
        guard !state.withLock({ $0.isRefusing }) else { return false }
        do throws(MemoryAccount.Refusal) {
            try memory.reserve(bytes.count + Self.costOfEvent)
            return true
        } catch {
            state.withLock { $0.isRefusing = true }
            channel.cancel()
            return false
        }
    }

    /// All events that wait. What comes after them is handed over with a call of its own.
    func take() -> [FrameChannelEvent] {
        let events = state.withLock { state in
            state.isScheduled = false
            defer { state.events = [] }
            return state.events
        }
        // From now on they are the session's, which counts what it keeps of them.
        var size = 0
        for case .frame(let bytes) in events { size += bytes.count + Self.costOfEvent }
        memory?.release(size)
        return events
    }

    /// That many bytes of frames have been dealt with.
    func didHandle(_ byteCount: Int) {
        let resumes = state.withLock { state in
            state.byteCount -= byteCount
            return Self.resumes(&state)
        }
        if resumes { channel.setReading(true) }
    }

    /// So many bytes of requests wait until the peer has taken answers.
    func noteWaiting(_ byteCount: Int) {
        let (pauses, resumes) = state.withLock { state in
            state.waitingByteCount = byteCount
            return (Self.pauses(&state), Self.resumes(&state))
        }
        if pauses { channel.setReading(false) }
        if resumes { channel.setReading(true) }
    }

    private static func pauses(_ state: inout State) -> Bool {
        guard !state.isPaused,
            state.byteCount > limits.high || state.waitingByteCount > limitsOfWaiting.high
        else { return false }
        state.isPaused = true
        return true
    }

    private static func resumes(_ state: inout State) -> Bool {
        guard state.isPaused, state.byteCount <= limits.low, state.waitingByteCount <= limitsOfWaiting.low else { return false }
        state.isPaused = false
        return true
    }
}
#endif
