import ArgumentParser
import Fleece
import Foundation

extension LogFileLevel: ExpressibleByArgument {}

/// `cblite logs`
struct Logs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints log files in the order of time.",
        discussion: """
            Reads the files that an app writes with FileLogSink, with or without plain text; of a directory, all .cbllog files. The \
            files contain one level each; their messages are merged by time. A time of --since is an age such as 2h, or a time as \
            2026-12-31T18:00 (in the time zone of this machine) or 2026-12-31T18:00:00Z. --grep takes a regular expression.

            EXAMPLES:
              $ cblite logs app/logs
              $ cblite logs app/logs --level warning --since 2h
              $ cblite logs app/logs --domain replicator --grep 'retry|refused'
              $ cblite logs app/logs --follow

            With --json, one object per line for each message: time, domain, level, message.
            """
    )

    @Argument(help: ArgumentHelp("Log files and directories.", valueName: "path"), completion: .file()) var paths: [String]
    @Option(help: "The lowest level to print.") var level = LogFileLevel.debug
    @Option(
        help: ArgumentHelp(
            "Only messages of this domain: database, query, replicator, network or listener; may be repeated.",
            valueName: "domain"
        )
    )
    var domain: [String] = []
    @Option(help: ArgumentHelp("Only messages since this time, or of this age.", valueName: "time")) var since: String?
    @Option(help: ArgumentHelp("Only messages that match this regular expression.", valueName: "pattern")) var grep: String?
    @Flag(name: .shortAndLong, help: "Continue with new messages, until Ctrl-C.") var follow = false
    @OptionGroup var output: OutputOptions

    private static let domains = ["database", "query", "replicator", "network", "listener"]

    func validate() throws {
        if let since, DurationArgument.seconds(since) == nil, TimeArgument.date(since) == nil {
            throw ValidationError("--since \(since) is neither an age such as 2h nor a time such as 2026-12-31T18:00.")
        }
        if let grep, (try? NSRegularExpression(pattern: grep)) == nil {
            throw ValidationError("--grep \(grep) is not a regular expression.")
        }
        for name in domain where !Self.domains.contains(name.lowercased()) {
            let question = Suggestion.question(name, among: Self.domains) ?? "The domains are \(Self.domains.joined(separator: ", "))."
            throw ValidationError("there is no domain '\(name)'. \(question)")
        }
    }

    func run() throws {
        let filter = try self.filter()
        let logs = try LogMerge(paths)
        let output = Output()
        let style = Style(for: .standardOutput)
        func print(_ record: LogRecord) throws {
            guard filter.includes(record) else { return }
            if self.output.json { try output.line(json: json(record)) } else { try output.line(text(record, style)) }
        }
        try logs.forEach(isComplete: !follow, print)
        try output.flush()
        guard follow else { return try logs.checkFormats() }
        let stop = DispatchSemaphore(value: 0)
        let interrupt = Interrupt { _ in stop.signal() }
        defer { interrupt.cancel() }
        while stop.wait(timeout: .now() + .milliseconds(200)) == .timedOut {
            try logs.findFiles()
            try logs.forEach(isComplete: false, print)
            try output.flush()
        }
    }

    private func filter() throws -> LogFilter {
        var filter = LogFilter(level: level, domains: Set(domain.map { $0.lowercased() }))
        if let since {
            let date = DurationArgument.seconds(since).map { Date(timeIntervalSinceNow: -$0) } ?? TimeArgument.date(since)
            filter.since = date.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        }
        filter.pattern = try grep.map { try NSRegularExpression(pattern: $0) }
        return filter
    }

    private func text(_ record: LogRecord, _ style: Style) -> TerminalText {
        let level: TerminalText =
            switch record.level {
            case .error: style.red(record.level.rawValue)
            case .warning: style.yellow(record.level.rawValue)
            default: TerminalText(record.level.rawValue)
            }
        // As in the files, the lines of one message are indented.
        let message = record.message.split(separator: "\n", omittingEmptySubsequences: false).map { DisplayWidth.printable(String($0)) }
        return "\(style.faint(record.timeText)) [\(record.domain)] \(level): \(TerminalText(own: message.joined(separator: "\n\t")))"
    }

    private func json(_ record: LogRecord) -> String {
        JSONWriter.object(["time": record.timeText, "domain": record.domain, "level": record.level.rawValue, "message": record.message])
            .string
    }
}
