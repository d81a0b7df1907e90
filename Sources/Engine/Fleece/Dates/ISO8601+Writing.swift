extension ISO8601 {
    /// The times that documents can contain, `0000-01-01` to `9999-12-31T23:59:59.999Z`, in milliseconds since 1970: the order of their texts
    /// is that of the times. Foundation's `Date.distantPast` is one of them, `0000-12-30`.
    public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Returns the time that a document contains for a date in seconds since 1970: rounded to milliseconds, half away from zero. `nil` if it
    /// is not in ``range``.
    public static func storedMilliseconds(seconds: Double) -> Int64? {
        guard let milliseconds = Int64(exactly: (seconds * 1000).rounded()), range.contains(milliseconds) else { return nil }
        return milliseconds
    }

    /// Returns a time, in milliseconds since 1970, as `yyyy-MM-ddTHH:mm:ss.SSSZ`, the format of dates in documents (API 1.4). The time is
    /// clamped to ``range``: a document must not contain it then, see ``storedMilliseconds(seconds:)``.
    public static func string(milliseconds: Int64) -> String {
        let clamped = min(max(milliseconds, range.lowerBound), range.upperBound)
        return string(ISO8601Date(CivilDate(milliseconds: clamped), offsetMinutes: 0), omittingZeroFraction: false)
    }

    /// Returns the text of the date in ``range`` that is nearest to a date in seconds since 1970, for comparisons with dates of documents.
    public static func string(nearest seconds: Double) -> String {
        string(milliseconds: Int64(clamping: (seconds * 1000).rounded()))
    }

    /// Returns the parts that `date` has, followed by its time zone if it has one: `Z`, or `±HHMM` (Query 3.13).
    public static func string(_ date: ISO8601Date, omittingZeroFraction: Bool) -> String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            var writer = Writer(buffer: buffer)
            writer.write(date, omittingZeroFraction: omittingZeroFraction)
            return writer.count
        }
    }
}

/// Writes a date. The result has at most 32 bytes: `-YYYY-MM-DDTHH:MM:SS.mmm±HHMM`, with up to three more digits of the year.
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

    mutating func write(_ date: ISO8601Date, omittingZeroFraction: Bool) {
        let fields = date.fields
        if date.hasDate {
            if fields.year < 0 { append(UInt8(ascii: "-")) }
            let year = abs(fields.year)
            number(year, digits: year < 10_000 ? 4 : year < 100_000 ? 5 : year < 1_000_000 ? 6 : 7)
            append(UInt8(ascii: "-"))
            number(fields.month, digits: 2)
            append(UInt8(ascii: "-"))
            number(fields.day, digits: 2)
        }
        guard date.hasTime else { return }
        if date.hasDate { append(UInt8(ascii: date.isSeparatedByT ? "T" : " ")) }
        number(fields.hour, digits: 2)
        append(UInt8(ascii: ":"))
        number(fields.minute, digits: 2)
        append(UInt8(ascii: ":"))
        number(fields.second, digits: 2)
        if !omittingZeroFraction || fields.millisecond != 0 {
            append(UInt8(ascii: "."))
            number(fields.millisecond, digits: 3)
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
