import Fleece
import Foundation
import TestSupport
import Testing

@Suite("ISO 8601 dates")
struct ISO8601Tests {
    @Test(
        "dates are parsed from every form of the grammar",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00Z", 0), ("1970-01-01 00:00:00Z", 0),
            ("1970-01-01   00:00:00  Z", 0), ("2018-10-23T18:33:01.123Z", 1_540_319_581_123),
            ("2018-10-23T11:33:01+03:30", 1_540_281_781_000), ("2018-10-23T11:33:01+0330", 1_540_281_781_000),
            ("2018-10-23T04:33:01-03:30", 1_540_281_781_000), ("2000-02-29T24:00:00Z", 951_868_800_000),
            ("1969-12-31T23:59:59.999Z", -1), ("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:00.0004Z", 0),
            ("1970-01-01T00:00:00.0009Z", 0), ("1970-01-01T00:00:00.99951234567890123Z", 999),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("-9999-01-01T00:00:00Z", -377_705_116_800_000),
            ("-0001-03-01T00:00:00Z", -62_193_657_600_000), ("0000-02-29T00:00:00Z", -62_162_121_600_000),
        ]
    )
    func reading(_ text: String, _ milliseconds: Int64) {
        #expect(ISO8601.parse(text)?.milliseconds == milliseconds)
    }

    @Test(
        "any other text is not a date",
        arguments: [
            "", "bogus", "2018", "2018-10", "2018-1-1", "2018-13-01", "2018-00-01", "2018-01-32", "2018-01-00",
            "2018-02-29", "1900-02-29", "2018-04-31", "2018-10-23T", "2018-10-23T18", "2018-10-23T18:",
            "2018-10-23T18:3",
            "2018-10-23T25:00", "2018-10-23T18:60", "2018-10-23T18:33:60", "2018-10-23T18:33:01.",
            "2018-10-23T18:33:01.Z",
            "2018-10-23T18:33:01+15:00", "2018-10-23T18:33:01+03:60", "2018-10-23T18:33:01+3", "2018-10-23T18:33:01Zx",
            "2018-10-23T18:33:01 ZZ", "2018-10-23Z", "2018-10-23x18:33", " 2018-10-23", "2018-10-23 ", "+2018-10-23",
            "--018-10-23", "２０１８-10-23",
        ]
    )
    func refusing(_ text: String) {
        #expect(ISO8601.parse(text) == nil)
    }

    @Test("a parsed date records which parts the text has")
    func parts() throws {
        func parts(_ text: String) throws -> [Bool] {
            let date = try #require(ISO8601.parse(text))
            return [date.hasDate, date.hasTime, date.hasDate && date.hasTime && date.isSeparatedByT]
        }
        #expect(try parts("2018-10-23") == [true, false, false])
        #expect(try parts("18:33") == [false, true, false])
        #expect(ISO8601.parse("18:33:01.5+01:00")?.offsetMinutes == 60)
        #expect(try parts("2018-10-23T18:33") == [true, true, true])
        #expect(try parts("2018-10-23 18:33") == [true, true, false])
        #expect(ISO8601.parse("2018-10-23 18:33")?.offsetMinutes == nil)
    }

    @Test("queries and documents read a fraction below a millisecond alike")
    func fractions() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<1_000 {
            let digits = (0..<Int.random(in: 1...12, using: &random)).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            let text = "2018-10-23T18:33:01.\(digits)Z"
            let milliseconds = Int64((digits + "00").prefix(3))
            #expect(ISO8601.parse(text)?.milliseconds == milliseconds.map { 1_540_319_581_000 + $0 }, "\(text)")
            #expect(ISO8601.parse(text, by: .queries) == ISO8601.parse(text))
        }
    }

    @Test("the rules of queries accept a final T, and refuse a small z")
    func queryRules() {
        #expect(ISO8601.parse("2018-10-23T", by: .queries)?.hasTime == false)
        #expect(ISO8601.parse("00:00:00z", by: .queries) == nil)
        #expect(ISO8601.parse("00:00:00z")?.offsetMinutes == 0)
    }

    @Test("a time without a date is on 1 January 2000")
    func timeOnly() {
        #expect(ISO8601.parse("00:00:01Z")?.milliseconds == 946_684_801_000)
    }

    @Test("a date without a time zone is in local time", arguments: ["2018-07-01", "2018-01-01T12:30:15", "1950-06-01 01:00"])
    func localTime(_ text: String) throws {
        let date = try #require(ISO8601.parse(text))
        var components = DateComponents()
        (components.year, components.month, components.day) = (date.fields.year, date.fields.month, date.fields.day)
        (components.hour, components.minute, components.second) = (date.fields.hour, date.fields.minute, date.fields.second)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let expected = try #require(calendar.date(from: components))
        #expect(Double(date.milliseconds) / 1000 == expected.timeIntervalSince1970)
    }

    @Test("dates are written in UTC with milliseconds")
    func writing() {
        #expect(ISO8601.string(milliseconds: 0) == "1970-01-01T00:00:00.000Z")
        #expect(ISO8601.string(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
        #expect(ISO8601.string(milliseconds: 1_540_319_581_123) == "2018-10-23T18:33:01.123Z")
    }

    @Test("documents contain the years 0 to 9999, and no other date is written for one that they cannot contain")
    func range() {
        for (seconds, text) in [(-62_167_219_200, "0000-01-01T00:00:00.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z")] {
            let milliseconds = ISO8601.storedMilliseconds(seconds: seconds)
            #expect(milliseconds.map { ISO8601.string(milliseconds: $0) } == text)
            #expect(ScalarValue.date(seconds).string == text)
        }
        let others = [-62_167_219_200.001, 253_402_300_800, 1_540_319_581_123, .infinity, -.infinity, .nan, .greatestFiniteMagnitude]
        for seconds in others {
            #expect(ISO8601.storedMilliseconds(seconds: seconds) == nil)
            #expect(ScalarValue.date(seconds).string == nil)
        }
    }

    @Test("the nearest date that a document contains stands for others in comparisons")
    func nearest() {
        #expect(ISO8601.string(nearest: -.infinity) == "0000-01-01T00:00:00.000Z")
        #expect(ISO8601.string(nearest: 1e300) == "9999-12-31T23:59:59.999Z")
        #expect(ISO8601.string(nearest: 1.0004) == "1970-01-01T00:00:01.000Z")
    }

    @Test("only the given parts of a date are written")
    func writingParts() {
        var date = ISO8601Date(CivilDate(milliseconds: 1_540_319_581_000 - 210 * 60_000), offsetMinutes: -210)
        #expect(ISO8601.string(date, omittingZeroFraction: true) == "2018-10-23T15:03:01-0330")
        #expect(ISO8601.string(date, omittingZeroFraction: false) == "2018-10-23T15:03:01.000-0330")
        date.offsetMinutes = nil
        #expect(ISO8601.string(date, omittingZeroFraction: true) == "2018-10-23T15:03:01")
        date.isSeparatedByT = false
        #expect(ISO8601.string(date, omittingZeroFraction: true) == "2018-10-23 15:03:01")
        date.hasDate = false
        #expect(ISO8601.string(date, omittingZeroFraction: true) == "15:03:01")
        (date.hasDate, date.hasTime) = (true, false)
        #expect(ISO8601.string(date, omittingZeroFraction: true) == "2018-10-23")
    }

    @Test(
        "a year can have more than four digits",
        arguments: [(1 << 53, "287396-10-12T08:59:00.992Z"), (-(1 << 53), "-283457-03-21T15:00:59.008Z")]
    )
    func longYears(_ milliseconds: Int, _ text: String) {
        let date = ISO8601Date(CivilDate(milliseconds: Int64(milliseconds)), offsetMinutes: 0)
        #expect(ISO8601.string(date, omittingZeroFraction: true) == text)
        #expect(date.milliseconds == Int64(milliseconds))
    }

    @Test("written dates are parsed back to the same values")
    func roundTrip() {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<6000 {
            let milliseconds = Int64.random(in: ISO8601.range, using: &generator)
            let offset = Int.random(in: -840...840, using: &generator)
            let read = ISO8601.parse(ISO8601.string(milliseconds: milliseconds))
            #expect(read?.milliseconds == milliseconds, "seed \(seed)")
            let local = CivilDate(milliseconds: milliseconds / 2 + Int64(offset) * 60_000)
            let date = ISO8601Date(local, offsetMinutes: offset)
            let readDate = ISO8601.parse(ISO8601.string(date, omittingZeroFraction: false))
            #expect(readDate?.milliseconds == milliseconds / 2, "seed \(seed)")
        }
    }

    @Test("random text does not crash the date parser")
    func randomBytes() {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let alphabet = Array("0123456789-:.TZ+ ".utf8)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator)!
            }
            _ = ISO8601.parse(String(decoding: bytes, as: UTF8.self))?.milliseconds
        }
    }
}
