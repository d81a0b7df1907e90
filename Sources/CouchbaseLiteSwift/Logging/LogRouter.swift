import LogCore
import Synchronization

/// Which API the log was set up with; using both is a misuse.
enum LogGeneration: Sendable {
    /// ``Database/log`` and ``Database/setLogLevel(_:domain:)``.
    case loggers
    /// ``LogSinks``.
    case sinks
}

/// Takes every message to where it is wanted.
final class LogRouter: Sendable {
    /// The one of the process.
    static let shared = LogRouter(of: .shared)

    /// What has been set up.
    struct Setup: Sendable {
        var console = ConsoleSelection(ConsoleLogSink(level: .warning))
        private(set) var file: FileLogSink?
        private(set) var fileWriter: FileLogWriter?
        /// How often what goes to files has been set.
        private(set) var fileChangeCount = 0
        var custom: CustomReceiver?
        /// What the older API keeps of its file: the level and the rest are set one by one.
        var fileLevel = LogLevel.none
        var fileConfiguration: LogFileConfiguration?

        /// Sets what goes to files. Those that are open stay so when directory and format are the same.
        mutating func setFile(_ new: FileLogSink?) {
            file = new
            fileChangeCount += 1
            guard let new else { return fileWriter = nil }
            if fileWriter?.hasFiles(of: new) != true { fileWriter = FileLogWriter(new) }
        }

        func mayInclude(_ level: LogLevel, _ domain: LogDomain) -> Bool {
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

    /// A router that gets what is said in `engineLog`.
    init(of engineLog: EngineLog) {
        self.engineLog = engineLog
        engineLog.setReceiver { [weak self] level, domain, message in
            self?.deliver(LogLevel(level), LogDomain(domain), message)
        }
        let setup = Setup()
        engineLog.setWanted { setup.mayInclude(LogLevel($0), LogDomain($1)) }
    }

    // MARK: Setting up

    var console: ConsoleSelection { state.withLock { $0.setup.console } }
    var file: FileLogSink? { state.withLock { $0.setup.file } }
    var fileLevel: LogLevel { state.withLock { $0.setup.fileLevel } }
    var fileConfiguration: LogFileConfiguration? { state.withLock { $0.setup.fileConfiguration } }
    var customSink: CustomLogSink? { state.withLock { $0.setup.custom }?.sink }
    var customLogger: (any Logger)? { state.withLock { $0.setup.custom }?.logger }

    /// Changes the setup.
    func configure(_ generation: LogGeneration, _ change: (inout Setup) -> Void) {
        // What is replaced goes after the lock: it may be the app's, and do what it likes when it goes.
        let setups: (old: Setup, new: Setup)? = state.withLock { state in
            guard state.generation == nil || state.generation == generation else { return nil }
            state.generation = generation
            let old = state.setup
            change(&state.setup)
            let new = state.setup
            engineLog.setWanted { new.mayInclude(LogLevel($0), LogDomain($1)) }
            return (old, new)
        }
        guard let (old, new) = setups else {
            _CBLMisuse.inconsistency("Cannot use both new and old Logging API simultaneously.")
        }
        if old.fileWriter !== new.fileWriter { old.fileWriter?.close() }
        if old.fileChangeCount != new.fileChangeCount, let file = new.file,
            let failure = new.fileWriter?.open(file)
        {
            LogLine(.warning, .database, failure).writeToConsole()
        }
        if old.custom !== new.custom { old.custom?.flush() }
    }

    /// Waits a little for messages that code of the app has not got yet.
    func flush() {
        state.withLock { $0.setup.custom }?.flush()
    }

    /// Lets either generation of the API be used next.
    func forgetGeneration() {
        state.withLock { $0.generation = nil }
    }

    /// To be called when a database is opened: the first time it is said that nobody could look into a problem afterwards.
    func databaseWillOpen() {
        let isUnlogged = state.withLock { state in
            defer { state.hasOpenedDatabase = true }
            return !state.hasOpenedDatabase && state.setup.file.map { $0.level == .none } ?? true
        }
        if isUnlogged {
            deliver(.warning, .database) {
                "File logging is disabled. Log files required for product support are not being generated."
            }
        }
    }

    // MARK: Messages

    /// Takes a message to where it is wanted. To be called outside of locks.
    func deliver(_ level: LogLevel, _ domain: LogDomain, _ message: () -> String) {
        let setup = state.withLock { $0.setup }
        let isShown = setup.console.includes(level, domain)
        let file = setup.file.flatMap { $0.level.includes(level) ? $0 : nil }
        let custom = setup.custom.flatMap { $0.includes(level, domain) ? $0 : nil }
        guard isShown || file != nil || custom != nil else { return }
        let message = message()
        if isShown || file != nil {
            let line = LogLine(level, domain, message)
            if isShown { line.writeToConsole() }
            if file != nil, let failure = setup.fileWriter?.write(line) {
                LogLine(.warning, .database, failure).writeToConsole()
            }
        }
        custom?.deliver(level, domain, message)
    }
}
