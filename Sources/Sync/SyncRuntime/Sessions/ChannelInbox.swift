#if Replication
import BLIP
import Dispatch
import SyncCore
import Synchronization

/// Receives the events of a channel on any thread, and passes them on in order on a queue.
///
/// Reading from the peer is paused while more than 256 KiB of frames are queued, or while the peer does not receive the answers to its
/// requests.
final class ChannelInbox: Sendable {
    private struct State {
        var events: [FrameChannelEvent] = []
        var byteCount = 0
        /// The bytes of received requests that are not handled yet.
        var waitingByteCount = 0
        var isScheduled = false
        var isPaused = false
        /// Whether the connection was aborted because the memory limit was reached: all further frames are dropped.
        var isRefusing = false
    }

    /// The number of queued bytes above which reading is paused, and the one at which it resumes.
    static let limits = (high: 1 << 18, low: 1 << 16)
    /// The same for requests that are not handled yet. The limits are higher, because acknowledgements and answers arrive behind requests.
    static let limitsOfWaiting = (high: 1 << 22, low: 1 << 20)
    /// The memory that an event uses besides its bytes, in bytes.
    private static let costOfEvent = 64

    private let channel: any FrameChannel
    private let queue: DispatchQueue
    private let memory: MemoryAccount?
    private let state = Mutex(State())

    /// - Parameter memory: The account that queued frames are reserved in; `nil` if memory is not limited.
    init(_ channel: any FrameChannel, queue: DispatchQueue, memory: MemoryAccount?) {
        (self.channel, self.queue, self.memory) = (channel, queue, memory)
    }

    /// Queues an event.
    ///
    /// - Parameter handle: Called on the queue, once for all events that are queued until then, which ``drain()`` returns.
    func receive(_ event: FrameChannelEvent, handle: @escaping @Sendable () -> Void) {
        guard reserve(for: event) else { return }
        let schedules = state.withLock { state in
            state.events.append(event)
            if case .frame(let bytes) = event { state.byteCount += bytes.count }
            defer { state.isScheduled = true }
            updateReading(&state)
            return !state.isScheduled
        }
        if schedules { queue.async(execute: handle) }
    }

    /// Reserves memory for a frame. If that fails, the connection is aborted, because a missing frame cannot be recovered.
    private func reserve(for event: FrameChannelEvent) -> Bool {
        guard case .frame(let bytes) = event, let memory else { return true }
        guard !state.withLock({ $0.isRefusing }) else { return false }
        do throws(BLIPError) {
            try memory.reserve(bytes.count + Self.costOfEvent)
            return true
        } catch {
            state.withLock { $0.isRefusing = true }
            channel.cancel()
            return false
        }
    }

    /// Returns all queued events. `handle` is called again for later ones.
    func drain() -> [FrameChannelEvent] {
        let events = state.withLock { state in
            state.isScheduled = false
            defer { state.events = [] }
            return state.events
        }
        // From now on the events belong to the session, which reserves memory for the ones it keeps.
        var size = 0
        for case .frame(let bytes) in events { size += bytes.count + Self.costOfEvent }
        memory?.release(size)
        return events
    }

    /// Notes that frames have been handled.
    func didHandle(_ byteCount: Int) {
        state.withLock { state in
            state.byteCount -= byteCount
            updateReading(&state)
        }
    }

    /// Notes the bytes of requests that are waiting until the peer has received answers.
    func noteWaiting(_ byteCount: Int) {
        state.withLock { state in
            state.waitingByteCount = byteCount
            updateReading(&state)
        }
    }

    /// Pauses or resumes reading if that is necessary now. The channel is told with the lock held: otherwise a thread that resumes could overtake
    /// one that pauses, and the channel would not be read anymore.
    private func updateReading(_ state: inout State) {
        let isAboveLimit = state.byteCount > Self.limits.high || state.waitingByteCount > Self.limitsOfWaiting.high
        let isLow = state.byteCount <= Self.limits.low && state.waitingByteCount <= Self.limitsOfWaiting.low
        guard state.isPaused ? isLow : isAboveLimit else { return }
        state.isPaused.toggle()
        channel.setReading(!state.isPaused)
    }
}
#endif
