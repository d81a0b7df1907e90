extension ISO8601 {
    /// The times whose years have four digits, `-9999-01-01` to `9999-12-31T23:59:59.999Z`, in milliseconds since 1970. Others cannot be
    /// written.
    package static let range: ClosedRange<Int64> = -377_705_116_800_000...253_402_300_799_999

    /// Returns a time, in milliseconds since 1970, as `yyyy-MM-ddTHH:mm:ss.SSSZ`, the format of dates in documents (API 1.4). The time is
    /// clamped to ``range``.
    package static func string(milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            var writer = Writer(buffer: buffer)
            writer.write(ISO8601Date(milliseconds: milliseconds, offsetMinutes: 0), fraction: .always)
            return writer.count
        }
    }

    /// Determines whether fractions of a second are written.
    package enum Fraction: Sendable {
        /// Always, with three digits.
        case always
        /// Only if the fraction is not zero, with three digits.
        case whenNotZero
    }

    /// Returns the parts of `date` that its ``ISO8601Date/parts`` contain, followed by its time zone if it has one: `Z`, or `±HHMM` (Query
    /// 3.13).
    package static func string(_ date: ISO8601Date, fraction: Fraction) -> String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            var writer = Writer(buffer: buffer)
            writer.write(date, fraction: fraction)
            return writer.count
        }
    }

    static func clamp(_ milliseconds: Int64) -> Int64 {
        min(max(milliseconds, range.lowerBound), range.upperBound)
    }
}

/// Writes a date. The result has at most 29 bytes: `-YYYY-MM-DDTHH:MM:SS.mmm±HHMM`.
private struct Writer {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    mutating func number(_ value: Int, digits: Int) {
        var rest = value
        for index in (0..<digits).reversed() {
            buffer[count + index] = UInt8(48 + rest % 10)
            rest /= 10
        }
        count += digits
    }

    mutating func write(_ date: ISO8601Date, fraction: ISO8601.Fraction) {
        if date.parts.contains(.date) {
            if date.year < 0 { append(UInt8(ascii: "-")) }
            number(abs(date.year), digits: 4)
            append(UInt8(ascii: "-"))
            number(date.month, digits: 2)
            append(UInt8(ascii: "-"))
            number(date.day, digits: 2)
        }
        guard date.parts.contains(.time) else { return }
        if date.parts.contains(.date) {
            append(date.parts.contains(.separatorT) ? UInt8(ascii: "T") : UInt8(ascii: " "))
        }
        number(date.hour, digits: 2)
        append(UInt8(ascii: ":"))
        number(date.minute, digits: 2)
        if date.parts.contains(.seconds) {
            append(UInt8(ascii: ":"))
            number(date.second, digits: 2)
            if fraction == .always || date.millisecond != 0 {
                append(UInt8(ascii: "."))
                number(date.millisecond, digits: 3)
            }
        }
        writeZone(date.offsetMinutes)
    }

    private mutating func writeZone(_ offset: Int?) {
        guard let offset else { return }
        guard offset != 0 else { return append(UInt8(ascii: "Z")) }
        append(UInt8(ascii: offset < 0 ? "-" : "+"))
        number(abs(offset) / 60, digits: 2)
        number(abs(offset) % 60, digits: 2)
    }
}
