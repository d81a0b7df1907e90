import Fleece

/// A message as it is written to the console and to files.
struct LogLine {
    let level: LogLevel
    private let text: String

    init(_ level: LogLevel, _ domain: LogDomain, _ message: String, at date: Date = Date()) {
        self.level = level
        let time = ISO8601.string(milliseconds: date.milliseconds)
        // A message of several lines must not look like several messages.
        let message = message.contains(where: \.isNewline) ? Self.indented(message) : message
        text = "\(time) [\(domain.name)] \(level.name): \(message)\n"
    }

    /// The line including its line feed, in UTF-8.
    var utf8: Data { Data(text.utf8) }

    func writeToConsole() {
        // A failure to write to standard error cannot be reported anywhere.
        try? FileHandle.standardError.write(contentsOf: utf8)
    }

    private static func indented(_ message: String) -> String {
        message.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n\t")
    }
}
