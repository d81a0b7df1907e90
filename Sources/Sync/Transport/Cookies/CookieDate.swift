#if Replication
import Base

/// Parses the dates of cookies (Replication 1.3): `Wed, 21 Oct 2015 07:28:00 GMT`, the same with dashes or a two-digit year, and asctime's
/// `Wed Oct 21 07:28:00 2015`. As in RFC 6265, 5.1.1, the parts are recognized by their form and may be in any order.
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Returns the seconds since 1970, or `nil` if the text is not a date.
    static func seconds(_ text: String) -> Double? {
        guard text.utf8.count <= 64 else { return nil }
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        let tokens = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":")) }
        for token in tokens {
            if time == nil, let found = timeOfDay(token) {
                time = found
            } else if month == nil, let found = months.firstIndex(of: String(token.prefix(3)).asciiLowercased) {
                month = found + 1
            } else if let number = Int(token), token.utf8.allSatisfy(\.isDigit) {
                if day == nil, token.count <= 2 {
                    day = number
                } else if year == nil, token.count == 2 || token.count == 4 {
                    year = token.count == 4 ? number : number + (number < 70 ? 2000 : 1900)
                }
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), (1601...9999).contains(year) else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Double(((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second)
    }

    private static func timeOfDay(_ token: Substring) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ (1...2).contains($0.count) && $0.utf8.allSatisfy(\.isDigit) })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else { return nil }
        return (numbers[0], numbers[1], numbers[2])
    }

    /// Returns the days since 1970-01-01 in the Gregorian calendar. The calculation uses years that start in March, so that the leap day is
    /// the last day of a year.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
#endif
