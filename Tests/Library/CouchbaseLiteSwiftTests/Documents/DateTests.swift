import Testing

@testable import CouchbaseLiteSwift

@Suite("Dates in documents")
struct DateTests {
    @Test("dates are stored as text with milliseconds, rounded to the nearest")
    func writing() throws {
        let document = MutableDocument().setDate(Date(timeIntervalSince1970: 1_540_319_581.1234), forKey: "d")
        #expect(document.string(forKey: "d") == "2018-10-23T18:33:01.123Z")
        #expect(document.value(forKey: "d") as? String == "2018-10-23T18:33:01.123Z")
        document.setValue(Date(timeIntervalSince1970: -0.0006), forKey: "e")
        #expect(document.string(forKey: "e") == "1969-12-31T23:59:59.999Z")
        let saved = try DocumentCodec().roundTrip(document)
        #expect(saved.date(forKey: "d") == Date(timeIntervalSince1970: 1_540_319_581.123))
        #expect(saved.value(forKey: "d") is String)
    }

    @Test("dates are read back to the millisecond", arguments: [0, 1, 999, 1_540_319_581_123, -62_135_596_800_000, 64_092_211_200_000])
    func roundTrip(_ milliseconds: Int64) throws {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let document = try DocumentCodec().roundTrip(MutableDocument().setDate(date, forKey: "d"))
        #expect(document.date(forKey: "d") == date)
    }

    @Test("the distant past and the distant future of Foundation can be stored")
    func distant() throws {
        let document = MutableDocument().setDate(.distantPast, forKey: "past").setDate(.distantFuture, forKey: "future")
        let stored = try DocumentCodec().roundTrip(document)
        #expect(stored.date(forKey: "past") == .distantPast)
        #expect(stored.string(forKey: "past") == "0000-12-30T00:00:00.000Z")
        #expect(stored.date(forKey: "future") == .distantFuture)
    }

    @Test("dates beyond the range of the text format are clamped")
    func extremes() {
        let document = MutableDocument()
        for interval in [Double.infinity, -.infinity, .nan, 1e300] {
            document.setDate(Date(timeIntervalSince1970: interval), forKey: "d")
            #expect(document.date(forKey: "d") != nil)
        }
        document.setDate(.distantFuture, forKey: "d")
        #expect(document.string(forKey: "d") == "4001-01-01T00:00:00.000Z")
    }

    @Test("date(forKey:) returns nil for text that is not a date", arguments: ["", "tomorrow", "12:00", "2018-02-30"])
    func noDate(_ text: String) {
        #expect(MutableDocument().setString(text, forKey: "d").date(forKey: "d") == nil)
    }
}
