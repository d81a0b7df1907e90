#if Replication
    import BLIP
    import Synchronization

    /// Takes the events of a channel from whatever thread they come on, and hands them over on a queue, in order.
    ///
    /// When more than a mebibyte of frames waits, the peer has to wait as well.
    final class ChannelInbox: Sendable {
        private struct State {
            var events: [FrameChannelEvent] = []
            var byteCount = 0
            var isScheduled = false
            var isPaused = false
        }

        /// How many bytes may wait before reading stops, and how few make it go on.
        private static let limits = (high: 1 << 20, low: 1 << 18)

        private let channel: any FrameChannel
        private let queue: DispatchQueue
        private let state = Mutex(State())

        init(_ channel: any FrameChannel, queue: DispatchQueue) {
            self.channel = channel
            self.queue = queue
        }

        /// Puts an event in line.
        ///
        /// - Parameter handle: Is called on the queue, once for all events that have come meanwhile: ``take()`` gives them.
        func receive(_ event: FrameChannelEvent, handle: @escaping @Sendable () -> Void) {
            let (schedules, pauses) = state.withLock { state in
                state.events.append(event)
                if case .frame(let bytes) = event { state.byteCount += bytes.count }
                let schedules = !state.isScheduled
                state.isScheduled = true
                let pauses = !state.isPaused && state.byteCount > Self.limits.high
                if pauses { state.isPaused = true }
                return (schedules, pauses)
            }
            if pauses { channel.setReading(false) }
            if schedules { queue.async(execute: handle) }
        }

        /// All events that wait. What comes after them is handed over with a call of its own.
        func take() -> [FrameChannelEvent] {
            state.withLock { state in
                state.isScheduled = false
                defer { state.events.removeAll(keepingCapacity: true) }
                return state.events
            }
        }

        /// That many bytes of frames have been dealt with.
        func didHandle(_ byteCount: Int) {
            let resumes = state.withLock { state in
                state.byteCount -= byteCount
                let resumes = state.isPaused && state.byteCount <= Self.limits.low
                if resumes { state.isPaused = false }
                return resumes
            }
            if resumes { channel.setReading(true) }
        }
    }
#endif
