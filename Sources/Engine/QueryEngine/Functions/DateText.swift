import Fleece
import Foundation

/// Reads and writes the date strings of the query functions (Query 3.13): `2018-10-23T18:33:01.123Z` or parts of it.
enum DateText {
    /// The range of times that functions accept, in milliseconds since 1970. Beyond it a double does not represent every integer.
    static let range: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// Parses a date string; returns `nil` if it is invalid or longer than 64 bytes.
    static func date(_ text: String?) -> ISO8601Date? {
        guard let text, text.utf8.count <= 64 else { return nil }
        return ISO8601.parse(text, by: .queries)
    }

    /// Returns the milliseconds since 1970 of a date. A date without a time zone is in the local time of `zone`.
    static func milliseconds(of date: ISO8601Date, in zone: TimeZone) -> Int64 {
        guard date.offsetMinutes == nil else { return date.milliseconds }
        // The offset at the local time read as UTC is a first estimate, which is wrong only near a change of the offset.
        let local = date.fields.milliseconds
        let estimate = local - offset(of: zone, at: local) * 1000
        return local - offset(of: zone, at: estimate) * 1000
    }

    /// The UTC offset of a time zone at a point in time, in seconds.
    static func offset(of zone: TimeZone, at milliseconds: Int64) -> Int64 {
        let moment = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return Int64(zone.secondsFromGMT(for: moment))
    }

    /// Returns a point in time as text with the given UTC offset in minutes.
    ///
    /// - Parameter example: Its parts select the parts to write; `nil` writes all parts.
    static func text(of milliseconds: Int64, offset: Int, example: ISO8601Date?) -> String {
        let fields = CivilDate(milliseconds: milliseconds + Int64(offset) * 60_000)
        var date = example ?? ISO8601Date(fields, offsetMinutes: offset)
        date.fields = fields
        if date.offsetMinutes != nil { date.offsetMinutes = offset }
        return ISO8601.string(date, omittingZeroFraction: true)
    }
}
