import LogCore

/// Code of the app that gets messages.
public protocol LogSinkProtocol {
    /// Takes a message.
    ///
    /// Called on the thread that has something to say, which may be any, and on several at once. It may use databases; what that
    /// makes the library say is not handed to it again.
    ///
    /// The threads that move the bytes of all connections do not wait for it: what is said on them comes on a serial queue of the log's,
    /// in its order, perhaps a little later than what other threads say at that time. Up to 10,000 such messages wait for a slow sink;
    /// then new ones are dropped, and a warning tells how many. When the sink is replaced, and when the process ends by `exit`, those
    /// that wait are handed over first, for two seconds at most.
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}

/// What goes to code of the app.
public struct CustomLogSink {
    /// The least serious level that is handed on.
    public let level: LogLevel
    /// What messages that are handed on are about.
    public let domains: LogDomains
    /// Who gets them.
    public let logSink: any LogSinkProtocol

    /// Hands messages of `level` and above to `logSink`.
    public init(level: LogLevel, logSink: any LogSinkProtocol) {
        self.init(level: level, domains: .all, logSink: logSink)
    }

    /// Hands messages of `level` and above about `domains` to `logSink`.
    public init(level: LogLevel, domains: LogDomains, logSink: any LogSinkProtocol) {
        self.level = level
        self.domains = domains
        self.logSink = logSink
    }
}

/// Code of the app, of either generation of the API, that gets messages.
final class CustomReceiver: @unchecked Sendable {
    // Unchecked: nothing changes here; what the app's code does is up to the app, which is told that it is called from any thread.
    private let target: Target
    private let handover = LogHandover()

    private enum Target {
        case sink(CustomLogSink)
        case logger(any Logger)
    }

    init(_ sink: CustomLogSink) {
        target = .sink(sink)
    }

    init(_ logger: any Logger) {
        target = .logger(logger)
    }

    var sink: CustomLogSink? {
        if case .sink(let sink) = target { sink } else { nil }
    }

    var logger: (any Logger)? {
        if case .logger(let logger) = target { logger } else { nil }
    }

    /// Whether it may want such messages. A logger's level can change at any time, so for now it may want all.
    func mayInclude(_ level: LogLevel, _ domain: LogDomain) -> Bool {
        sink?.includes(level, domain) ?? true
    }

    /// Whether it wants such a message now. To be called outside of locks.
    func includes(_ level: LogLevel, _ domain: LogDomain) -> Bool {
        let isWanted =
            switch target {
            case .sink(let sink): sink.includes(level, domain)
            // Code of the app's, too: there it is asked when the message is handed over.
            case .logger(let logger): SharedThread.isCurrent || logger.level.includes(level)
            }
        return isWanted && !Self.isBusyOnThisThread
    }

    /// Hands a message over: at once, or later if this thread must not wait for the app. To be called outside of locks.
    func deliver(_ level: LogLevel, _ domain: LogDomain, _ message: String) {
        guard SharedThread.isCurrent else { return write(level, domain, message) }
        _ = Self.flushesAtExit
        handover.send(LogHandover.Message(level: level, domain: domain, text: message)) { [self] message in
            if includes(message.level, message.domain) { write(message.level, message.domain, message.text) }
        }
    }

    /// Waits a little for messages that have not been handed over.
    func flush() {
        handover.flush()
    }

    private static let flushesAtExit: Void = { _ = atexit { LogRouter.shared.flush() } }()

    private func write(_ level: LogLevel, _ domain: LogDomain, _ message: String) {
        Self.isBusyOnThisThread = true
        defer { Self.isBusyOnThisThread = false }
        switch target {
        case .sink(let sink): sink.logSink.writeLog(level: level, domain: domain, message: message)
        case .logger(let logger): logger.log(level: level, domain: domain, message: message)
        }
    }

    /// Whether code of the app is taking a message on this thread: what it does there must not call it again without end.
    private static var isBusyOnThisThread: Bool {
        get { Thread.current.threadDictionary[busyKey] != nil }
        set { Thread.current.threadDictionary[busyKey] = newValue ? true : nil }
    }

    private static let busyKey = "CouchbaseLiteSwift.CustomReceiver"
}

extension CustomLogSink {
    fileprivate func includes(_ level: LogLevel, _ domain: LogDomain) -> Bool {
        domains.contains(LogDomains(domain)) && self.level.includes(level)
    }
}
