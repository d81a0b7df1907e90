/// A date and time in the proleptic Gregorian calendar, without a time zone.
public struct CivilDate: Equatable, Sendable {
    /// The year, counted as in ISO 8601: the year before 1 is 0.
    public var year = 2000
    /// The number of the month, from 1 to 12.
    public var month = 1
    /// The day of the month, from 1.
    public var day = 1
    /// The hour, from 0 to 23.
    public var hour = 0
    /// The minute, from 0 to 59.
    public var minute = 0
    /// The second, from 0 to 59: there are no leap seconds.
    public var second = 0
    /// 0 to 999.
    public var millisecond = 0

    /// The length of a day. There are no leap seconds.
    public static let millisecondsPerDay: Int64 = 86_400_000

    init() {}

    /// Creates the UTC date and time at a number of milliseconds since 1970. The year has at most seven digits.
    public init(milliseconds: Int64) {
        let days = (milliseconds >= 0 ? milliseconds : milliseconds - (Self.millisecondsPerDay - 1)) / Self.millisecondsPerDay
        var rest = Int(milliseconds - days * Self.millisecondsPerDay)
        (year, month, day) = Self.date(ofDay: Int(days))
        millisecond = rest % 1000
        rest /= 1000
        second = rest % 60
        minute = rest / 60 % 60
        hour = rest / 3600
    }

    /// Milliseconds since 1970, with the fields read as UTC.
    public var milliseconds: Int64 {
        daysSince1970 * Self.millisecondsPerDay + Int64((hour * 3600 + minute * 60 + second) * 1000 + millisecond)
    }

    /// Days since 1970-01-01. A day past the end of the month continues into the next month.
    ///
    /// The calculation uses years that start in March, so that the leap day is the last day of a year.
    public var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    }

    /// Returns the date of a number of days since 1970-01-01. The inverse of ``daysSince1970``.
    private static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Returns the number of days of a month.
    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
