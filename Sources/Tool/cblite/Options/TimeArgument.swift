import Foundation

/// A length of time on the command line, such as `90d` or `1h30m`.
enum DurationArgument {
    private static let seconds: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Returns the number of seconds; `nil` for any other text.
    static func seconds(_ text: String) -> Double? {
        var rest = text[...]
        var total = 0.0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(digits.count)
            guard let number = Double(digits), let unit = rest.popFirst(), let factor = seconds[unit] else { return nil }
            total += number * factor
        } while !rest.isEmpty
        // A hundred thousand years.
        return total <= 3.2e12 ? total : nil
    }
}

/// A point in time on the command line: ISO 8601, in which the time of day and the offset may be omitted.
enum TimeArgument {
    /// The forms besides those with an offset. They are in the time zone of this machine, as people write times.
    private static let localForms = ["yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd"]

    /// Returns the time; `nil` for any other text.
    static func date(_ text: String) -> Date? {
        let text = text.replacingOccurrences(of: " ", with: "T")
        // The formatters accept longer numbers as years, and return another time for them.
        guard text.prefix(while: { $0.isASCII && $0.isNumber }).count == 4 else { return nil }
        for options: ISO8601DateFormatter.Options in [.withInternetDateTime, [.withInternetDateTime, .withFractionalSeconds]] {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = options
            if let date = formatter.date(from: text) { return date }
        }
        for form in localForms {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.dateFormat = form
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }

    /// Returns the time in UTC: `2026-01-31T12:00:00.000Z`.
    static func text(milliseconds: Int64) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
