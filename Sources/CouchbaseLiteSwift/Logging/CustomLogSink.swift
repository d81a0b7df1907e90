/// Code of the app that gets messages.
public protocol LogSinkProtocol {
    /// Takes a message.
    ///
    /// Called on the thread that has something to say, which may be any, and on several at once. It may use databases; what that
    /// makes the library say is not handed to it again.
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
            case .logger(let logger): logger.level.includes(level)
            }
        return isWanted && !Self.isBusyOnThisThread
    }

    /// Hands a message over. To be called outside of locks.
    func write(_ level: LogLevel, _ domain: LogDomain, _ message: String) {
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
