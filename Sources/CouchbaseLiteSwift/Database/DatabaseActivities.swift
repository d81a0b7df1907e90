/// What runs on a database by itself, and must end before that is closed: replicators and listeners for other devices.
final class DatabaseActivities: @unchecked Sendable {
    // Unchecked: what changes is guarded by the condition's lock.
    private struct Activity {
        let stop: @Sendable () -> Void
        let isOfThisThread: @Sendable () -> Bool
    }

    private let condition = NSCondition()
    private var activities: [Int: Activity] = [:]
    private var lastNumber = 0
    private var isClosing = false

    /// Adds an activity.
    ///
    /// - Parameters:
    ///   - stop: Begins to end it; ``end(_:)`` follows, on any thread.
    ///   - isOfThisThread: Whether the calling thread works for it, so that waiting for its end would never end.
    /// - Returns: Its number; nil when the database is closed, or is being closed.
    func begin(stop: @escaping @Sendable () -> Void, isOfThisThread: @escaping @Sendable () -> Bool = { false }) -> Int? {
        condition.withLock {
            guard !isClosing else { return nil }
            lastNumber += 1
            activities[lastNumber] = Activity(stop: stop, isOfThisThread: isOfThisThread)
            return lastNumber
        }
    }

    /// An activity has ended.
    func end(_ number: Int) {
        // What it refers to must go outside of the lock.
        let ended = condition.withLock {
            defer { condition.broadcast() }
            return activities.removeValue(forKey: number)
        }
        withExtendedLifetime(ended) {}
    }

    /// Lets none begin any more, ends those there are, and waits for that. Call it outside of locks and transactions.
    func stopAll() {
        let stopped = condition.withLock {
            isClosing = true
            return activities
        }
        for activity in stopped.values { activity.stop() }
        let awaited = stopped.filter { !$0.value.isOfThisThread() }.keys
        condition.withLock {
            while awaited.contains(where: { activities[$0] != nil }) { condition.wait() }
        }
    }

    /// The database stays open after all.
    func allow() {
        condition.withLock { isClosing = false }
    }
}
