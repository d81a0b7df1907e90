import Synchronization

/// Listeners that receive values, each on a queue of its choice.
final class ListenerList<Value: Sendable>: Sendable {
    private struct Listener: Sendable {
        let receive: @Sendable (Value) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
    }

    private let queues: ListenerQueues
    private let state = Mutex(State())

    /// - Parameter queues: Shared by lists whose listeners are to be called in the order of the values of all these
    ///   lists.
    init(_ queues: ListenerQueues = ListenerQueues()) {
        self.queues = queues
    }

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.finish() }
    }

    /// Adds a listener that is called on a queue, in the order of the values.
    ///
    /// - Parameters:
    ///   - queue: The queue; `nil` means the main queue.
    ///   - notify: Receives a value.
    func add(queue: DispatchQueue?, notify: @escaping (Value) -> Void) -> ListenerToken {
        // Unsafe is safe here: the old API accepts closures that are not Sendable; they are called one at a time, on
        // the queue that the app specified.
        nonisolated(unsafe) let notify = notify
        let serialQueue = queues.queue(to: queue ?? .main)
        return add { [weak self] number, value in
            serialQueue.async { [weak self] in
                // A listener that has been removed since is not called any more.
                guard let self, state.withLock({ $0.listeners[number] != nil }) else { return }
                notify(value)
            }
        }
    }

    /// Returns a stream of the transformed values from now on.
    ///
    /// - Parameter policy: How many elements are buffered until they are taken.
    func stream<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ transform: @escaping @Sendable (Value) -> Element
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        let token = add(receive: { continuation.yield(transform($1)) }, finish: { continuation.finish() })
        continuation.onTermination = { _ in token.remove() }
        return stream
    }

    private func add(receive: @escaping @Sendable (Int, Value) -> Void, finish: @escaping @Sendable () -> Void = {}) -> ListenerToken {
        let number = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.listeners[number] = Listener(receive: { receive(number, $0) }, finish: finish)
            return number
        }
        return ListenerToken { [weak self] in
            // The listener's references must be released outside the lock.
            let removed = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }
    }

    /// Whether there are no listeners.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Notifies all listeners, in the order in which they were added.
    func notify(_ value: Value) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        for (_, listener) in listeners { listener.receive(value) }
    }
}

/// The serial queues on which listeners are called: one for each queue of the app, which is its target.
final class ListenerQueues: Sendable {
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
