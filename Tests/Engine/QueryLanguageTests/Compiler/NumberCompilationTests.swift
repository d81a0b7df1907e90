import Testing

@testable import QueryLanguage

@Suite("Compilation of floating-point literals that SQLite misreads")
struct NumberCompilationTests {
    private func condition(_ text: String, indexed: Set<String> = []) throws -> String {
        // On some platforms, Swift itself rounds such a literal twice.
        let number = try #require(Double("149.312697"))
        var database = FakeDatabase(misreadNumbers: [number, -number, 1e23, .leastNonzeroMagnitude])
        database.indexedExpressions = indexed
        let sql = try database.compile("SELECT x FROM people AS p WHERE \(text)").sql
        return sql.firstRange(of: " WHERE ").map { String(sql[$0.upperBound...]) } ?? sql
    }

    @Test(
        "such a number is written as an integer with powers of two, and other numbers are written in decimal",
        arguments: [
            ("x = 149.312697", "(5253473488835029.0 / 35184372088832)"),
            ("x = -149.312697", "(-5253473488835029.0 / 35184372088832)"),
            ("x = 1e23", "(2980232238769531.0 * 33554432)"),
            ("x = 5e-324", "(1.0\(String(repeating: " / 4611686018427387904", count: 17)) / 1048576)"),
            ("x = 0.1", "0.1"),
        ]
    )
    func quotients(text: String, number: String) throws {
        #expect(try condition(text) == "fl_value(p.body, 'x') = \(number)")
    }

    @Test(
        "such a number is exact in a query, although an index contains the expression with the number that SQLite reads",
        arguments: [
            ("x * 149.312697 > 5", "fl_value(body, 'x') * 149.312697"),
            ("round(x * 149.312697) = 5", "round(fl_value(body, 'x') * 149.312697)"),
            ("y AND x > 149.312697", "fl_value(body, 'x') > 149.312697"),
            ("ANY v IN x SATISFIES v = 149.312697 END", "fl_contains(body, 'x', 149.312697)"),
            ("(NOT x) IN (149.312697)", "NOT fl_value(body, 'x') IN (149.312697)"),
        ]
    )
    func indexedExpressions(text: String, indexed: String) throws {
        #expect(try condition(text, indexed: [indexed]) == condition(text))
        #expect(try !condition(text).contains("149.312697"))
    }

    @Test("whether SQLite reads a number is asked only for numbers that are not small integers")
    func integers() throws {
        let database = FakeDatabase(misreadNumbers: [5, -9_007_199_254_740_991, 0x1p53, 5.5])
        for number in ["5.0", "-9007199254740991.0"] {
            #expect(try database.compile("SELECT x FROM people WHERE x = \(number)").sql.hasSuffix(" = \(number)"))
        }
        for number in ["5.5", "9007199254740992.0"] {
            #expect(try !database.compile("SELECT x FROM people WHERE x = \(number)").sql.contains(number))
        }
    }

    @Test("an index has the decimal text of every number")
    func indexes() throws {
        #expect(try indexSQL("a * 149.312697") == "fl_value(body, 'a') * 149.312697")
    }
}
