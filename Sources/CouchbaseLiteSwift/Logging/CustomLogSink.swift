import LogCore
import LogOutput
import Synchronization

/// A log sink that is implemented by the app.
@preconcurrency public protocol LogSinkProtocol: Sendable {
    /// Receives a log message.
    ///
    /// Called on the thread that logs the message, which can be any thread, and concurrently on several threads. The
    /// implementation may use databases; messages that are logged by these calls are not passed to it. No lock is held,
    /// except that of a batch in which the message is logged.
    ///
    /// Threads that handle the I/O of all connections do not wait for the sink: their messages are passed on a separate
    /// serial queue, in order, and may arrive slightly later than messages that other threads log at the same time. At
    /// most 10,000 of these messages are queued for a slow sink; then new ones are dropped, and a warning (an error, if
    /// all of them are errors) in the domain of the first one reports their number. When the sink is replaced, and when
    /// the process ends with `exit`, queued messages are delivered first; this waits for at most two seconds.
    ///
    /// - Parameters:
    ///   - level: The level of the message.
    ///   - domain: The domain of the message.
    ///   - message: The text, which can contain several lines.
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}

/// Passes log messages to code of the app.
public struct CustomLogSink: Sendable {
    /// The minimum level of the messages that are passed.
    public let level: LogLevel
    /// The domains of the messages that are passed.
    public let domains: LogDomains
    /// The receiver of the messages.
    public let logSink: any LogSinkProtocol

    /// Creates a sink that passes messages of `level` and above, about all domains, to `logSink`.
    public init(level: LogLevel, logSink: any LogSinkProtocol) {
        self.init(level: level, domains: .all, logSink: logSink)
    }

    /// Creates a sink that passes messages of `level` and above about `domains` to `logSink`.
    public init(level: LogLevel, domains: LogDomains, logSink: any LogSinkProtocol) {
        self.level = level
        self.domains = domains
        self.logSink = logSink
    }
}

/// The app's receiver of log messages, set by either generation of the API.
final class CustomReceiver: Sendable {
    private let target: Target
    private let handover = LogDeliveryQueue()
    /// The level that a logger had when it was last read.
    private let knownLevel = Atomic(LogLevel.debug.rawValue)
    /// Whether the level of a logger is going to be read on the queue of ``handover``.
    private let isReadingLevel = Atomic(false)

    private enum Target: Sendable {
        case sink(CustomLogSink)
        case logger(any Logger)
    }

    init(_ sink: CustomLogSink) {
        target = .sink(sink)
    }

    init(_ logger: any Logger) {
        target = .logger(logger)
        _ = readLevel(of: logger)
    }

    var sink: CustomLogSink? {
        if case .sink(let sink) = target { sink } else { nil }
    }

    var logger: (any Logger)? {
        if case .logger(let logger) = target { logger } else { nil }
    }

    /// Returns whether the receiver may accept such messages. A logger's level can change at any time, so it may accept all.
    func mayInclude(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        sink?.includes(level, domain) ?? true
    }

    /// Returns whether the receiver accepts such a message now. Call it outside locks.
    func includes(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        let isWanted =
            switch target {
            case .sink(let sink): sink.includes(level, domain)
            case .logger where SharedThread.isCurrent: knownLevelIncludes(level)
            case .logger(let logger): readLevel(of: logger).includes(level)
            }
        return isWanted && !Self.isBusyOnThisThread
    }

    /// Returns whether the last known level of the logger includes `level`. Reading the level calls app code, for which a shared thread
    /// must not wait. If the last known level includes the message, the level is read when the message is delivered. If not, the
    /// message is dropped, and the level is read on another thread, for later messages.
    private func knownLevelIncludes(_ level: EventLevel) -> Bool {
        if level.rawValue >= knownLevel.load(ordering: .relaxed) { return true }
        if !isReadingLevel.exchange(true, ordering: .relaxed) {
            handover.perform { [self] in
                isReadingLevel.store(false, ordering: .relaxed)
                if let logger { _ = readLevel(of: logger) }
            }
        }
        return false
    }

    private func readLevel(of logger: any Logger) -> LogLevel {
        let level = logger.level
        knownLevel.store(level.rawValue, ordering: .relaxed)
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
    func flush() {
        handover.flush()
    }

    private static let flushesAtExit: Void = { _ = atexit { LogRouter.shared.flush() } }()

    private func write(_ level: EventLevel, _ domain: EventDomain, _ message: String) {
        Self.isBusyOnThisThread = true
        defer { Self.isBusyOnThisThread = false }
        let (level, domain) = (LogLevel(level), LogDomain(domain))
        switch target {
        case .sink(let sink): sink.logSink.writeLog(level: level, domain: domain, message: message)
        case .logger(let logger): logger.log(level: level, domain: domain, message: message)
        }
    }

    /// Whether app code is receiving a message on this thread. Messages that it causes itself are not passed to it,
    /// which prevents endless recursion.
    private static var isBusyOnThisThread: Bool {
        get { Thread.current.threadDictionary[busyKey] != nil }
        set { Thread.current.threadDictionary[busyKey] = newValue ? true : nil }
    }

    private static let busyKey = "CouchbaseLiteSwift.CustomReceiver"
}

extension CustomLogSink {
    fileprivate func includes(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        domains.contains(LogDomains(domain)) && self.level.includes(level)
    }
}
