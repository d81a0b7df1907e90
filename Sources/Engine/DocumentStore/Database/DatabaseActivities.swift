import Base
package import Dispatch
import SQLiteEngine

/// The activities that must end before a database is closed: its replicators, and its listeners for other devices.
package final class DatabaseActivities: Sendable {
    private struct Activity {
        let stop: @Sendable () -> Void
        let isRunning: @Sendable () -> Bool
        let isOfThisThread: @Sendable () -> Bool
    }

    private struct State {
        var activities: [Int: Activity] = [:]
        var lastNumber = 0
        /// How many threads are closing the database, or have closed it.
        var closings = 0
    }
    private let state = Monitor(State())

    package init() {}

    /// Whether an activity is running. One that has stopped may still be registered, because it is telling so.
    package var areRunning: Bool { state.withLock { $0.activities }.values.contains { $0.isRunning() } }

    /// Registers an activity.
    ///
    /// - Parameters:
    ///   - stop: Starts stopping the activity. When it has stopped, ``end(_:)`` must be called, on any thread.
    ///   - isRunning: Returns whether the activity has not stopped yet. Default: it runs until ``end(_:)`` is called.
    ///   - isOfThisThread: Returns whether the calling thread works for the activity, so that waiting for its end would be a deadlock.
    /// - Returns: The number of the activity; `nil` if the database is closed or being closed.
    package func begin(
        stop: @escaping @Sendable () -> Void,
        isRunning: @escaping @Sendable () -> Bool = { true },
        isOfThisThread: @escaping @Sendable () -> Bool = { false }
    ) -> Int? {
        state.withLock { state -> Int? in
            guard state.closings == 0 else { return nil }
            state.lastNumber += 1
            state.activities[state.lastNumber] = Activity(stop: stop, isRunning: isRunning, isOfThisThread: isOfThisThread)
            return state.lastNumber
        }
    }

    /// Unregisters an activity that has ended.
    package func end(_ number: Int) {
        // The activity must be released outside of the lock, because this may deallocate other objects.
        let ended = state.withLock { $0.activities.removeValue(forKey: number) }
        state.wakeAll()
        withExtendedLifetime(ended) {}
    }

    /// Prevents new activities, stops all registered ones, and waits until they have ended. Activities of the calling thread are not waited
    /// for. Must be called without holding a lock, and outside of a transaction.
    package func stopAll() {
        let stopped = state.withLock { state -> [Int: Activity] in
            state.closings += 1
            return state.activities
        }
        for activity in stopped.values { activity.stop() }
        let awaited = stopped.filter { !$0.value.isOfThisThread() }.keys
        state.withLock(waitingWhile: { now in awaited.contains { now.activities[$0] != nil } }) { _ in }
    }

    /// Allows new activities again, if the database was not closed after all, and no other thread is closing it. Must be called once for a
    /// call of ``stopAll()``.
    package func allow() {
        state.withLock { $0.closings -= 1 }
    }
}

/// Records which activity of a database (a replicator or a listener) a dispatch queue works for.
///
/// App code that runs on such a queue may close the database. Closing must then not wait for that activity, which cannot end before the
/// app's code has returned.
package enum ActivityQueue {
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// Marks `queue` as working for `activity`, which must not be deallocated while the queue is in use.
    package static func mark(_ queue: DispatchQueue, for activity: AnyObject) {
        queue.setSpecific(key: owner, value: ObjectIdentifier(activity))
    }

    /// Returns whether the calling code runs on a queue that works for `activity`.
    package static func isCurrent(for activity: AnyObject) -> Bool {
        DispatchQueue.getSpecific(key: owner) == ObjectIdentifier(activity)
    }
}
