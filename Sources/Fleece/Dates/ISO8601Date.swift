import CLibrary

/// The fields of a date as written.
package struct ISO8601Date: Equatable, Sendable {
    /// Whether year, month and day were written, and not only a time.
    package var hasDate = false
    package var year = 2000
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    /// 0 to 1000: a fraction above .9995 is rounded up to a whole second.
    package var millisecond = 0
    /// The offset of the time zone from UTC, in minutes; positive values are east of Greenwich. `nil` if no zone was written.
    package var offsetMinutes: Int?

    /// The milliseconds since 1970 in UTC. Without a zone, the fields are interpreted in the device's local time zone.
    package var milliseconds: Int64 {
        guard let offsetMinutes else { return fieldMilliseconds - Int64(localOffsetSeconds) * 1000 }
        return fieldMilliseconds - Int64(offsetMinutes) * 60000
    }

    /// The milliseconds from the start of 1970 to the fields as written, ignoring their zone.
    private var fieldMilliseconds: Int64 {
        let seconds = hour * 3600 + minute * 60 + second
        return Int64(Self.dayNumber(year, month, day)) * 86_400_000 + Int64(seconds * 1000 + millisecond)
    }

    private var localOffsetSeconds: Int {
        var time = tm()
        time.tm_year = Int32(year - 1900)
        time.tm_mon = Int32(month - 1)
        time.tm_mday = Int32(day)
        time.tm_hour = Int32(hour)
        time.tm_min = Int32(minute)
        time.tm_sec = Int32(second)
        time.tm_isdst = -1
        guard mktime(&time) != -1 || time.tm_gmtoff != 0 else { return 0 }
        return time.tm_gmtoff
    }

    // MARK: Calendar

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the number of days of a month.
    package static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since the start of 1970, in the proleptic Gregorian calendar.
    ///
    /// The calculation uses years that start in March, so that the leap day is the last day of a year.
    package static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a day number. The inverse of ``dayNumber(_:_:_:)``.
    package static func civil(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let days = dayNumber + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
