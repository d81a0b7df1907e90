import LogOutput

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

extension ConsoleLogSink {
    init(_ selection: LogSelection) { self.init(level: LogLevel(selection.level), domains: LogDomains(rawValue: selection.domains)) }

    var selection: LogSelection { LogSelection(level: level.event, domains: domains.rawValue) }
}
