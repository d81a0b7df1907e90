import LogCore

/// How serious a message of the log is. Whoever asks for a level gets it and everything above.
public enum LogLevel: UInt8, Sendable {
    /// What only developers of the library want to know.
    case debug = 0
    /// Every step. The only level, with debug, at which messages may hold queries and values out of documents.
    case verbose
    /// What happens to databases: opened, upgraded, closed, compacted.
    case info
    /// Something is not as it should be, and the work goes on.
    case warning
    /// Something failed.
    case error
    /// Nothing at all.
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

    /// The levels of messages, and so of log files.
    static let ofMessages: [LogLevel] = [.debug, .verbose, .info, .warning, .error]

    /// Whether somebody who asked for this level gets messages of `level`.
    func includes(_ level: LogLevel) -> Bool {
        self != .none && level != .none && level.rawValue >= rawValue
    }

    /// The name, as it stands in lines and in the names of files.
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
