/// Where the messages of the log go, for the whole process: to the console, to files, to code of the app.
///
/// ```swift
/// LogSinks.console = ConsoleLogSink(level: .info)
/// LogSinks.file = FileLogSink(level: .verbose, directory: "/var/log/app", usePlainText: true)
/// ```
///
/// Below `verbose` no message holds anything out of documents, queries or keys.
///
/// The older ``Database/log`` does the same in another way. Setting something by both is a programming error.
public class LogSinks {
    private init() {}

    /// What goes to standard error: warnings and errors, unless something else is set. Nil is nothing.
    public static var console: ConsoleLogSink? {
        get { LogRouter.shared.console.sink }
        set { LogRouter.shared.configure(.sinks) { $0.console = ConsoleSelection(newValue) } }
    }

    /// What goes to files: nothing, unless it is set. Nil closes the files.
    public static var file: FileLogSink? {
        get { LogRouter.shared.file }
        set { LogRouter.shared.configure(.sinks) { $0.setFile(newValue) } }
    }

    /// What goes to code of the app: nothing, unless it is set.
    public static var custom: CustomLogSink? {
        get { LogRouter.shared.customSink }
        set {
            let receiver = newValue.map(CustomReceiver.init)
            LogRouter.shared.configure(.sinks) { $0.custom = receiver }
        }
    }

    /// Forgets which generation of the API was used.
    static func _resetApiVersion() {
        LogRouter.shared.forgetGeneration()
    }
}
