import LogCore

/// Writes log messages to standard error: one line per message, with the time in UTC, the domain and the level.
public struct ConsoleLogSink: Sendable {
    /// The minimum level of the messages that are written.
    public let level: LogLevel
    /// The domains of the messages that are written.
    public let domains: LogDomains

    /// Creates a sink for messages of `level` and above about `domains`. Default: all domains.
    public init(level: LogLevel, domains: LogDomains = .all) {
        self.level = level
        self.domains = domains
    }
}

/// The messages that are written to the console, as set by either generation of the API.
struct ConsoleSelection: Sendable {
    var sink: ConsoleLogSink?
    /// The levels of domains that have their own level, which the oldest API sets.
    var levels: [EventDomain: LogLevel] = [:]

    init(_ sink: ConsoleLogSink?) {
        self.sink = sink
    }

    func includes(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        if let own = levels[domain] { return own.includes(level) }
        guard let sink, sink.domains.contains(LogDomains(domain)) else { return false }
        return sink.level.includes(level)
    }
}
