import Base
import Foundation
import LogOutput
import Synchronization
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

/// Contains all tests of logging, which run one after the other, because the process has one log.
@Suite("Logging", .serialized, .receivesProcessLog)
enum LoggingTests {}

/// The initial log, but with a silent console; the initial log is restored when the last reference is released.
final class FreshLog {
    init() {
        reset()
        LogSinks.console = nil
        LogSinks._resetApiVersion()
    }

    deinit { reset() }

    func reset() {
        LogSinks._resetApiVersion()
        Database.log.file.config = nil
        Database.log.file.level = .none
        LogSinks._resetApiVersion()
        LogSinks.file = nil
        LogSinks.custom = nil
        LogSinks.console = ConsoleLogSink(level: .warning)
        LogSinks._resetApiVersion()
    }
}

/// A sink of either generation of the API that stores the received messages.
final class KeepingSink: LogSinkProtocol, Logger, Sendable {
    struct Message: Equatable, Sendable {
        let level: LogLevel
        let domain: LogDomain
        let text: String
    }

    private struct State {
        var messages: [Message] = []
        var level: LogLevel
    }
    private let state: Mutex<State>

    init(level: LogLevel = .debug) {
        state = Mutex(State(level: level))
    }

    var level: LogLevel {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        state.withLock { $0.messages.append(Message(level: level, domain: domain, text: message)) }
    }

    func log(level: LogLevel, domain: LogDomain, message: String) {
        writeLog(level: level, domain: domain, message: message)
    }

    /// The messages that contain `text`: other tests cause messages at the same time.
    func messages(with text: String) -> [Message] {
        state.withLock { $0.messages.filter { $0.text.contains(text) } }
    }
}

/// Logs a message at every level for every domain.
func logEverything(_ message: String) {
    for domain in LogDomain.allCases {
        for level in LogLevel.ofMessages { Log.log(domain: domain, level: level, message: message) }
    }
}

extension Log {
    /// Logs a message, as the library itself does.
    static func log(domain: LogDomain, level: LogLevel, message: String) {
        guard let level = level.event, let domain = EventDomain(rawValue: domain.rawValue) else { return }
        LogRouter.shared.deliver(level, domain) { message }
    }
}

extension LogLevel {
    /// The levels that messages can have.
    static let ofMessages = EventLevel.allCases.map(LogLevel.init)
}

extension LogDomain {
    static let allCases = EventDomain.allCases.map(LogDomain.init)
}
