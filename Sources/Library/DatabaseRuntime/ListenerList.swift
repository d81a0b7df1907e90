package import Dispatch
import Synchronization

/// Removes a listener. Does nothing if it was already removed.
package typealias ListenerRemoval = @Sendable () -> Void

/// The removal of a listener, which is released when the listener is removed. Thread-safe.
package final class SingleRemoval: Sendable {
    private let state: Mutex<State>

    /// A closure stored directly in a mutex would be wrapped again by each access.
    private struct State {
        var removal: ListenerRemoval?
    }

    /// Creates the object for a removal that must be run at most once.
    package init(_ removal: @escaping ListenerRemoval) { state = Mutex(State(removal: removal)) }

    /// Removes the listener. Does nothing if it was already removed.
    package func run() {
        let removal = state.withLock { state in
            defer { state.removal = nil }
            return state.removal
        }
        removal?()
    }
}

/// Listeners that receive values, each on a queue of its choice.
package final class ListenerList<Value: Sendable>: Sendable {
    private struct Listener: Sendable {
        let receive: @Sendable (Value) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
        var isStopped = false
    }

    private let queues: ListenerQueues
    private let state = Mutex(State())

    /// - Parameter queues: Shared by lists whose listeners are to be called in the order of the values of all these lists.
    package init(_ queues: ListenerQueues = ListenerQueues()) { self.queues = queues }

    deinit { stop() }

    /// Adds a listener that is called on a queue, in the order of the values.
    ///
    /// - Parameters:
    ///   - queue: The queue; `nil` means the main queue.
    ///   - notify: Receives a value.
    package func add(queue: DispatchQueue?, notify: @escaping @Sendable (Value) -> Void) -> ListenerRemoval {
        add(queue: queue, parts: { [$0] }, notify: notify)
    }

    /// Adds a listener that is called on a queue once for each part of a value.
    ///
    /// - Parameter parts: Divides a value. It is called by the thread that reports the value.
    func add<Part: Sendable>(
        queue: DispatchQueue?,
        parts: @escaping @Sendable (Value) -> [Part],
        notify: @escaping @Sendable (Part) -> Void
    ) -> ListenerRemoval {
        let serialQueue = queues.queue(to: queue ?? .main)
        return add { [weak self] number, value in
            for part in parts(value) {
                serialQueue.async { [weak self] in
                    // A listener that has been removed since is not called any more.
                    guard let self, state.withLock({ $0.listeners[number] != nil }) else { return }
                    notify(part)
                }
            }
        }
    }

    /// Returns a stream of the transformed values from now on.
    ///
    /// - Parameter policy: How many elements are buffered until they are taken.
    package func stream<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ transform: @escaping @Sendable (Value) -> Element
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        let removal = add(receive: { continuation.yield(transform($1)) }, finish: { continuation.finish() })
        continuation.onTermination = { _ in removal() }
        return stream
    }

    /// Adds a listener that is called synchronously by the thread that reports a value, so it must be fast.
    ///
    /// - Parameters:
    ///   - receive: Receives the number of the listener, and the value.
    ///   - finish: Called when no more values will be reported. Not called when the listener is removed.
    func add(receive: @escaping @Sendable (Int, Value) -> Void, finish: @escaping @Sendable () -> Void = {}) -> ListenerRemoval {
        let (number, isStopped) = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            if !state.isStopped { state.listeners[number] = Listener(receive: { receive(number, $0) }, finish: finish) }
            return (number, state.isStopped)
        }
        if isStopped { finish() }
        return { [weak self] in
            // The listener's references must be released outside the lock: releasing them may remove other listeners.
            let removed = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }
    }

    func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            defer { state.listeners.removeAll() }
            return state.listeners
        }
        for listener in listeners.values { listener.finish() }
    }

    /// Whether there are no listeners at the moment.
    package var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Notifies all listeners, in the order in which they were added.
    package func notify(_ value: Value) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        for (_, listener) in listeners { listener.receive(value) }
    }
}

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
