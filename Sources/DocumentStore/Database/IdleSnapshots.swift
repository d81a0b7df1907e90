import Dispatch
import SQLiteEngine
import Synchronization

/// Ends the read snapshots that connections have kept and not used for some time, because they prevent other processes from emptying the
/// log.
final class IdleSnapshots: Sendable {
    /// The interval between two checks, in milliseconds. A snapshot that was not used since the last check is ended.
    static let interval: Int64 = 100

    private struct State {
        weak var pool: ConnectionPool?
        var wakeUp: ScheduledCall?
        var isStopped = false
    }

    private let clock = SystemSteadyClock()
    private let queue: DispatchQueue
    private let state = Mutex(State())
    /// Whether ``State/wakeUp`` is set.
    private let isScheduled = Atomic(false)

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func setPool(_ pool: ConnectionPool) { state.withLock { $0.pool = pool } }

    /// Schedules a check, unless one is scheduled. Takes a few nanoseconds then.
    @Sendable
    func schedule() {
        guard !isScheduled.exchange(true, ordering: .relaxed) else { return }
        state.withLock { state in
            guard !state.isStopped else { return }
            state.wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self] in self?.check() }
        }
    }

    private func check() {
        let pool = state.withLock { $0.pool }
        // Before the check, because a snapshot that is kept afterwards must schedule the next one.
        isScheduled.store(false, ordering: .relaxed)
        if pool?.endIdleSnapshots(unlessUsed: true) == true { schedule() }
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
