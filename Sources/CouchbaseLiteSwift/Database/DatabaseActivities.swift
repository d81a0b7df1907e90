/// The activities that must end before a database is closed: its replicators, and its listeners for other devices.
final class DatabaseActivities: @unchecked Sendable {
    // Unchecked: the mutable properties are guarded by the lock of `condition`.
    private struct Activity {
        let stop: @Sendable () -> Void
        let isOfThisThread: @Sendable () -> Bool
    }

    private let condition = NSCondition()
    private var activities: [Int: Activity] = [:]
    private var lastNumber = 0
    /// How many threads are closing the database, or have closed it.
    private var closings = 0

    /// Registers an activity.
    ///
    /// - Parameters:
    ///   - stop: Starts stopping the activity. When it has stopped, ``end(_:)`` must be called, on any thread.
    ///   - isOfThisThread: Returns whether the calling thread works for the activity, so that waiting for its end would be a deadlock.
    /// - Returns: The number of the activity; `nil` if the database is closed or being closed.
    func begin(stop: @escaping @Sendable () -> Void, isOfThisThread: @escaping @Sendable () -> Bool = { false }) -> Int? {
        condition.withLock {
            guard closings == 0 else { return nil }
            lastNumber += 1
            activities[lastNumber] = Activity(stop: stop, isOfThisThread: isOfThisThread)
            return lastNumber
        }
    }

    /// Unregisters an activity that has ended.
    func end(_ number: Int) {
        // The activity must be released outside of the lock, because this may deallocate other objects.
        let ended = condition.withLock {
            defer { condition.broadcast() }
            return activities.removeValue(forKey: number)
        }
        withExtendedLifetime(ended) {}
    }

    /// Prevents new activities, stops all registered ones, and waits until they have ended. Activities of the calling thread are not waited
    /// for. Must be called without holding a lock, and outside of a transaction.
    func stopAll() {
        let stopped = condition.withLock {
            closings += 1
            return activities
        }
        for activity in stopped.values { activity.stop() }
        let awaited = stopped.filter { !$0.value.isOfThisThread() }.keys
        condition.withLock {
            while awaited.contains(where: { activities[$0] != nil }) { condition.wait() }
        }
    }

    /// Allows new activities again, if the database was not closed after all, and no other thread is closing it. Must be called once for a
    /// call of ``stopAll()``.
    func allow() {
        condition.withLock { closings -= 1 }
    }
}
