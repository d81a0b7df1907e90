import Base
import Dispatch
import Synchronization

/// Wakes when the next document of a file expires, and has it purged (Storage format 3.11).
///
/// The timer never sleeps longer than ``longestSleep``. Then it checks the file again, because another process may have set an expiration,
/// or the clock may have been changed. All its work runs on its own queue.
final class ExpirationTimer: Sendable {
    /// The maximum time between two checks of the file, in milliseconds.
    static let longestSleep: Int64 = 60_000
    /// The delay of the check after opening the file, or after a change by another process, in milliseconds: the first work of the app is
    /// likely to be finished then.
    static let settlingTime: Int64 = 200
    /// The delay after an error, for example a long write transaction of another process, in milliseconds.
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
    ///   - purge: Purges the expired documents, and returns the time when the next document expires; `nil` if there is none.
    init(_ clock: any WallClock, queue: DispatchQueue, purge: @escaping @Sendable (_ now: Int64) throws -> Int64?) {
        self.clock = clock
        self.queue = queue
        self.purge = purge
    }

    deinit {
        stop()
    }

    /// Ensures that the file is checked at `time` at the latest, in milliseconds since 1970.
    func wake(by time: Int64) {
        state.withLock { state in
            guard !state.isStopped, time < state.wakesAt else { return }
            state.wakeUp?.cancel()
            state.wakesAt = time
            state.wakeUp = clock.wake(at: time, on: queue) { [weak self] in self?.work() }
        }
    }

    /// Ensures that the file is checked after ``settlingTime``.
    func scheduleWakeUp() {
        wake(by: clock.now + Self.settlingTime)
    }

    /// Stops the timer permanently.
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
            // A collection has just been deleted, or the file is being closed, which stops the timer.
            wake(by: clock.now + Self.settlingTime)
        } catch {
            EngineLog.log(.warning, .database, "expired documents could not be purged: \(error)")
            wake(by: clock.now + Self.retryDelay)
        }
    }
}

extension DatabaseFile {
    /// The maximum number of documents purged in one transaction, so that other writers do not wait for long.
    private static let purgeBatchSize = 1000

    /// Purges the expired documents of all collections.
    ///
    /// - Parameter now: The current time, in milliseconds since 1970.
    /// - Returns: The time when the next document expires, in milliseconds since 1970; `nil` if there is none.
    func purgeExpired(now: Int64) throws -> Int64? {
        var next: Int64?
        for id in try collectionIDs() {
            guard let collection = try self.collection(id) else { continue }
            while let earliest = try collection.nextExpiration() {
                guard earliest <= now else {
                    next = min(next ?? .max, earliest)
                    break
                }
                let purged = try transaction { writer in
                    try collection.purgeExpired(now: now, limit: Self.purgeBatchSize, in: writer)
                }
                // Expiration times with fractions, which other implementations may have stored, are not due before the end of the
                // millisecond.
                if purged.isEmpty { break }
            }
        }
        return next
    }
}
