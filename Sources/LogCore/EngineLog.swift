import Synchronization

/// What every layer says about its work goes through here, to whoever has asked for it.
///
/// Say nothing while holding a lock, nor inside a transaction of the engine's own: what is said may end in a closure of the
/// app. Below `verbose` no message holds anything out of documents, queries or keys: names, paths, IDs and counts are all.
package final class EngineLog: Sendable {
    /// Gets a message if it wants it. The message is made when it is asked for.
    package typealias Receiver = @Sendable (EventLevel, EventDomain, _ message: () -> String) -> Void

    /// The one of the process.
    package static let shared = EngineLog()

    /// A bit for every level of every domain that somebody may want.
    private let wanted = Atomic<UInt32>(0)
    private let receiver = Mutex(ReceiverBox())

    /// Holds the closure. In generic storage, as that of a mutex is, closures are wrapped whenever they are read, and stored back wrapped: each
    /// message would make all later ones slower, until the stack overflows. What is inside a struct stays as it is.
    private struct ReceiverBox {
        var receive: Receiver?
    }

    /// A log that nobody has asked for anything.
    package init() {}

    /// Sets who gets the messages.
    package func setReceiver(_ new: @escaping Receiver) {
        receiver.withLock { $0.receive = new }
    }

    /// Sets which messages are handed to the receiver at all.
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
    /// Whether somebody may want such messages: one load, for those who must prepare for saying something.
    package static func isEnabled(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        shared.isEnabled(level, domain)
    }

    /// Says something. The message is not made unless somebody wants it.
    package static func log(_ level: EventLevel, _ domain: EventDomain, _ message: @autoclosure () -> String) {
        shared.log(level, domain, message)
    }
}
