package import Base
import Foundation
import Synchronization

/// The app's receiver of log messages, set by either generation of the API.
package final class CustomReceiver: Sendable {
    /// The object or value of the app.
    package let consumer: any Sendable
    /// Returns the minimum level of the messages that the consumer receives now; `nil` if it receives none.
    private let levelOfConsumer: @Sendable () -> EventLevel?
    private let writeToConsumer: @Sendable (EventLevel, EventDomain, _ message: String) -> Void
    /// The messages that the consumer receives; `nil` if it must be asked for its level, which can change at any time.
    private let selection: LogSelection?
    private let handover = LogDeliveryQueue()
    /// The raw value of the level that the consumer had when it was last asked; the maximum if it received no messages.
    private let knownLevel = Atomic(EventLevel.debug.rawValue)
    /// Whether the consumer's level is going to be read on the queue of ``handover``.
    private let isReadingLevel = Atomic(false)

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - consumer: The object or value of the app, which is retained.
    ///   - selection: The messages that it receives; `nil`, the default, if `level` must be asked each time.
    ///   - level: Returns the present minimum level, `nil` for no messages. Code of the app.
    ///   - write: Receives the messages. Code of the app.
    package init(
        _ consumer: any Sendable,
        _ selection: LogSelection? = nil,
        level: @escaping @Sendable () -> EventLevel?,
        write: @escaping @Sendable (EventLevel, EventDomain, _ message: String) -> Void
    ) {
        self.consumer = consumer
        self.selection = selection
        (levelOfConsumer, writeToConsumer) = (level, write)
        if selection == nil { _ = readLevel() }
    }

    /// Returns whether the receiver may accept such messages.
    func mayInclude(_ level: EventLevel, _ domain: EventDomain) -> Bool { selection?.includes(level, domain) ?? true }

    /// Returns whether the receiver accepts such a message now. Call it outside locks.
    func includes(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        let isWanted: Bool
        if let selection {
            isWanted = selection.includes(level, domain)
        } else {
            isWanted = SharedThread.isCurrent ? knownLevelIncludes(level) : readLevel().includes(level)
        }
        return isWanted && !Self.isBusyOnThisThread
    }

    /// Returns whether the last known level of the consumer includes `level`. Reading the level calls app code, for which a shared thread
    /// must not wait. If the last known level includes the message, the level is read when the message is delivered. If not, the
    /// message is dropped, and the level is read on another thread, for later messages.
    private func knownLevelIncludes(_ level: EventLevel) -> Bool {
        if level.rawValue >= knownLevel.load(ordering: .relaxed) { return true }
        if !isReadingLevel.exchange(true, ordering: .relaxed) {
            handover.perform { [self] in
                isReadingLevel.store(false, ordering: .relaxed)
                _ = readLevel()
            }
        }
        return false
    }

    private func readLevel() -> EventLevel? {
        let level = levelOfConsumer()
        knownLevel.store(level?.rawValue ?? .max, ordering: .relaxed)
        return level
    }

    /// Delivers a message: synchronously, or later if this thread must not wait for app code. Call it outside locks.
    func deliver(_ level: EventLevel, _ domain: EventDomain, _ message: String) {
        guard SharedThread.isCurrent else { return write(level, domain, message) }
        _ = Self.flushesAtExit
        handover.send(level, domain, message) { [self] message in
            if includes(message.level, message.domain) { write(message.level, message.domain, message.text) }
        }
    }

    /// Waits for at most ``LogDeliveryQueue/flushTimeout`` until queued messages have been delivered.
    func flush() { handover.flush() }

    private static let flushesAtExit: Void = { _ = atexit { LogRouter.shared.flush() } }()

    private func write(_ level: EventLevel, _ domain: EventDomain, _ message: String) {
        Self.isBusyOnThisThread = true
        defer { Self.isBusyOnThisThread = false }
        writeToConsumer(level, domain, message)
    }

    /// Whether app code is receiving a message on this thread. Messages that it causes itself are not passed to it,
    /// which prevents endless recursion.
    private static var isBusyOnThisThread: Bool {
        get { Thread.current.threadDictionary[busyKey] != nil }
        set { Thread.current.threadDictionary[busyKey] = newValue ? true : nil }
    }

    private static let busyKey = "CouchbaseLiteSwift.CustomReceiver"
}
