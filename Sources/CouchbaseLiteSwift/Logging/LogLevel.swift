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

// The levels that messages can have are the cases of `EventLevel`, with the same raw values.
extension LogLevel {
    init(_ level: EventLevel?) { self = level.flatMap { LogLevel(rawValue: $0.rawValue) } ?? .none }

    /// The level of messages; `nil` for ``none``.
    var event: EventLevel? { EventLevel(rawValue: rawValue) }
}
