import Synchronization

/// Takes messages on threads that must not wait for code of the app, and hands them over on a serial queue, in their order.
final class LogHandover: Sendable {
    struct Message: Sendable {
        let level: LogLevel
        let domain: LogDomain
        let text: String
    }

    /// How many messages may wait. More are dropped, and their number is told in their place.
    static let capacity = 10_000
    /// How long the end of the process, or of the sink, waits for what has not been handed over.
    static let patience = DispatchTimeInterval.seconds(2)

    private struct State {
        var waiting: [Message] = []
        /// The place of the first message that has not been handed over.
        var first = 0
        var droppedCount = 0
        var isDelivering = false

        var count: Int { waiting.count - first }

        mutating func append(_ message: Message) {
            guard count < LogHandover.capacity else { return droppedCount += 1 }
            noteDropped()
            waiting.append(message)
        }

        mutating func next() -> Message? {
            if count == 0 { noteDropped() }
            guard count > 0 else {
                waiting.removeAll()
                first = 0
                return nil
            }
            defer { first += 1 }
            if first >= LogHandover.capacity {
                waiting.removeFirst(first)
                first = 0
            }
            return waiting[first]
        }

        private mutating func noteDropped() {
            guard droppedCount > 0 else { return }
            let text = "\(droppedCount) messages of the network were dropped, because the log's sink is too slow"
            waiting.append(Message(level: .warning, domain: .network, text: text))
            droppedCount = 0
        }
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "CouchbaseLite.log")
    private let isOwnQueue = DispatchSpecificKey<Bool>()
    /// Is left when nothing waits any more.
    private let delivery = DispatchGroup()

    init() {
        queue.setSpecific(key: isOwnQueue, value: true)
    }

    /// Has `receive` called with the message on the queue, in time.
    func send(_ message: Message, to receive: @escaping @Sendable (Message) -> Void) {
        let begins = state.withLock { state in
            state.append(message)
            if state.isDelivering { return false }
            state.isDelivering = true
            delivery.enter()
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            while let message = next() { receive(message) }
        }
    }

    private func next() -> Message? {
        state.withLock { state in
            if let message = state.next() { return message }
            state.isDelivering = false
            delivery.leave()
            return nil
        }
    }

    /// Waits until everything has been handed over, for ``patience`` at most; not when called by what takes the messages.
    func flush() {
        guard DispatchQueue.getSpecific(key: isOwnQueue) == nil else { return }
        _ = delivery.wait(timeout: .now() + Self.patience)
    }
}
