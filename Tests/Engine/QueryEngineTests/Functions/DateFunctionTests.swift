import Fleece
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Date functions")
struct DateFunctionTests {
    private func value(_ expression: String) throws -> String {
        let database = try QueryDatabase()
        try database.save("doc", "{}")
        return try database.value(expression)
    }

    @Test(
        "date strings are parsed strictly",
        arguments: [
            ("1970-01-01", "0"), ("1970-01-01T00:00:00.001Z", "1"), ("1970-01-01 00:01", "60000"),
            ("1970-01-01   01:00:00 +01:00", "0"), ("1970-01-01T00:00:00.123456Z", "123"),
            ("1969-12-31T23:59:59Z", "-1000"), ("2000-02-29", "951782400000"), ("-0001-03-01", "-62193657600000"),
            ("2018-10-23T18:33:01-0530", "1540339381000"), ("1970-01-01T24:00", "86400000"),
            ("1900-02-29", "null"), ("2018-13-01", "null"), ("2018-1-01", "null"), ("12:34", "null"), ("", "null"),
            ("1970-01-01T", "0"), ("1970-01-01T00:00:00.Z", "null"), ("1970-01-01T00:60", "null"),
            ("1970-01-01T00:00+15:00", "null"), ("1970-01-01T00:00Zx", "null"), ("1970-01-01Z", "null"),
        ]
    )
    func parsing(text: String, expected: String) throws {
        #expect(try value("str_to_millis('\(text)')") == expected)
    }

    @Test(
        "milliseconds are formatted in the requested form",
        arguments: [
            ("millis_to_utc(1540319581123)", #""2018-10-23T18:33:01.123Z""#),
            ("millis_to_utc(0)", #""1970-01-01T00:00:00Z""#),
            ("millis_to_str(0)", #""1970-01-01T00:00:00Z""#), ("millis_to_utc(-1)", #""1969-12-31T23:59:59.999Z""#),
            ("millis_to_tz(0, -330)", #""1969-12-31T18:30:00-0530""#),
            ("millis_to_utc(0, '1111-11-11 11:11:11')", #""1970-01-01 00:00:00""#),
            ("millis_to_utc(0, '11:11:11Z')", #""00:00:00Z""#),
            ("millis_to_utc(0, 'nonsense')", #""1970-01-01T00:00:00Z""#),
            ("millis_to_utc('x')", "null"), ("millis_to_utc(1e300)", "null"), ("str_to_tz('1970-01-01', 'x')", "null"),
            ("str_to_utc('1970-01-01T01:00+01:00')", #""1970-01-01T00:00:00Z""#), ("str_to_utc(NULL)", "null"),
        ]
    )
    func printing(expression: String, expected: String) throws {
        #expect(try value(expression) == expected)
    }

    @Test(
        "date_diff counts boundaries, and date_add keeps the day of the month",
        arguments: [
            ("date_diff_str('2018-01-01', '2017-12-31', 'year')", "1"),
            ("date_diff_str('2017-12-31', '2018-01-01', 'month')", "-1"),
            ("date_diff_str('2018-04-01', '2018-03-31', 'quarter')", "1"),
            ("date_diff_str('2020-03-01', '2020-02-28', 'day')", "2"),
            ("date_diff_str('2018-01-15', '2018-01-01', 'WEEK')", "2"),
            ("date_diff_str('2018-01-01', '1990-01-01', 'decade')", "2"),
            ("date_diff_millis(1000, 999, 'second')", "1"), ("date_diff_millis(0, 1, 'millisecond')", "-1"),
            ("date_diff_millis(0, 1, 'fortnight')", "-"), ("date_diff_str('x', '2018-01-01', 'day')", "-"),
            ("date_add_str('2018-01-31', 1, 'month')", #""2018-03-03T00:00:00Z""#),
            ("date_add_str('2018-01-31', -2, 'month', '1111-11-11')", #""2017-12-01""#),
            ("date_add_str('2016-02-29', 1, 'century')", #""2116-02-29T00:00:00Z""#),
            ("date_add_str('2016-01-01', 1, 'fortnight')", "-"), ("date_add_millis(0, 1, 'days')", "-"),
            ("date_diff_str('2018-01-01', '2018-01-01', '')", "-"), ("date_add_str('2016-01-01', 1, 5)", "-"),
            ("date_add_millis(0, 9223372036854775807, 'day')", "-"),
            ("date_add_millis(0, 9223372036854775807, 'year')", "-"),
            ("date_add_millis(0, -1, 'week')", "-604800000"),
        ]
    )
    func arithmetic(expression: String, expected: String) throws {
        #expect(try value(expression) == expected)
    }

    @Test("random timestamps are read back from their text")
    func roundTrip() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let database = try QueryDatabase()
        try database.save("doc", "{}")
        let query = try database.prepare("SELECT str_to_millis(millis_to_utc($ms)) FROM _")
        for _ in 0..<500 {
            let moment = Int64.random(in: -62_000_000_000_000...253_402_300_799_999, using: &generator)
            let rows = try query.run(on: database.file, parameters: QueryParameters(json: "{\"ms\":\(moment)}"))
            #expect(rows.value(row: 0, column: 0)?.int64 == moment, "seed \(seed)")
        }
    }
}
