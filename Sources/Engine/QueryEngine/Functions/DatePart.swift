import Fleece

/// The units of date differences and additions (Query 3.13).
enum DatePart: String {
    case millisecond, second, minute, hour, day, week, month, quarter, year, decade, century, millennium

    init?(_ text: String?) {
        guard let text, let part = DatePart(rawValue: text.lowercased()) else { return nil }
        self = part
    }

    /// The length of the unit in months; `nil` for units of fixed duration.
    private var months: Int? {
        switch self {
        case .month: 1
        case .quarter: 3
        case .year: 12
        case .decade: 120
        case .century: 1200
        case .millennium: 12_000
        default: nil
        }
    }

    /// The length of a unit of fixed duration, in milliseconds.
    private var milliseconds: Int64 {
        switch self {
        case .second: 1000
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: CivilDate.millisecondsPerDay
        case .week: 7 * CivilDate.millisecondsPerDay
        default: 1
        }
    }

    /// Returns `left` − `right` in this unit, computed from the calendar fields, not from the elapsed time.
    func difference(_ left: CivilDate, _ right: CivilDate) -> Int64 {
        if left.milliseconds < right.milliseconds { return -difference(right, left) }
        func fields(_ date: CivilDate) -> Int64 {
            switch self {
            case .month: Int64(12 * date.year + date.month)
            case .quarter: Int64(4 * date.year + (date.month + 2) / 3)
            case .day, .week: date.daysSince1970
            case .hour: date.daysSince1970 * 24 + Int64(date.hour)
            case .minute: (date.daysSince1970 * 24 + Int64(date.hour)) * 60 + Int64(date.minute)
            case .second: date.milliseconds / 1000 - (date.milliseconds % 1000 < 0 ? 1 : 0)
            case .millisecond: date.milliseconds
            case .year, .decade, .century, .millennium: Int64(date.year)
            }
        }
        let difference = fields(left) - fields(right)
        switch self {
        case .week: return difference / 7
        case .decade: return difference / 10
        case .century: return difference / 100
        case .millennium: return difference / 1000
        default: return difference
        }
    }

    /// Returns `date` plus `count` units, in milliseconds since 1970; `nil` if the result is outside ``DateText/range``. A day that the
    /// resulting month does not have rolls over into the next month.
    func adding(_ count: Int64, to date: CivilDate) -> Int64? {
        let result: Int64
        if let months {
            let (added, overflow) = count.multipliedReportingOverflow(by: Int64(months))
            guard !overflow, abs(Double(added)) < 12e6 else { return nil }
            let total = date.year * 12 + date.month - 1 + Int(added)
            var moved = date
            moved.month = (total % 12 + 12) % 12 + 1
            moved.year = (total - (moved.month - 1)) / 12
            result = moved.milliseconds
        } else {
            let (added, overflow) = count.multipliedReportingOverflow(by: milliseconds)
            guard !overflow else { return nil }
            let (sum, sumOverflow) = date.milliseconds.addingReportingOverflow(added)
            guard !sumOverflow else { return nil }
            result = sum
        }
        return DateText.range.contains(result) ? result : nil
    }
}
