import LogCore

/// The severity of a log message. A sink receives the messages of its level and of all higher levels.
public enum LogLevel: UInt8, Sendable {
    /// Messages for developers of the library.
    case debug = 0
    /// Each step of the work. Only this level and `debug` may contain queries and values from documents.
    case verbose
    /// Events of databases, such as opening, upgrading, closing and compacting, and of replicators.
    case info
    /// A problem that does not stop the work.
    case warning
    /// A failure.
    case error
    /// No messages.
    case none
}

extension LogLevel {
    init(_ level: EventLevel) {
        switch level {
        case .debug: self = .debug
        case .verbose: self = .verbose
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }

    /// The levels that messages, and therefore log files, can have.
    static let ofMessages: [LogLevel] = [.debug, .verbose, .info, .warning, .error]

    /// Returns whether a sink of this level receives messages of `level`.
    func includes(_ level: LogLevel) -> Bool {
        self != .none && level != .none && level.rawValue >= rawValue
    }

    /// The name in log lines and file names.
    var name: String {
        switch self {
        case .debug: "debug"
        case .verbose: "verbose"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        case .none: "none"
        }
    }
}
