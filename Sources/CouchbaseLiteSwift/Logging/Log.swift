/// The log as it was set up before ``LogSinks``: `Database.log.console`, `.file` and `.custom`.
///
/// Setting something here and by ``LogSinks`` in one process is a programming error.
public final class Log: Sendable {
    static let shared = Log()

    /// What goes to standard error.
    public let console = ConsoleLogger()
    /// What goes to files.
    public let file = FileLogger()

    /// Code of the app that gets messages; at first nil.
    public var custom: (any Logger)? {
        get { LogRouter.shared.customLogger }
        set {
            let receiver = newValue.map(CustomReceiver.init)
            LogRouter.shared.configure(.loggers) { $0.custom = receiver }
        }
    }

    /// Says something, as the library itself does.
    static func log(domain: LogDomain, level: LogLevel, message: String) {
        LogRouter.shared.deliver(level, domain) { message }
    }
}

/// What goes to standard error.
public final class ConsoleLogger: Sendable {
    /// The least serious level that is shown; at first warnings.
    public var level: LogLevel {
        get { LogRouter.shared.console.sink?.level ?? .none }
        set { set { ConsoleLogSink(level: newValue, domains: $0.domains) } }
    }

    /// What shown messages are about; at first everything.
    public var domains: LogDomains {
        get { LogRouter.shared.console.sink?.domains ?? .all }
        set { set { ConsoleLogSink(level: $0.level, domains: newValue) } }
    }

    private func set(_ change: (ConsoleLogSink) -> ConsoleLogSink) {
        LogRouter.shared.configure(.loggers) { setup in
            setup.console = ConsoleSelection(change(setup.console.sink ?? ConsoleLogSink(level: .none)))
        }
    }
}

/// What goes to files; see ``FileLogSink`` for what they are like.
public final class FileLogger: Sendable {
    /// Which files there are; at first nil, and nothing is written. Once it is set it must not be changed any more.
    public var config: LogFileConfiguration? {
        get { LogRouter.shared.fileConfiguration }
        set {
            newValue?.freeze()
            set { $0.fileConfiguration = newValue }
        }
    }

    /// The least serious level that is written; at first none.
    public var level: LogLevel {
        get { LogRouter.shared.fileLevel }
        set { set { $0.fileLevel = newValue } }
    }

    private func set(_ change: (inout LogRouter.Setup) -> Void) {
        LogRouter.shared.configure(.loggers) { setup in
            change(&setup)
            setup.setFile(setup.fileConfiguration?.sink(level: setup.fileLevel))
        }
    }
}

/// Code of the app that gets messages.
public protocol Logger {
    /// The least serious level that it wants.
    var level: LogLevel { get }

    /// Takes a message; see ``LogSinkProtocol/writeLog(level:domain:message:)``.
    func log(level: LogLevel, domain: LogDomain, message: String)
}

extension Database {
    /// The log as it was set up before ``LogSinks``.
    public static var log: Log { Log.shared }

    /// Sets the least serious level of which messages about `domain` are shown on the console.
    @available(*, deprecated, message: "Use LogSinks.console")
    public static func setLogLevel(_ level: LogLevel, domain: LogDomains) {
        LogRouter.shared.configure(.loggers) { setup in
            for each in LogDomain.allCases where domain.contains(LogDomains(each)) {
                setup.console.levels[each] = level
            }
        }
    }
}
