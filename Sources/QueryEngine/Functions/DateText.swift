import Fleece
import Foundation

/// A date string as used in documents (Query 3.13): `2018-10-23T18:33:01.123Z` or parts of it.
struct DateText {
    var date = CivilDate()
    private(set) var hasDate = false
    private(set) var hasTime = false
    /// The UTC offset in minutes, positive to the east; `nil` if the text has no time zone.
    private(set) var offset: Int?
    private var separatesByT = true

    /// Parses a date string (Query 3.13); returns `nil` if it is invalid or longer than 64 bytes.
    init?(_ text: String?) {
        guard let text, text.utf8.count <= 64 else { return nil }
        var scanner = Scanner(bytes: Array(text.utf8))
        if let date = scanner.date() {
            self.date = date
            hasDate = true
            guard !scanner.isAtEnd else { return }
            separatesByT = scanner.accept(UInt8(ascii: "T"))
            guard separatesByT || scanner.acceptSpaces() else { return nil }
            // A T at the end, without a time, is accepted.
            if separatesByT, scanner.isAtEnd { return }
        }
        guard scanner.time(into: &date) else { return nil }
        hasTime = true
        _ = scanner.acceptSpaces()
        guard !scanner.isAtEnd else { return }
        guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
        self.offset = offset
    }

    /// Milliseconds since 1970. A text without a time zone is in the device's local time.
    var milliseconds: Int64 {
        let milliseconds = date.milliseconds
        guard offset == nil else { return milliseconds - Int64(offset ?? 0) * 60_000 }
        // The offset at the local time read as UTC is a first estimate, which is wrong only near a change of the offset.
        let guess = milliseconds - Self.localOffset(at: milliseconds) * 1000
        return milliseconds - Self.localOffset(at: guess) * 1000
    }

    /// The UTC offset of the device at a point in time, in seconds.
    static func localOffset(at milliseconds: Int64) -> Int64 {
        let moment = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return Int64(TimeZone.current.secondsFromGMT(for: moment))
    }

    /// Returns a point in time as text with the given UTC offset in minutes.
    ///
    /// - Parameter example: Its parts select the parts to write; `nil` writes all parts.
    static func text(of milliseconds: Int64, offset: Int, example: DateText?) -> String {
        let local = milliseconds + Int64(offset) * 60_000
        let date = CivilDate(milliseconds: local)
        var text = ""
        if example?.hasDate ?? true {
            text = (date.year < 0 ? "-" : "") + padded(abs(date.year), 4) + "-" + padded(date.month, 2) + "-"
            text += padded(date.day, 2)
        }
        guard example?.hasTime ?? true else { return text }
        if !text.isEmpty { text += example?.separatesByT ?? true ? "T" : " " }
        text += padded(date.hour, 2) + ":" + padded(date.minute, 2) + ":" + padded(date.second, 2)
        if date.millisecond != 0 { text += "." + padded(date.millisecond, 3) }
        guard example == nil || example?.offset != nil else { return text }
        if offset == 0 { return text + "Z" }
        let minutes = abs(offset)
        return text + (offset < 0 ? "-" : "+") + padded(minutes / 60, 2) + padded(minutes % 60, 2)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reads the parts of a date from left to right.
private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func accept(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func acceptSpaces() -> Bool {
        let start = position
        while accept(UInt8(ascii: " ")) {}
        return position > start
    }

    /// Reads a number of exactly `digits` digits; returns `nil` if there is none or it is not in `range`.
    private mutating func number(_ digits: Int, in range: ClosedRange<Int>) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[position..<position + digits] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        guard range.contains(number) else { return nil }
        position += digits
        return number
    }

    /// Reads a date; returns `nil` and consumes nothing if there is none.
    mutating func date() -> CivilDate? {
        let start = position
        let isNegative = accept(UInt8(ascii: "-"))
        guard let year = number(4, in: 0...9999), accept(UInt8(ascii: "-")), let month = number(2, in: 1...12),
            accept(UInt8(ascii: "-")),
            let day = number(2, in: 1...ISO8601Date.days(inMonth: month, of: isNegative ? -year : year))
        else {
            position = start
            return nil
        }
        return CivilDate(year: isNegative ? -year : year, month: month, day: day)
    }

    mutating func time(into date: inout CivilDate) -> Bool {
        guard let hour = number(2, in: 0...24), accept(UInt8(ascii: ":")), let minute = number(2, in: 0...59) else { return false }
        (date.hour, date.minute) = (hour, minute)
        guard accept(UInt8(ascii: ":")) else { return true }
        guard let second = number(2, in: 0...59) else { return false }
        date.second = second
        guard accept(UInt8(ascii: ".")) else { return true }
        var scale = 100
        let start = position
        while position < bytes.count, case let digit = bytes[position] &- 0x30, digit <= 9 {
            date.millisecond += Int(digit) * scale
            scale /= 10
            position += 1
        }
        return position > start
    }

    /// Reads a time zone, `Z`, `±HH:MM` or `±HHMM`, and returns its UTC offset in minutes.
    mutating func zone() -> Int? {
        if accept(UInt8(ascii: "Z")) { return 0 }
        let isNegative = accept(UInt8(ascii: "-"))
        guard isNegative || accept(UInt8(ascii: "+")), let hours = number(2, in: 0...14) else { return nil }
        _ = accept(UInt8(ascii: ":"))
        guard let minutes = number(2, in: 0...59) else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -1 : 1)
    }
}
