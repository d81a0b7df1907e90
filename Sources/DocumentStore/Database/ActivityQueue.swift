package import Dispatch

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
