/// Parses dates from text (Query 3.13), and writes them.
///
/// The format is `YYYY-MM-DD[(T| )HH:MM[:SS[.fff…]][zone]]`, or only a time: `HH:MM[:SS[.fff…]][zone]`. A zone is `Z`, `±HH:MM` or `±HHMM`,
/// and may be preceded by spaces. A `-` before the year makes it negative. Any other text is not a date.
package enum ISO8601 {
    /// Returns the date in a UTF-8 text, or `nil` if the text is not a date.
    package static func parse(_ text: UnsafeRawBufferPointer) -> ISO8601Date? {
        var cursor = Cursor(bytes: text)
        return cursor.date()
    }

    /// Returns the date in a text, or `nil` if the text is not a date.
    package static func parse(_ text: String) -> ISO8601Date? {
        var text = text
        return text.withUTF8 { parse(UnsafeRawBufferPointer($0)) }
    }
}

extension ISO8601 {
    /// The times whose years have four digits, `-9999-01-01` to `9999-12-31T23:59:59.999Z`, in milliseconds since 1970. Others cannot be
    /// written.
    package static let range: ClosedRange<Int64> = -377_705_116_800_000...253_402_300_799_999

    /// Returns a time, in milliseconds since 1970, as `yyyy-MM-ddTHH:mm:ss.SSSZ`, the format of dates in documents (API 1.4). The time is
    /// clamped to ``range``.
    package static func string(milliseconds: Int64) -> String {
        let time = min(max(milliseconds, range.lowerBound), range.upperBound)
        let dayNumber = (time >= 0 ? time : time - 86_399_999) / 86_400_000
        let rest = Int(time - dayNumber * 86_400_000)
        let (year, month, day) = ISO8601Date.civil(Int(dayNumber))
        return String(unsafeUninitializedCapacity: 32) { buffer in
            var writer = Writer(buffer: buffer)
            if year < 0 { writer.append("-") }
            writer.append(abs(year), digits: 4, "-")
            writer.append(month, digits: 2, "-")
            writer.append(day, digits: 2, "T")
            writer.append(rest / 3_600_000, digits: 2, ":")
            writer.append(rest / 60_000 % 60, digits: 2, ":")
            writer.append(rest / 1000 % 60, digits: 2, ".")
            writer.append(rest % 1000, digits: 3, "Z")
            return writer.count
        }
    }

    private struct Writer {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func append(_ character: Unicode.Scalar) {
            buffer[count] = UInt8(ascii: character)
            count += 1
        }

        /// Appends a number with leading zeros, and the character after it.
        mutating func append(_ number: Int, digits: Int, _ mark: Unicode.Scalar) {
            var rest = number
            for index in (0..<digits).reversed() {
                buffer[count + index] = UInt8(48 + rest % 10)
                rest /= 10
            }
            count += digits
            append(mark)
        }
    }
}

/// The position of the parser in the text.
private struct Cursor {
    let bytes: UnsafeRawBufferPointer
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
        var date = ISO8601Date()
        let start = position
        if yearMonthDay(&date) {
            date.hasDate = true
            if position == bytes.count { return date }
            guard skip(UInt8(ascii: "T")) || skipSpaces() else { return nil }
        } else {
            position = start
        }
        guard time(&date) else { return nil }
        return position == bytes.count ? date : nil
    }

    private mutating func yearMonthDay(_ date: inout ISO8601Date) -> Bool {
        let isNegative = skip(UInt8(ascii: "-"))
        guard let year = number(4, 0...9999), skip(UInt8(ascii: "-")), let month = number(2, 1...12),
            skip(UInt8(ascii: "-")), let day = number(2, 1...31)
        else { return false }
        date.year = isNegative ? -year : year
        date.month = month
        date.day = day
        return day <= ISO8601Date.days(inMonth: month, of: date.year)
    }

    private mutating func time(_ date: inout ISO8601Date) -> Bool {
        guard let hour = number(2, 0...24), skip(UInt8(ascii: ":")), let minute = number(2, 0...59) else { return false }
        date.hour = hour
        date.minute = minute
        if skip(UInt8(ascii: ":")) {
            guard let second = number(2, 0...59) else { return false }
            date.second = second
            if skip(UInt8(ascii: ".")) {
                guard fraction(&date) else { return false }
            }
        }
        return zone(&date)
    }

    /// Parses a fraction and rounds it to milliseconds, half away from zero. Digits after the ninth do not change the result, but must be
    /// digits.
    private mutating func fraction(_ date: inout ISO8601Date) -> Bool {
        var value = 0
        var digits = 0
        while let byte = next, case let digit = Int(byte) - 48, 0...9 ~= digit {
            if digits < 9 { value = value * 10 + digit }
            digits += 1
            position += 1
        }
        guard digits > 0 else { return false }
        for _ in min(digits, 9)..<9 { value *= 10 }
        date.millisecond = (value + 500_000) / 1_000_000
        return true
    }

    private mutating func zone(_ date: inout ISO8601Date) -> Bool {
        _ = skipSpaces()
        guard let sign = next else { return true }
        position += 1
        switch sign {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
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
