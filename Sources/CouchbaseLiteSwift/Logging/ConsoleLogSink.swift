/// What goes to standard error: a line for each message, with the time in UTC, the domain and the level.
public struct ConsoleLogSink: Sendable {
    /// The least serious level that is shown.
    public let level: LogLevel
    /// What shown messages are about.
    public let domains: LogDomains

    /// Shows messages of `level` and above about `domains`.
    public init(level: LogLevel, domains: LogDomains = .all) {
        self.level = level
        self.domains = domains
    }
}

/// What the console shows, of either generation of the API.
struct ConsoleSelection: Sendable {
    var sink: ConsoleLogSink?
    /// The levels of domains that have one of their own: the oldest API sets them so.
    var levels: [LogDomain: LogLevel] = [:]

    init(_ sink: ConsoleLogSink?) {
        self.sink = sink
    }

    func includes(_ level: LogLevel, _ domain: LogDomain) -> Bool {
        if let own = levels[domain] { return own.includes(level) }
        guard let sink, sink.domains.contains(LogDomains(domain)) else { return false }
        return sink.level.includes(level)
    }
}
