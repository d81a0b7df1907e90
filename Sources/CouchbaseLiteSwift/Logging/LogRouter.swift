import LogCore
import LogOutput
import Synchronization

/// The API that configured logging; using both is a programming error, which traps.
enum LogGeneration: Sendable {
    /// The older API: ``Database/log`` and ``Database/setLogLevel(_:domain:)``.
    case loggers
    /// The newer API: ``LogSinks``.
    case sinks
}

/// Passes each message to the sinks that accept it.
final class LogRouter: Sendable {
    /// The router of the process.
    static let shared = LogRouter(of: .shared)

    /// The configuration.
    struct Setup: Sendable {
        var console = ConsoleSelection(ConsoleLogSink(level: .warning))
        private(set) var file: FileLogSink?
        private(set) var fileWriter: FileLogWriter?
        /// How many times the file sink has been set.
        private(set) var fileChangeCount = 0
        var custom: CustomReceiver?
        /// The file settings of the older API, which sets the level and the other values separately.
        var fileLevel = LogLevel.none
        var fileConfiguration: LogFileConfiguration?

        /// Sets the file sink. Open files remain open if directory and format are the same.
        mutating func setFile(_ new: FileLogSink?) {
            file = new
            fileChangeCount += 1
            guard let new else { return fileWriter = nil }
            let settings = new.settings
            if fileWriter?.hasFiles(of: settings) != true { fileWriter = FileLogWriter(settings) }
        }

        func mayInclude(_ level: EventLevel, _ domain: EventDomain) -> Bool {
            console.includes(level, domain) || file?.level.includes(level) ?? false
                || custom?.mayInclude(level, domain) ?? false
        }
    }

    private struct State: Sendable {
        var setup = Setup()
        var generation: LogGeneration?
        var hasOpenedDatabase = false
    }

    private let engineLog: EngineLog
    private let state = Mutex(State())

    /// Creates a router that receives the messages of `engineLog`.
    init(of engineLog: EngineLog) {
        self.engineLog = engineLog
        engineLog.setReceiver { [weak self] level, domain, message in
            self?.deliver(level, domain, message)
        }
        engineLog.setWanted(Setup().mayInclude)
    }

    // MARK: Configuration

    var console: ConsoleSelection { state.withLock { $0.setup.console } }
    var file: FileLogSink? { state.withLock { $0.setup.file } }
    var fileLevel: LogLevel { state.withLock { $0.setup.fileLevel } }
    var fileConfiguration: LogFileConfiguration? { state.withLock { $0.setup.fileConfiguration } }
    var customSink: CustomLogSink? { state.withLock { $0.setup.custom }?.sink }
    var customLogger: (any Logger)? { state.withLock { $0.setup.custom }?.logger }

    /// Changes the configuration.
    func configure(_ generation: LogGeneration, _ change: (inout Setup) -> Void) {
        // What is replaced is released outside the lock: it may be an object of the app, whose deinitializer can run any code.
        let setups: (old: Setup, new: Setup)? = state.withLock { state in
            guard state.generation == nil || state.generation == generation else { return nil }
            state.generation = generation
            let old = state.setup
            change(&state.setup)
            let new = state.setup
            engineLog.setWanted(new.mayInclude)
            return (old, new)
        }
        guard let (old, new) = setups else {
            _CBLMisuse.inconsistency("Cannot use both new and old Logging API simultaneously.")
        }
        if old.fileWriter !== new.fileWriter { old.fileWriter?.close() }
        if old.fileChangeCount != new.fileChangeCount, let file = new.file,
            let failure = new.fileWriter?.open(file.settings, change: new.fileChangeCount)
        {
            LogLine(.warning, .database, failure).writeToConsole()
        }
        if old.custom !== new.custom { old.custom?.flush() }
    }

    /// Waits for at most two seconds until the app has received its queued messages.
    func flush() {
        state.withLock { $0.setup.custom }?.flush()
    }

    /// Allows either generation of the API to be used next.
    func discardGeneration() {
        state.withLock { $0.generation = nil }
    }

    /// Call it when a database is opened. The first time, it logs a warning if the app has configured logging, but no file log. An app
    /// that has configured nothing starts without any output.
    func databaseWillOpen() {
        let isUnlogged = state.withLock { state in
            defer { state.hasOpenedDatabase = true }
            return !state.hasOpenedDatabase && state.generation != nil && state.setup.file.map { $0.level == .none } ?? true
        }
        if isUnlogged {
            deliver(.warning, .database) {
                "File logging is disabled. Log files required for product support are not being generated."
            }
        }
    }

    // MARK: Messages

    /// Passes a message to the sinks that accept it. Call it outside locks.
    func deliver(_ level: EventLevel, _ domain: EventDomain, _ message: () -> String) {
        let setup = state.withLock { $0.setup }
        let isShown = setup.console.includes(level, domain)
        let writer = setup.file?.level.includes(level) == true ? setup.fileWriter : nil
        let custom = setup.custom.flatMap { $0.includes(level, domain) ? $0 : nil }
        guard isShown || writer != nil || custom != nil else { return }
        let message = message()
        if isShown || writer != nil {
            let line = LogLine(level, domain, message)
            if isShown { line.writeToConsole() }
            if let failure = writer?.write(line) {
                LogLine(.warning, .database, failure).writeToConsole()
            }
        }
        custom?.deliver(level, domain, message)
    }
}

/// Logs a warning about a problem that does not stop the work. Call it outside locks.
func warn(_ message: @autoclosure () -> String) {
    LogRouter.shared.deliver(.warning, .database, message)
}
