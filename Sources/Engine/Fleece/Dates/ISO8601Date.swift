import Base

/// A date as written: its fields, and which of them were given.
public struct ISO8601Date: Equatable, Sendable {
    /// The fields. Those that were not written are those of the start of the year 2000.
    public var fields: CivilDate
    /// Whether a date was written, and not only a time.
    public var hasDate: Bool
    /// Whether a time was written, and not only a date.
    public var hasTime: Bool
    /// Whether a `T` is between date and time, instead of spaces.
    public var isSeparatedByT: Bool
    /// The offset of the time zone from UTC, in minutes; positive values are east of Greenwich. `nil` if no zone was written.
    public var offsetMinutes: Int?

    public init(_ fields: CivilDate, hasDate: Bool = true, hasTime: Bool = true, isSeparatedByT: Bool = true, offsetMinutes: Int?) {
        self.fields = fields
        self.hasDate = hasDate
        self.hasTime = hasTime
        self.isSeparatedByT = isSeparatedByT
        self.offsetMinutes = offsetMinutes
    }

    /// The milliseconds since 1970 in UTC. Without a zone, the fields are interpreted in the device's local time zone.
    public var milliseconds: Int64 {
        guard let offsetMinutes else { return fields.milliseconds - Int64(localOffsetSeconds) * 1000 }
        return fields.milliseconds - Int64(offsetMinutes) * 60000
    }

    private var localOffsetSeconds: Int {
        var time = tm()
        time.tm_year = Int32(fields.year - 1900)
        time.tm_mon = Int32(fields.month - 1)
        time.tm_mday = Int32(fields.day)
        time.tm_hour = Int32(fields.hour)
        time.tm_min = Int32(fields.minute)
        time.tm_sec = Int32(fields.second)
        time.tm_isdst = -1
        guard mktime(&time) != -1 || time.tm_gmtoff != 0 else { return 0 }
        return time.tm_gmtoff
    }
}
