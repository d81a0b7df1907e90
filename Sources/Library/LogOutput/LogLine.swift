package import Base
import Fleece
package import Foundation

/// A message as it is written to the console and to files.
package struct LogLine {
    /// The level, which determines the file.
    package let level: EventLevel
    private let text: String

    init(_ level: EventLevel, _ domain: EventDomain, _ message: String, at date: Date = Date()) {
        self.level = level
        let time = ISO8601.string(milliseconds: date.milliseconds)
        // A message of several lines must not look like several messages.
        let message = message.contains(where: \.isNewline) ? Self.indented(message) : message
        text = "\(time) [\(domain.name)] \(level.name): \(message)\n"
    }

    /// The line including its line feed, in UTF-8.
    package var utf8: Data { Data(text.utf8) }

    func writeToConsole() {
        // A failure to write to standard error cannot be reported anywhere.
        try? FileHandle.standardError.write(contentsOf: utf8)
    }

    private static func indented(_ message: String) -> String {
        message.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n\t")
    }
}

extension Date {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    var milliseconds: Int64 { Int64(clamping: (timeIntervalSince1970 * 1000).rounded()) }
}

extension EventLevel {
    /// The name in log lines and file names.
    var name: String {
        switch self {
        case .debug: "debug"
        case .verbose: "verbose"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

extension EventDomain {
    fileprivate var name: String {
        switch self {
        case .database: "Database"
        case .query: "Query"
        case .replicator: "Replicator"
        case .network: "Network"
        case .listener: "Listener"
        }
    }
}
