package import Fleece
package import Foundation

extension Date {
    /// Creates the moment that `date` describes; `nil` for a time without a date (API 1.4).
    package init?(_ date: ISO8601Date) {
        guard date.hasDate else { return nil }
        self.init(timeIntervalSince1970: Double(date.milliseconds) / 1000)
    }

    /// Milliseconds since 1970-01-01 00:00 UTC, rounded to the nearest, half away from zero.
    package var milliseconds: Int64 { Int64(clamping: (timeIntervalSince1970 * 1000).rounded()) }

    /// The text with which dates of documents are compared: that of the nearest date that a document can contain (API 1.4).
    package var compared: String { ISO8601.string(nearest: timeIntervalSince1970) }
}

extension Date: AdaptedScalar {
    var adapted: ScalarValue { .date(timeIntervalSince1970) }

    init?(adapted value: Value) {
        guard let date = value.date else { return nil }
        self = date
    }

    static var expected: String { "a date" }
    static var expectedText: String { "an ISO-8601 date" }
}
