import Foundation

/// A level of log messages.
enum LogFileLevel: String, CaseIterable {
    case debug, verbose, info, warning, error

    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One message of a log file.
struct LogRecord {
    /// Milliseconds since 1970.
    let time: Int64
    /// The time as it is written in the file.
    let timeText: String
    let domain: String
    let level: LogFileLevel
    /// The text, which can have several lines.
    var message: String

    /// Parses the first line of a message: `2026-01-31T12:00:00.000Z [Database] info: opened …`; `nil` for any other line.
    init?(line: Substring) {
        guard let timeEnd = line.firstIndex(of: " "), let time = LogTime.milliseconds(line[..<timeEnd]) else { return nil }
        let rest = line[line.index(after: timeEnd)...]
        guard rest.first == "[", let domainEnd = rest.firstIndex(of: "]") else { return nil }
        let tail = rest[domainEnd...].dropFirst().drop { $0 == " " }
        guard let levelEnd = tail.firstIndex(of: ":"), let level = LogFileLevel(rawValue: String(tail[..<levelEnd])) else { return nil }
        self.time = time
        timeText = String(line[..<timeEnd])
        domain = String(rest[..<domainEnd].dropFirst())
        self.level = level
        message = String(tail[levelEnd...].dropFirst().drop { $0 == " " })
    }
}

/// Which messages are shown.
struct LogFilter {
    var level = LogFileLevel.debug
    /// The domains in lower case; empty means all.
    var domains: Set<String> = []
    /// Milliseconds since 1970.
    var since: Int64?
    var pattern: NSRegularExpression?

    func includes(_ record: LogRecord) -> Bool {
        guard record.level.rank >= level.rank, domains.isEmpty || domains.contains(record.domain.lowercased()) else { return false }
        if let since, record.time < since { return false }
        guard let pattern else { return true }
        return pattern.firstMatch(in: record.message, range: NSRange(record.message.startIndex..., in: record.message)) != nil
    }
}
