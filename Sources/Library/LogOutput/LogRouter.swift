package import Base
import Synchronization

/// Passes each message to the sinks that accept it.
package final class LogRouter: Sendable {
    /// The API that configured logging.
    package enum Generation: Sendable {
        /// The older API, with a logger for each kind of sink.
        case loggers
        /// The newer API, with replaceable sinks.
        case sinks
    }

    /// The router of the process.
    package static let shared = LogRouter(of: .shared)

    /// The configuration.
    package struct Setup: Sendable {
        /// The messages for standard error; by default warnings and errors.
        package var console = ConsoleSelection(LogSelection(level: .warning))
        /// The log files; `nil`, the default, for none.
        package private(set) var file: LogFileSettings?
        fileprivate private(set) var fileWriter: FileLogWriter?
        /// How many times the file sink has been set.
        fileprivate private(set) var fileChangeCount = 0
        /// The app's own receiver; `nil`, the default, for none.
        package var custom: CustomReceiver?

        /// Sets the file sink. Open files remain open if directory and format are the same.
        package mutating func setFile(_ new: LogFileSettings?) {
            file = new
            fileChangeCount += 1
            guard let new else { return fileWriter = nil }
            if fileWriter?.hasFiles(of: new) != true { fileWriter = FileLogWriter(new) }
        }

        fileprivate func mayInclude(_ level: EventLevel, _ domain: EventDomain) -> Bool {
            console.includes(level, domain) || file?.includes(level) ?? false || custom?.mayInclude(level, domain) ?? false
        }
    }

    private struct State: Sendable {
        var setup = Setup()
        var generation: Generation?
    }

    private let engineLog: EngineLog
    private let state = Mutex(State())

    /// Creates a router that receives the messages of `engineLog`.
    package init(of engineLog: EngineLog) {
        self.engineLog = engineLog
        engineLog.setReceiver { [weak self] level, domain, message in
            self?.deliver(level, domain, message)
        }
        engineLog.setWanted(Setup().mayInclude)
    }

    // MARK: Configuration

    /// The present configuration.
    package var setup: Setup { state.withLock { $0.setup } }

    /// Changes the configuration.
    ///
    /// - Returns: `false`, without changing anything, if the other generation of the API was used before.
    package func change(by generation: Generation, _ change: (inout Setup) -> Void) -> Bool {
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
        guard let (old, new) = setups else { return false }
        if old.fileWriter !== new.fileWriter { old.fileWriter?.close() }
        if old.fileChangeCount != new.fileChangeCount, let file = new.file {
            report(new.fileWriter?.open(file, change: new.fileChangeCount))
        }
        if old.custom !== new.custom { old.custom?.flush() }
        return true
    }

    /// Waits for at most two seconds until the app has received its queued messages.
    package func flush() { setup.custom?.flush() }

    /// Allows either generation of the API to be used next.
    package func discardGeneration() { state.withLock { $0.generation = nil } }

    // MARK: Messages

    /// Passes a message to the sinks that accept it. Call it outside locks.
    package func deliver(_ level: EventLevel, _ domain: EventDomain, _ message: () -> String) {
        let setup = setup
        let isShown = setup.console.includes(level, domain)
        let writer = setup.file?.includes(level) == true ? setup.fileWriter : nil
        let custom = setup.custom.flatMap { $0.includes(level, domain) ? $0 : nil }
        guard isShown || writer != nil || custom != nil else { return }
        let text = message()
        if isShown || writer != nil {
            let line = LogLine(level, domain, text)
            if isShown { line.writeToConsole() }
            report(writer?.write(line))
        }
        custom?.deliver(level, domain, text)
    }

    /// Writes that a file cannot be written to the console.
    private func report(_ failure: String?) {
        if let failure { LogLine(.warning, .database, failure).writeToConsole() }
    }
}
