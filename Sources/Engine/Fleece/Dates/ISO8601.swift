/// Parses dates from text (Query 3.13).
///
/// The format is `YYYY-MM-DD[(T| )HH:MM[:SS[.fff…]][zone]]`, or only a time: `HH:MM[:SS[.fff…]][zone]`. A zone is `Z`, `±HH:MM` or `±HHMM`,
/// and may be preceded by spaces. A `-` before the year makes it negative. The digits of a fraction after the third are ignored. Any other
/// text is not a date.
public enum ISO8601 {
    /// The rules in which the dates of documents and those of the query functions differ (Query 3.13).
    public enum Rules: Sendable {
        /// The zone can be `z`.
        case documents
        /// A `T` may follow the date without a time.
        case queries
    }

    /// Returns the date in a UTF-8 text, or `nil` if the text is not a date.
    public static func parse(_ text: UnsafeRawBufferPointer) -> ISO8601Date? {
        parse(text, by: .documents)
    }

    /// Returns the date in a text, or `nil` if the text is not a date.
    public static func parse(_ text: String, by rules: Rules = .documents) -> ISO8601Date? {
        var text = text
        return text.withUTF8 { parse(UnsafeRawBufferPointer($0), by: rules) }
    }

    private static func parse(_ text: UnsafeRawBufferPointer, by rules: Rules) -> ISO8601Date? {
        var cursor = Cursor(bytes: text, rules: rules)
        return cursor.date()
    }
}

/// The position of the parser in the text.
private struct Cursor {
    let bytes: UnsafeRawBufferPointer
    let rules: ISO8601.Rules
    var position = 0

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpaces() -> Bool {
        let start = position
        while skip(UInt8(ascii: " ")) {}
        return position > start
    }

    /// Parses exactly `count` digits. Returns `nil` if the number is not in `range`.
    mutating func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for index in position..<(position + count) {
            let digit = Int(bytes[index]) - 48
            guard 0...9 ~= digit else { return nil }
            value = value * 10 + digit
        }
        guard range.contains(value) else { return nil }
        position += count
        return value
    }

    mutating func date() -> ISO8601Date? {
        var date = ISO8601Date(CivilDate(), hasDate: false, hasTime: false, offsetMinutes: nil)
        if yearMonthDay(&date.fields) {
            date.hasDate = true
            if position == bytes.count { return date }
            date.isSeparatedByT = skip(UInt8(ascii: "T"))
            guard date.isSeparatedByT || skipSpaces() else { return nil }
            if rules == .queries, date.isSeparatedByT, position == bytes.count { return date }
        } else {
            position = 0
        }
        guard time(&date.fields), zone(&date) else { return nil }
        date.hasTime = true
        return position == bytes.count ? date : nil
    }

    private mutating func yearMonthDay(_ date: inout CivilDate) -> Bool {
        let isNegative = skip(UInt8(ascii: "-"))
        guard let year = number(4, 0...9999), skip(UInt8(ascii: "-")), let month = number(2, 1...12),
            skip(UInt8(ascii: "-")), let day = number(2, 1...31)
        else { return false }
        date.year = isNegative ? -year : year
        date.month = month
        date.day = day
        return day <= CivilDate.days(inMonth: month, of: date.year)
    }

    private mutating func time(_ date: inout CivilDate) -> Bool {
        guard let hour = number(2, 0...24), skip(UInt8(ascii: ":")), let minute = number(2, 0...59) else { return false }
        date.hour = hour
        date.minute = minute
        if skip(UInt8(ascii: ":")) {
            guard let second = number(2, 0...59) else { return false }
            date.second = second
            if skip(UInt8(ascii: ".")) { return fraction(&date) }
        }
        return true
    }

    /// Parses a fraction in milliseconds. The digits after the third do not change the result, but must be digits.
    private mutating func fraction(_ date: inout CivilDate) -> Bool {
        var value = 0
        var digits = 0
        while let byte = next, case let digit = Int(byte) - 48, 0...9 ~= digit {
            if digits < 3 { value = value * 10 + digit }
            digits += 1
            position += 1
        }
        guard digits > 0 else { return false }
        for _ in min(digits, 3)..<3 { value *= 10 }
        date.millisecond = value
        return true
    }

    private mutating func zone(_ date: inout ISO8601Date) -> Bool {
        _ = skipSpaces()
        guard let sign = next else { return true }
        position += 1
        switch sign {
        case UInt8(ascii: "Z"),
            UInt8(ascii: "z") where rules == .documents:
            date.offsetMinutes = 0
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard let hours = number(2, 0...14) else { return false }
            _ = skip(UInt8(ascii: ":"))
            guard let minutes = number(2, 0...59) else { return false }
            date.offsetMinutes = (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
        default:
            return false
        }
        return true
    }
}
