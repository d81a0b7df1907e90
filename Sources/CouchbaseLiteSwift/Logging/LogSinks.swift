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
/// The older ``Database/log`` configures the same sinks. Using both APIs in one process is a programming error, which traps.
public class LogSinks {
    private init() {}

    /// The console sink, which writes to standard error. Default: warnings and errors of all domains. `nil` writes nothing.
    public static var console: ConsoleLogSink? {
        get { LogRouter.shared.console.sink }
        set { LogRouter.shared.configure(.sinks) { $0.console = ConsoleSelection(newValue) } }
    }

    /// The file sink. Default: `nil`, nothing is written. Setting it blocks while files are created; setting `nil` closes the files.
    public static var file: FileLogSink? {
        get { LogRouter.shared.file }
        set { LogRouter.shared.configure(.sinks) { $0.setFile(newValue) } }
    }

    /// The app's sink. Default: `nil`. Setting it waits for at most two seconds until the previous sink has received its queued messages.
    public static var custom: CustomLogSink? {
        get { LogRouter.shared.customSink }
        set {
            let receiver = newValue.map(CustomReceiver.init)
            LogRouter.shared.configure(.sinks) { $0.custom = receiver }
        }
    }

    /// Forgets which generation of the API was used.
    static func _resetApiVersion() {
        LogRouter.shared.discardGeneration()
    }
}
