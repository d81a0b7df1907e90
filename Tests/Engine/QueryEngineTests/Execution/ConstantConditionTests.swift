import Testing

@testable import QueryEngine

/// SQLite computes some conditions before it looks for numbers of columns in GROUP BY and ORDER BY, in newer releases more of them.
@Suite("Conditions with a constant result")
struct ConstantConditionTests {
    private static let conditions = [
        "1 IS MISSING", "n AND false", "n AND 0", "2 IS NOT MISSING", "-(1 IS MISSING)", "(n AND false) COLLATE UNICODE",
    ]

    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for n in [2, 3, 1] { try database.save("d\(n)", #"{"n":\#(n)}"#) }
        return database
    }

    @Test("they group all documents together, and are not taken for the number of a column", arguments: conditions)
    func groups(condition: String) throws {
        let database = try database()
        #expect(try database.rows("SELECT count(*) FROM _ GROUP BY \(condition)") == ["3"])
        #expect(try database.rows("SELECT count(*), sum(n) FROM _ GROUP BY \(condition), n > 1 ORDER BY sum(n)") == ["1 1", "2 5"])
    }

    @Test("they do not change the order, and are not taken for the number of a column", arguments: conditions)
    func order(condition: String) throws {
        #expect(try database().rows("SELECT n FROM _ ORDER BY \(condition), n DESC") == ["3", "2", "1"])
    }

    @Test("the mean compensates for rounding errors, also where integers exceed their range, with and without groups")
    func mean() throws {
        let database = try QueryDatabase()
        for (index, value) in ["1e16", "1", "-1e16", "1"].enumerated() { try database.save("a\(index)", #"{"g":1,"x":\#(value)}"#) }
        for index in 0..<10 { try database.save("b\(index)", #"{"g":2,"x":0.1}"#) }
        for index in 0..<2 { try database.save("c\(index)", #"{"g":3,"x":9223372036854775807}"#) }
        let means = ["0.5", "0.1", "9.223372036854776e+18"]
        #expect(try database.rows("SELECT avg(x) FROM _ GROUP BY g ORDER BY g") == means)
        for (index, mean) in means.enumerated() { #expect(try database.rows("SELECT avg(x) FROM _ WHERE g = \(index + 1)") == [mean]) }
    }
}
