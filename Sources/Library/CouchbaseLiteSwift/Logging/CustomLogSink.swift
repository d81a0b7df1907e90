import LogOutput

/// A log sink that is implemented by the app.
@preconcurrency public protocol LogSinkProtocol: Sendable {
    /// Receives a log message.
    ///
    /// Called on the thread that logs the message, which can be any thread, and concurrently on several threads. The
    /// implementation may use databases; messages that are logged by these calls are not passed to it. No lock is held,
    /// except that of a batch in which the message is logged.
    ///
    /// Threads that handle the I/O of all connections do not wait for the sink: their messages are passed on a separate
    /// serial queue, in order, and may arrive slightly later than messages that other threads log at the same time. At
    /// most 10,000 of these messages are queued for a slow sink; then new ones are dropped, and a warning (an error, if
    /// all of them are errors) in the domain of the first one reports their number. When the sink is replaced, and when
    /// the process ends with `exit`, queued messages are delivered first; this waits for at most two seconds.
    ///
    /// - Parameters:
    ///   - level: The level of the message.
    ///   - domain: The domain of the message.
    ///   - message: The text, which can contain several lines.
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}

/// Passes log messages to code of the app.
public struct CustomLogSink: Sendable {
    /// The minimum level of the messages that are passed.
    public let level: LogLevel
    /// The domains of the messages that are passed.
    public let domains: LogDomains
    /// The receiver of the messages.
    public let logSink: any LogSinkProtocol

    /// Creates a sink that passes messages of `level` and above, about all domains, to `logSink`.
    public init(level: LogLevel, logSink: any LogSinkProtocol) { self.init(level: level, domains: .all, logSink: logSink) }

    /// Creates a sink that passes messages of `level` and above about `domains` to `logSink`.
    public init(level: LogLevel, domains: LogDomains, logSink: any LogSinkProtocol) {
        (self.level, self.domains, self.logSink) = (level, domains, logSink)
    }
}

extension CustomReceiver {
    convenience init(_ sink: CustomLogSink) {
        let selection = LogSelection(level: sink.level.event, domains: sink.domains.rawValue)
        self.init(sink, selection, level: { selection.level }) { level, domain, message in
            sink.logSink.writeLog(level: LogLevel(level), domain: LogDomain(domain), message: message)
        }
    }

    @available(*, deprecated, message: "Use a sink")
    convenience init(_ logger: any Logger) {
        self.init(logger, level: { logger.level.event }) { level, domain, message in
            logger.log(level: LogLevel(level), domain: LogDomain(domain), message: message)
        }
    }

    var sink: CustomLogSink? { consumer as? CustomLogSink }
    @available(*, deprecated, message: "Use a sink")
    var logger: (any Logger)? { consumer as? any Logger }
}
