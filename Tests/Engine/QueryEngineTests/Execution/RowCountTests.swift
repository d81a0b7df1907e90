import Fleece
import QueryEngine
import QueryLanguage
import Testing

@Suite("LIMIT, OFFSET and column numbers")
struct RowCountTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, n) in [("a", 3), ("b", 1), ("c", 2)] { try database.save(id, #"{"n":\#(n),"k":"x"}"#) }
        return database
    }

    @Test("a LIMIT or OFFSET that is not an integer throws an error that names the clause")
    func clauses() throws {
        let database = try database()
        for (clause, name) in [("LIMIT %@", "LIMIT"), ("OFFSET %@", "OFFSET"), ("LIMIT 1 OFFSET %@", "OFFSET")] {
            for (value, kind) in [
                ("2.7", "a fractional or too large number"), ("'x'", "a string"), ("NULL", "null"), ("$none", "missing"),
                ("[1]", "an array"),
                ("{}", "a dictionary"), ("9e18 * 10", "a fractional or too large number"),
            ] {
                let text = "SELECT n FROM _ " + clause.replacing("%@", with: value)
                #expect(throws: QueryError.invalidQuery("\(name) must be an integer, but is \(kind)")) {
                    try database.rows(text)
                }
            }
        }
        let parameters = try QueryParameters(json: #"{"n":1.5}"#)
        #expect(throws: QueryError.invalidQuery("LIMIT must be an integer, but is a fractional or too large number")) {
            try database.rows("SELECT n FROM _ LIMIT $n", parameters)
        }
    }

    @Test("LIMIT and OFFSET accept integers in other forms, and negative ones")
    func integers() throws {
        let database = try database()
        for value in ["2", "2.0", "'2'", "1 + 1", "$n"] {
            let parameters = value == "$n" ? try QueryParameters(json: #"{"n":2}"#) : QueryParameters()
            #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT \(value)", parameters) == ["1", "2"])
        }
        #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT -1") == [])
        #expect(try database.rows("SELECT n FROM _ ORDER BY n OFFSET -1").count == 3)
        #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT TRUE") == ["1"])
    }

    @Test("an integer in ORDER BY or GROUP BY is the number of a visible column")
    func columns() throws {
        let database = try database()
        #expect(try database.rows("SELECT k, n FROM _ ORDER BY 2 DESC") == [#""x" 3"#, #""x" 2"#, #""x" 1"#])
        #expect(try database.rows("SELECT k, count(*) FROM _ GROUP BY 1") == [#""x" 3"#])
        try database.indexes.create(
            IndexDefinition(name: "words", kind: .fullText(FullTextIndexOptions()), text: "k"),
            on: try database.collection()
        )
        let query = try PreparedQuery(
            SQLPlusPlus.parse("SELECT n FROM _ WHERE match(words, 'x') ORDER BY 1"),
            on: database.file,
            databaseName: "db",
            reportsMatches: true
        )
        let rows = try query.run(on: database.file)
        #expect(try (0..<rows.count).map { try rows.json($0) } == ["1", "2", "3"])
    }

    @Test("a column number out of range throws an error", arguments: ["0", "3", "-1", "9223372036854775807"])
    func outOfRange(number: String) throws {
        let database = try database()
        for (clause, name) in [
            ("ORDER BY", "1st ORDER BY"), ("ORDER BY n,", "2nd ORDER BY"), ("GROUP BY", "1st GROUP BY"),
        ] {
            #expect(throws: QueryError.invalidQuery("\(name) term out of range - should be between 1 and 2")) {
                try database.prepare("SELECT n, k FROM _ \(clause) \(number)")
            }
        }
    }

    @Test("the sum of integers that exceeds their range is a floating-point number")
    func sums() throws {
        let database = try QueryDatabase()
        for (id, n) in [("a", "9223372036854775807"), ("b", "1")] { try database.save(id, #"{"n":\#(n)}"#) }
        #expect(try database.rows("SELECT sum(n) FROM _") == ["9.223372036854776e+18"])
        try database.save("c", #"{"n":1.5}"#)
        #expect(try database.rows("SELECT sum(n) FROM _") == ["9.223372036854776e+18"])
        #expect(try database.rows("SELECT sum(n), sum(-n) FROM _ WHERE meta().id = 'b'") == ["1 -1"])
        #expect(try database.rows("SELECT sum(x) FROM _") == ["-"])
        #expect(try database.rows("SELECT sum('2') FROM _") == ["6"])
    }
}
