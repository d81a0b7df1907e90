import Dispatch
import Synchronization

/// Ends the read snapshots that connections have kept and not used for some time, because they prevent other processes from emptying the
/// log.
final class IdleSnapshots: Sendable {
    /// The interval between two checks, in milliseconds. A snapshot that was not used since the last check is ended.
    static let interval: Int64 = 100

    private struct State {
        var wakeUp: ScheduledCall?
        var isStopped = false
    }

    private let clock = SystemSteadyClock()
    private let endUnused: @Sendable () -> Bool
    private let state = Mutex(State())
    /// Whether ``State/wakeUp`` is set.
    private let isScheduled = Atomic(false)

    /// - Parameter endUnused: Ends the snapshots that were not used since the last call. Returns whether snapshots may be kept still.
    init(endUnused: @escaping @Sendable () -> Bool) { self.endUnused = endUnused }

    /// Schedules a check, unless one is scheduled. Takes a few nanoseconds then.
    @Sendable
    func schedule() {
        guard !isScheduled.exchange(true, ordering: .relaxed) else { return }
        state.withLock { state in
            guard !state.isStopped else { return }
            // Not on the background queue of the file, where the purge of expired documents may wait for another process.
            state.wakeUp = clock.wake(at: clock.now + Self.interval, on: .global(qos: .utility)) { [weak self] in self?.check() }
        }
    }

    private func check() {
        // Before the check, because a snapshot that is kept afterwards must schedule the next one.
        isScheduled.store(false, ordering: .relaxed)
        if endUnused() { schedule() }
    }

    /// Stops permanently.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wakeUp?.cancel()
            state.wakeUp = nil
        }
    }
}
