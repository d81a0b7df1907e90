import Dispatch
import Synchronization

/// The serial queues on which listeners are called: one for each queue of the app, which is its target.
package final class ListenerQueues: Sendable {
    private struct Entry {
        /// Retained, so that no other queue gets the same identity. The serial queue retains it on Apple's systems only.
        let target: DispatchQueue
        /// `nil` when all listeners on the target have been removed.
        weak var queue: DispatchQueue?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Identifies the main queue, for which Linux returns a new object at each access.
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    private static let main = DispatchQueue.main

    package init() {}

    /// Returns the serial queue that leads to `target`. The caller retains it as long as it has a listener.
    func queue(to target: DispatchQueue) -> DispatchQueue {
        let target = target.getSpecific(key: Self.mainKey) == true ? Self.main : target
        return entries.withLock { entries in
            if let queue = entries[ObjectIdentifier(target)]?.queue { return queue }
            entries = entries.filter { $0.value.queue != nil }
            let queue = DispatchQueue(label: "CouchbaseLite.listener", target: target)
            entries[ObjectIdentifier(target)] = Entry(target: target, queue: queue)
            return queue
        }
    }
}
