import QueryEngine
import TestSupport
import Testing

@Suite("Numbers above the range of signed integers")
struct UnsignedNumberTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.save("max", #"{"u":18446744073709551615,"a":[18446744073709551615],"o":{"u":9223372036854775808}}"#)
        try database.save("half", #"{"u":9223372036854775808,"a":[1]}"#)
        try database.save("small", #"{"u":7,"a":[]}"#)
        try database.save("minus", #"{"u":-1,"a":[-1]}"#)
        return database
    }

    @Test(
        "such a number counts as the nearest floating-point number in comparisons",
        arguments: [
            ("u > 0", ["half", "max", "small"]), ("u < 8", ["minus", "small"]), ("u = 18446744073709551615", ["max"]),
            ("u = 18446744073709551616.0", ["max"]), ("u != 18446744073709551615", ["half", "minus", "small"]), ("u = -1", ["minus"]),
            ("u = 9223372036854775808", ["half"]), ("u IN (9223372036854775808, 7)", ["half", "small"]),
            ("u BETWEEN 8 AND 1e19", ["half"]), ("18446744073709551615 IN a", ["max"]), ("array_contains(a, u)", ["max", "minus"]),
            ("ANY x IN a SATISFIES x > 5 END", ["max"]), ("ANY x IN a SATISFIES x = 18446744073709551615 END", ["max"]),
            ("o.u > 5", ["max"]), ("ifmissing(o.u, 0) > 5", ["max"]), ("greatest(u, 8) > 8", ["half", "max"]),
            ("array_ifnull(a) > 5", ["max", "small"]),
            ("toatom(a) > 5", ["max", "small"]), ("a[0] > 5", ["max"]), ("CASE WHEN u > 0 THEN u ELSE 0 END > 8", ["half", "max"]),
            ("nullif(u, 18446744073709551615) IS NULL", ["max"]), ("{'k': u}.k > 8", ["half", "max"]),
            ("isnumber(u)", ["half", "max", "minus", "small"]),
            ("u > 99999999999999999999", []), ("u < 99999999999999999999", ["half", "max", "minus", "small"]),
        ]
    )
    func comparisons(condition: String, ids: [String]) throws {
        let found = try database().rows("SELECT meta().id FROM _ WHERE \(condition) ORDER BY meta().id")
        #expect(found == ids.map { "\"\($0)\"" })
    }

    @Test("such a number counts as the nearest floating-point number as a parameter")
    func parameters() throws {
        let database = try database()
        let parameters = try QueryParameters(json: #"{"p":18446744073709551615}"#)
        for condition in ["u = $p", "u >= $p", "$p IN a", "u IN ($p, 3)", "ANY x IN a SATISFIES x = $p END"] {
            #expect(try database.rows("SELECT meta().id FROM _ WHERE \(condition)", parameters) == [#""max""#], "\(condition)")
        }
    }

    @Test(
        "functions and operators compute with the nearest floating-point number",
        arguments: [
            ("u + 1", "1.8446744073709552e+19"), ("-u", "-1.8446744073709552e+19"), ("u / 2", "9.223372036854776e+18"),
            ("abs(u)", "1.8446744073709552e+19"), ("sqrt(u)", "4294967296.0"), ("div(u, 2)", "9.223372036854776e+18"),
            ("array_sum(a)", "1.8446744073709552e+19"), ("array_max(a)", "1.8446744073709552e+19"), ("sign(u)", "1"),
        ]
    )
    func arithmetic(expression: String, expected: String) throws {
        let found = try database().rows("SELECT \(expression) AS x FROM _ WHERE meta().id = 'max'")
        #expect(found.count == 1)
        #expect(Double(found[0]) == Double(expected))
    }

    @Test(
        "a result that is the number itself has all its digits",
        arguments: [
            "u", "[u][0]", "{'k': u}.k", "tostring(u)", "u || ''", "ifmissing(u, 0)", "toatom(a)", "array_ifnull(a)", "a[0]",
            "toarray(u)[0]",
            "CASE WHEN u > 0 THEN u END", "{'k': a}.k[0]",
        ]
    )
    func exactResults(expression: String) throws {
        let database = try database()
        for query in [
            "SELECT \(expression) AS x FROM _ WHERE meta().id = 'max'",
            "SELECT k.x FROM (SELECT \(expression) AS x FROM _ WHERE meta().id = 'max') AS k",
            "SELECT [k.x][0] AS y FROM (SELECT \(expression) AS x FROM _ WHERE meta().id = 'max') AS k",
        ] {
            #expect(try database.rows(query).map { $0.replacing("\"", with: "") } == ["18446744073709551615"], "\(query)")
        }
    }

    @Test("elements of arrays keep all digits in results, and are compared like other numbers")
    func elements() throws {
        let database = try database()
        #expect(
            try database.rows("SELECT x, [x] FROM _ AS d UNNEST d.a AS x WHERE x > 5") == ["18446744073709551615 [18446744073709551615]"]
        )
        #expect(try database.rows("SELECT x, count(*) FROM _ AS d UNNEST d.a AS x GROUP BY x HAVING x > 5") == ["18446744073709551615 1"])
        #expect(try database.rows("SELECT array_agg(x) FROM _ AS d UNNEST d.a AS x WHERE x > 5") == ["[18446744073709551615]"])
    }

    @Test("rows are ordered, grouped and aggregated by the nearest floating-point number")
    func orders() throws {
        let database = try database()
        #expect(try database.rows("SELECT meta().id FROM _ ORDER BY u DESC") == [#""max""#, #""half""#, #""small""#, #""minus""#])
        #expect(try database.rows("SELECT max(u) = 18446744073709551615, min(u), sum(u) > 2e19 FROM _") == ["true -1 true"])
        #expect(try database.rows("SELECT count(*) AS c FROM _ GROUP BY u ORDER BY u") == ["1", "1", "1", "1"])
        #expect(try database.rows("SELECT sum(DISTINCT u) > 2e19 FROM _") == ["true"])
    }

    @Test("a sum of integers that exceeds their range goes on as a floating-point number, with GROUP BY too")
    func sums() throws {
        let database = try QueryDatabase()
        for number in 0..<4 { try database.save("d\(number)", #"{"n":9223372036854775807,"k":1}"#) }
        #expect(try database.rows("SELECT sum(n) AS s FROM _") == ["3.6893488147419103e+19"])
        #expect(
            try database.rows("SELECT k, sum(n) AS s, avg(n) AS a FROM _ GROUP BY k") == ["1 3.6893488147419103e+19 9.223372036854776e+18"]
        )
        #expect(try database.rows("SELECT sum(DISTINCT n) AS s FROM _") == ["9223372036854775807"])
    }

    @Test("an integer literal outside of the range of signed integers is the nearest floating-point number, but a number of rows saturates")
    func literals() throws {
        let database = try database()
        #expect(
            try database.rows("SELECT 18446744073709551615 = 18446744073709551615.0, -9223372036854775808 FROM _ LIMIT 1") == [
                "true -9223372036854775808"
            ]
        )
        #expect(try database.rows("SELECT -9223372036854775809 < -9.2e18 FROM _ LIMIT 1") == ["true"])
        #expect(try database.rows("SELECT u FROM _ LIMIT 18446744073709551615").count == 4)
    }
}
