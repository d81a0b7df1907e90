import Base
import LogOutput
import Synchronization

/// The logging API from before ``LogSinks``: `Database.log.console`, `.file` and `.custom`.
///
/// Using both this class and ``LogSinks`` to configure logging in one process is a programming error, which traps.
public final class Log: Sendable {
    static let shared = Log()

    /// The console log.
    @available(*, deprecated, message: "Use LogSinks.console")
    public let console = ConsoleLogger()
    /// The file log.
    @available(*, deprecated, message: "Use LogSinks.file")
    public let file = FileLogger()

    /// The app's logger; initially `nil`. Setting it waits for at most two seconds until the previous logger has
    /// received its queued messages.
    @available(*, deprecated, message: "Use LogSinks.custom")
    public var custom: (any Logger)? {
        get { LogRouter.shared.setup.custom?.logger }
        set {
            let receiver = newValue.map(CustomReceiver.init)
            LogRouter.shared.configure(.loggers) { $0.custom = receiver }
        }
    }

    /// Logs a message like those of the library, for tests (API 18).
    static func log(domain: LogDomain, level: LogLevel, message: String) {
        if let level = level.event, let domain = domain.event { EngineLog.log(level, domain, message) }
    }
}

/// Writes log messages to standard error. Thread-safe.
@available(*, deprecated, message: "Use ConsoleLogSink")
public final class ConsoleLogger: Sendable {
    /// The minimum level of the messages that are written. Default: ``LogLevel/warning``.
    public var level: LogLevel {
        get { sink.level }
        set { set { ConsoleLogSink(level: newValue, domains: $0.domains) } }
    }

    /// The domains of the messages that are written. Default: all.
    public var domains: LogDomains {
        get { sink.domains }
        set { set { ConsoleLogSink(level: $0.level, domains: newValue) } }
    }

    private var sink: ConsoleLogSink { Self.sink(LogRouter.shared.setup) }

    private static func sink(_ setup: LogRouter.Setup) -> ConsoleLogSink {
        setup.console.all.map(ConsoleLogSink.init) ?? ConsoleLogSink(level: .none)
    }

    private func set(_ change: (ConsoleLogSink) -> ConsoleLogSink) {
        LogRouter.shared.configure(.loggers) { setup in setup.console = ConsoleSelection(change(Self.sink(setup)).selection) }
    }
}

/// Writes log messages to files; see ``FileLogSink`` for their names and format. Thread-safe.
@available(*, deprecated, message: "Use FileLogSink")
public final class FileLogger: Sendable {
    private struct State {
        var level = LogLevel.none
        var config: LogFileConfiguration?
    }
    private let state = Mutex(State())

    /// The configuration of the log files. Default: `nil`, nothing is written.
    ///
    /// Changing a configuration after it has been set is a programming error, which traps. Setting it blocks while the files are created.
    public var config: LogFileConfiguration? {
        get { state.withLock { $0.config } }
        set {
            newValue?.draft.freeze()
            set { $0.config = newValue }
        }
    }

    /// The minimum level of the messages that are written. Default: ``LogLevel/none``.
    public var level: LogLevel {
        get { state.withLock { $0.level } }
        set { set { $0.level = newValue } }
    }

    private func set(_ change: (inout State) -> Void) {
        LogRouter.shared.configure(.loggers) { setup in
            let settings = state.withLock { state in
                change(&state)
                return state.config?.draft.settings(level: state.level.event, library: LibraryVersion.description)
            }
            setup.setFile(settings)
        }
    }
}

/// A logger that is implemented by the app.
@available(*, deprecated, message: "Use LogSinkProtocol")
@preconcurrency public protocol Logger: Sendable {
    /// The minimum level of the messages that the logger receives. Read for each message, on any thread.
    ///
    /// Threads that handle the I/O of all connections do not wait for it: they drop messages below the level that was last read,
    /// and let another thread read it again.
    var level: LogLevel { get }

    /// Receives a log message; see ``LogSinkProtocol/writeLog(level:domain:message:)``.
    func log(level: LogLevel, domain: LogDomain, message: String)
}
