import Foundation
import Synchronization

/// The severity of a log message.
package enum EventLevel: UInt8, CaseIterable, Sendable {
    /// The levels, from the least to the most severe.
    case debug, verbose, info, warning, error
}

/// The subject area of a log message. The raw values are those of the public API (API 13).
package enum EventDomain: UInt, CaseIterable, Sendable {
    /// The areas: databases and documents, queries and indexes, replicators, connections, and listeners for other devices.
    case database = 1, query = 2, replicator = 4, network = 8, listener = 16
}

/// Passes the log messages of all layers to the receiver.
///
/// Do not log while holding a lock, nor inside an internal transaction: the receiver may call a closure of the app. Messages of level
/// `info` and above contain no contents of documents, queries or keys: only names, paths, IDs and counts.
package final class EngineLog: Sendable {
    /// Receives a message. The text is built only when `message` is called.
    package typealias Receiver = @Sendable (EventLevel, EventDomain, _ message: () -> String) -> Void

    /// The log of the process.
    package static let shared = EngineLog()

    /// One bit per level and domain that the receiver may want.
    private let wanted = Atomic<UInt32>(0)
    private let receiver = Mutex(ReceiverBox())

    /// Holds the closure. Closures in generic storage, such as that of a mutex, are wrapped at every read and stored back wrapped: each
    /// message would slow down all later ones, until the stack overflows. A closure inside a struct is not wrapped.
    private struct ReceiverBox {
        var receive: Receiver?
    }

    /// Creates a log without a receiver, with all messages disabled.
    package init() {}

    /// Sets the receiver of the messages, and returns the one before it.
    @discardableResult
    package func setReceiver(_ new: Receiver?) -> Receiver? {
        receiver.withLock { box in
            defer { box.receive = new }
            return box.receive
        }
    }

    /// Sets which messages are passed to the receiver at all.
    package func setWanted(_ isWanted: (EventLevel, EventDomain) -> Bool) {
        var bits: UInt32 = 0
        for domain in EventDomain.allCases {
            for level in EventLevel.allCases where isWanted(level, domain) { bits |= Self.bit(level, domain) }
        }
        wanted.store(bits, ordering: .relaxed)
    }

    func isEnabled(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        wanted.load(ordering: .relaxed) & Self.bit(level, domain) != 0
    }

    func log(_ level: EventLevel, _ domain: EventDomain, _ message: () -> String) {
        guard isEnabled(level, domain), let receive = receiver.withLock({ $0.receive }) else { return }
        receive(level, domain, message)
    }

    private static func bit(_ level: EventLevel, _ domain: EventDomain) -> UInt32 {
        1 << UInt32(domain.rawValue.trailingZeroBitCount * EventLevel.allCases.count + Int(level.rawValue))
    }
}

extension EngineLog {
    /// Whether such messages are enabled. Costs one atomic load; for callers that must prepare a message.
    package static func isEnabled(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        shared.isEnabled(level, domain)
    }

    /// Logs a message. The text is built only if such messages are enabled.
    package static func log(_ level: EventLevel, _ domain: EventDomain, _ message: @autoclosure () -> String) {
        shared.log(level, domain, message)
    }
}

/// Threads that many connections share, such as those that do network I/O: code on them must not wait for code of the app.
package enum SharedThread {
    private static let key = "CouchbaseLite.SharedThread"

    /// Marks the calling thread as shared, until it ends.
    package static func mark() { Thread.current.threadDictionary[key] = true }

    /// Whether the calling thread is shared.
    package static var isCurrent: Bool { Thread.current.threadDictionary[key] != nil }
}
