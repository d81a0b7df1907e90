import Base
import LogOutput

/// The sinks that receive the log messages of the process: the console, files, and code of the app.
///
/// ```swift
/// LogSinks.console = ConsoleLogSink(level: .info)
/// LogSinks.file = FileLogSink(level: .verbose, directory: "/var/log/app", usePlainText: true)
/// ```
///
/// Messages of level `info` and above never contain values from documents, queries or keys. The sinks can be set at any time,
/// from any thread.
///
/// The older `Database.log` configures the same sinks. Using both APIs in one process is a programming error, which traps.
public class LogSinks {
    private init() {}

    /// The console sink, which writes to standard error. Default: warnings and errors of all domains. `nil` writes nothing.
    public static var console: ConsoleLogSink? {
        get { LogRouter.shared.setup.console.all.map(ConsoleLogSink.init) }
        set { LogRouter.shared.configure(.sinks) { $0.console = ConsoleSelection(newValue?.selection) } }
    }

    /// The file sink. Default: `nil`, nothing is written. Setting it blocks while files are created; setting `nil` closes the files.
    public static var file: FileLogSink? {
        get { LogRouter.shared.setup.file.map(FileLogSink.init(settings:)) }
        set { LogRouter.shared.configure(.sinks) { $0.setFile(newValue?.settings) } }
    }

    /// The app's sink. Default: `nil`. Setting it waits for at most two seconds until the previous sink has received its queued messages.
    public static var custom: CustomLogSink? {
        get { LogRouter.shared.setup.custom?.sink }
        set {
            let receiver = newValue.map(CustomReceiver.init)
            LogRouter.shared.configure(.sinks) { $0.custom = receiver }
        }
    }

    /// Forgets which generation of the API was used.
    static func _resetApiVersion() { LogRouter.shared.discardGeneration() }
}

extension LogRouter {
    /// Changes the configuration. It is a programming error to use both generations of the API.
    func configure(_ generation: Generation, _ change: (inout Setup) -> Void) {
        if !self.change(by: generation, change) {
            _CBLMisuse.inconsistency("Cannot use both new and old Logging API simultaneously.")
        }
    }
}

/// Logs a warning about a problem that does not stop the work. Call it outside locks.
func warn(_ message: @autoclosure () -> String) { LogRouter.shared.deliver(.warning, .database, message) }

/// Writes log messages to standard error: one line per message, with the time in UTC, the domain and the level.
public struct ConsoleLogSink: Sendable {
    /// The minimum level of the messages that are written.
    public let level: LogLevel
    /// The domains of the messages that are written.
    public let domains: LogDomains

    /// Creates a sink for messages of `level` and above about `domains`. Default: all domains.
    public init(level: LogLevel, domains: LogDomains = .all) { (self.level, self.domains) = (level, domains) }
}

extension ConsoleLogSink {
    init(_ selection: LogSelection) { self.init(level: LogLevel(selection.level), domains: LogDomains(rawValue: selection.domains)) }

    var selection: LogSelection { LogSelection(level: level.event, domains: domains.rawValue) }
}
