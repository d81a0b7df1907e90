import Dispatch
import LogCore
import Synchronization

/// Wakes when the next document of a file expires, to have it purged (Storage format 3.11).
///
/// It never sleeps longer than ``longestSleep``: then it looks at the file again, for what another process may have set and
/// for a clock that has been set meanwhile. Nothing it does happens on a caller's thread.
final class ExpirationTimer: Sendable {
    /// In milliseconds.
    static let longestSleep: Int64 = 60_000
    /// How long after opening, or after somebody else's change, the file is looked at, in milliseconds: when the first
    /// work is likely to be over.
    static let settlingTime: Int64 = 200
    /// How long to wait after an error, say because another process is writing for long, in milliseconds.
    static let retryDelay: Int64 = 10_000

    private struct State {
        var wakeUp: ScheduledCall?
        var wakesAt = Int64.max
        var isStopped = false
    }

    private let clock: any WallClock
    private let queue: DispatchQueue
    private let purge: @Sendable (_ now: Int64) throws -> Int64?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - queue: A serial queue to work on.
    ///   - purge: Removes what has expired, and returns when the next document will; nil when none will.
    init(_ clock: any WallClock, queue: DispatchQueue, purge: @escaping @Sendable (_ now: Int64) throws -> Int64?) {
        self.clock = clock
        self.queue = queue
        self.purge = purge
    }

    deinit {
        stop()
    }

    /// Sees to it that the file is looked at by `time`, in milliseconds since 1970.
    func wake(by time: Int64) {
        state.withLock { state in
            guard !state.isStopped, time < state.wakesAt else { return }
            state.wakeUp?.cancel()
            state.wakesAt = time
            state.wakeUp = clock.wake(at: time, on: queue) { [weak self] in self?.work() }
        }
    }

    /// Sees to it that the file is looked at soon.
    func wakeSoon() {
        wake(by: clock.now + Self.settlingTime)
    }

    /// Wakes no more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wakeUp?.cancel()
            state.wakeUp = nil
        }
    }

    private func work() {
        let isStopped = state.withLock { state in
            state.wakesAt = .max
            return state.isStopped
        }
        guard !isStopped else { return }
        do {
            let next = try purge(clock.now) ?? .max
            wake(by: min(next, clock.now + Self.longestSleep))
        } catch StoreError.notOpen {
            // A collection has been deleted just now, or the file is being closed, which ends this.
            wake(by: clock.now + Self.settlingTime)
        } catch {
            EngineLog.log(.warning, .database, "documents that have expired could not be purged: \(error)")
            wake(by: clock.now + Self.retryDelay)
        }
    }
}
