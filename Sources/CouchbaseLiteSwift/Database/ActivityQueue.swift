import Dispatch

/// Tells which activity of a database a queue works for. Code of the app that is called there may close the database: then nobody must wait
/// for that activity, which goes on only when the call returns.
enum ActivityQueue {
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// Notes that `queue` works for `activity`, which is kept as long as the queue is used.
    static func mark(_ queue: DispatchQueue, for activity: AnyObject) {
        queue.setSpecific(key: owner, value: ObjectIdentifier(activity))
    }

    /// Whether the calling code runs on a queue that works for `activity`.
    static func isCurrent(for activity: AnyObject) -> Bool {
        DispatchQueue.getSpecific(key: owner) == ObjectIdentifier(activity)
    }
}
