import Fleece

/// The times of log lines.
enum LogTime {
    /// Returns the time in milliseconds since 1970; `nil` if the text is no time. Faster than the formatters of Foundation.
    static func milliseconds(_ text: Substring) -> Int64? {
        guard text.first?.isNumber == true, let date = ISO8601.parse(String(text)), date.hasDate, date.hasTime else { return nil }
        return date.milliseconds
    }
}
