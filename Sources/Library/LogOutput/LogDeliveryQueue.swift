package import Base
import Dispatch
import Synchronization

/// Queues messages from threads that must not wait for app code, and delivers them on a serial queue, in order.
package final class LogDeliveryQueue: Sendable {
    /// A message of the log, before it is formatted.
    package struct Message: Sendable {
        /// How severe the message is.
        package let level: EventLevel
        /// The subject of the message.
        package let domain: EventDomain
        /// The text, without time, level and domain.
        package let text: String
    }

    /// The maximum number of queued messages. Further messages are dropped, and a message with their number takes their place.
    package static let capacity = 10_000
    /// How long replacing the sink, or the end of the process, waits for queued messages.
    static let flushTimeout = DispatchTimeInterval.seconds(2)

    private struct State {
        var waiting: [Message] = []
        /// The index of the first message that has not been delivered.
        var first = 0
        /// The number of messages that were dropped, the domain of the first one, and the lowest of their levels.
        var dropped: (count: Int, domain: EventDomain, level: EventLevel)?
        var isDelivering = false

        var count: Int { waiting.count - first }

        mutating func append(_ message: Message) {
            guard count < LogDeliveryQueue.capacity else { return drop(message) }
            noteDropped()
            waiting.append(message)
        }

        private mutating func drop(_ message: Message) {
            let before = dropped ?? (0, message.domain, message.level)
            let level = message.level.rawValue < before.level.rawValue ? message.level : before.level
            dropped = (before.count + 1, before.domain, level)
        }

        mutating func next() -> Message? {
            if count == 0 { noteDropped() }
            guard count > 0 else {
                waiting.removeAll()
                first = 0
                return nil
            }
            defer { first += 1 }
            if first >= LogDeliveryQueue.capacity {
                waiting.removeFirst(first)
                first = 0
            }
            return waiting[first]
        }

        private mutating func noteDropped() {
            guard let (count, domain, level) = dropped else { return }
            let text = "\(count) log messages were dropped because the log sink is too slow"
            // The sink receives the domain and the level, because it would have received the dropped messages.
            waiting.append(Message(level: level == .error ? .error : .warning, domain: domain, text: text))
            dropped = nil
        }
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "CouchbaseLite.log")
    private let isOwnQueue = DispatchSpecificKey<Bool>()
    /// Entered while messages are queued or being delivered.
    private let delivery = DispatchGroup()

    init() { queue.setSpecific(key: isOwnQueue, value: true) }

    /// Queues a message; `receive` is called with it on the queue later.
    package func send(_ level: EventLevel, _ domain: EventDomain, _ text: String, to receive: @escaping @Sendable (Message) -> Void) {
        let begins = state.withLock { state in
            state.append(Message(level: level, domain: domain, text: text))
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

    /// Calls `work` on the queue, after the messages that are queued now.
    package func perform(_ work: @escaping @Sendable () -> Void) { queue.async(group: delivery) { work() } }

    /// Waits until all messages have been delivered, but at most for ``flushTimeout``. Does nothing if called by the receiver of messages.
    package func flush() {
        guard DispatchQueue.getSpecific(key: isOwnQueue) == nil else { return }
        _ = delivery.wait(timeout: .now() + Self.flushTimeout)
    }
}
