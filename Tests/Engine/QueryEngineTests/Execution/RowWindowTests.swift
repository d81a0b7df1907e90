import QueryEngine
import QueryLanguage
import Testing

@Suite("LIMIT and OFFSET in all places")
struct RowWindowTests {
    /// Texts whose window `LIMIT $l OFFSET $o` applies to the rows 1, 2, 3, 4, and which return the rows that remain.
    private static let texts = [
        "SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o",
        "SELECT n FROM _ ORDER BY n OFFSET $o LIMIT $l",
        "SELECT n FROM _ ORDER BY n LIMIT CASE WHEN TRUE THEN $l END OFFSET ifmissing($o, 7)",
        "SELECT DISTINCT n FROM _ ORDER BY n LIMIT $l OFFSET $o",
        "SELECT n FROM _ GROUP BY n ORDER BY n LIMIT $l OFFSET $o",
        "SELECT x FROM _ LET x = n ORDER BY x LIMIT $l OFFSET $o",
        "SELECT u FROM _ AS d UNNEST d.list AS u ORDER BY u LIMIT $l OFFSET $o",
        "SELECT n FROM _ INTERSECT SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o",
        "SELECT n FROM _ UNION SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o",
        "SELECT n FROM _ UNION ALL SELECT n FROM _ WHERE n > 9 ORDER BY n LIMIT $l OFFSET $o",
        "SELECT n FROM _ EXCEPT SELECT n FROM _ WHERE n > 9 ORDER BY n LIMIT $l OFFSET $o",
        "SELECT t.n FROM (SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o) AS t",
        "SELECT t.n FROM (SELECT n FROM _ UNION SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o) AS t ORDER BY t.n",
        "SELECT t.n FROM _ AS d JOIN (SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o) AS t ON d.n = t.n ORDER BY t.n",
        "WITH t AS (SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o) SELECT n FROM t ORDER BY n",
        "WITH t AS (SELECT n FROM _) SELECT n FROM t ORDER BY n LIMIT $l OFFSET $o",
        "SELECT t.n FROM (SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o) AS t UNION SELECT n FROM _ WHERE n > 9 ORDER BY n",
        "SELECT n FROM _ WHERE n IN (SELECT o.n FROM _ AS o ORDER BY o.n LIMIT $l OFFSET $o) ORDER BY n",
        "SELECT n FROM _ WHERE NOT (n NOT IN (SELECT o.n FROM _ AS o ORDER BY o.n LIMIT $l OFFSET $o)) ORDER BY n",
        "SELECT d.n FROM _ AS d WHERE EXISTS (SELECT 1 FROM (SELECT n FROM _ ORDER BY n LIMIT $l OFFSET $o) AS t WHERE t.n = d.n) ORDER BY d.n",
    ]

    private static let jsons = [
        #"{"WHAT":[[".n"]],"ORDER_BY":[[".n"]],"LIMIT":["$l"],"OFFSET":["$","o"]}"#,
        #"{"WHAT":[[".t.n"]],"FROM":[{"SELECT":{"WHAT":[[".n"]],"ORDER_BY":[[".n"]],"LIMIT":["$l"],"OFFSET":["$o"]},"AS":"t"}]}"#,
        #"{"WHAT":[[".n"]],"COMBINED":[["UNION",{"WHAT":[[".n"]]}]],"ORDER_BY":[[".n"]],"LIMIT":["$l"],"OFFSET":["$o"]}"#,
        """
        {"WHAT":[[".n"]],"ORDER_BY":[[".n"]],"WHERE":["IN",[".n"],["SELECT",{"WHAT":[[".n"]],"ORDER_BY":[[".n"]],"LIMIT":["$l"],"OFFSET":["$o"]}]]}
        """,
    ]

    private static let queries: [SelectStatement] =
        texts.compactMap { try? SQLPlusPlus.parse($0) } + jsons.compactMap { try? QueryJSON.parse($0) }

    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for n in [3, 1, 4, 2] { try database.save("d\(n)", #"{"n":\#(n),"list":[\#(n)]}"#) }
        return database
    }

    private func rows(_ select: SelectStatement, _ parameters: String, _ database: QueryDatabase) throws -> [String] {
        let query = try PreparedQuery(select, on: database.file, databaseName: "db")
        let rows = try query.run(on: database.file, parameters: try QueryParameters(json: parameters))
        return try (0..<rows.count).map { try rows.json($0) }
    }

    @Test("every text and JSON query with a window is accepted")
    func areParsed() {
        #expect(Self.queries.count == Self.texts.count + Self.jsons.count)
    }

    @Test(
        "parameters determine the window in every place",
        arguments: [
            (#"{"l":2,"o":1}"#, ["2", "3"]), (#"{"l":0,"o":0}"#, []), (#"{"l":9,"o":3}"#, ["4"]), (#"{"l":1,"o":4}"#, []),
            (#"{"l":2.0,"o":"1"}"#, ["2", "3"]), (#"{"l":true,"o":false}"#, ["1"]),
            (#"{"l":-1,"o":0}"#, []), (#"{"l":2,"o":-1}"#, ["1", "2"]),
            (#"{"l":9223372036854775807,"o":2}"#, ["3", "4"]), (#"{"l":9223372036854775807,"o":9223372036854775807}"#, []),
            (#"{"l":-9223372036854775808,"o":0}"#, []), (#"{"l":4,"o":-9223372036854775808}"#, ["1", "2", "3", "4"]),
        ]
    )
    func windows(_ parameters: String, _ expected: [String]) throws {
        let database = try database()
        for select in Self.queries {
            #expect(try rows(select, parameters, database) == expected, "\(QueryJSON.text(of: select))")
        }
    }

    @Test(
        "a window that is not an integer is an error in every place",
        arguments: [
            (#"{"l":1.5,"o":0}"#, "LIMIT", "a fractional or too large number"),
            (#"{"l":4,"o":0.5}"#, "OFFSET", "a fractional or too large number"),
            (#"{"l":1e300,"o":0}"#, "LIMIT", "a fractional or too large number"),
            (#"{"l":18446744073709551615,"o":0}"#, "LIMIT", "a fractional or too large number"),
            (#"{"l":"x","o":0}"#, "LIMIT", "a string"), (#"{"l":4,"o":""}"#, "OFFSET", "a string"),
            (#"{"l":[],"o":0}"#, "LIMIT", "an array"), (#"{"l":4,"o":{}}"#, "OFFSET", "a dictionary"),
        ]
    )
    func errors(_ parameters: String, _ clause: String, _ kind: String) throws {
        let database = try database()
        for select in Self.queries {
            #expect(throws: QueryError.invalidQuery("\(clause) must be an integer, but is \(kind)"), "\(QueryJSON.text(of: select))") {
                try rows(select, parameters, database)
            }
        }
    }

    @Test("a window that is MISSING is an error, also if the parameter is null", arguments: [#"{"o":0}"#, #"{"l":null,"o":0}"#])
    func missing(_ parameters: String) throws {
        let database = try database()
        for select in Self.queries {
            #expect(throws: QueryError.invalidQuery("LIMIT must be an integer, but is missing"), "\(QueryJSON.text(of: select))") {
                try rows(select, parameters, database)
            }
        }
    }

    @Test("OFFSET is not computed if LIMIT is 0, and the window of a nested query only if a row needs it")
    func notComputed() throws {
        let database = try database()
        #expect(try database.rows("SELECT n FROM _ LIMIT 0 OFFSET 'x'") == [])
        #expect(try database.rows("SELECT n FROM _ WHERE n > 9 AND EXISTS (SELECT 1 FROM _ LIMIT 'x')") == [])
        #expect(throws: QueryError.self) { try database.rows("SELECT n FROM _ WHERE EXISTS (SELECT 1 FROM _ LIMIT 'x')") }
    }

    @Test("EXISTS considers the window of the nested query")
    func exists() throws {
        let database = try database()
        let text = "SELECT count(*) FROM _ AS d WHERE EXISTS (SELECT 1 FROM _ AS o WHERE o.n < d.n LIMIT $l OFFSET $o)"
        for (parameters, count) in [
            (#"{"l":1,"o":0}"#, "3"), (#"{"l":1,"o":1}"#, "2"), (#"{"l":0,"o":0}"#, "0"), (#"{"l":5,"o":-1}"#, "3"),
        ] {
            #expect(try database.rows(text, try QueryParameters(json: parameters)) == [count])
        }
    }

    @Test(
        "a window cannot depend on documents",
        arguments: [
            "SELECT n FROM _ LIMIT n", "SELECT n FROM _ LIMIT 1 OFFSET n", "SELECT n FROM _ AS d LIMIT d.n",
            "SELECT n FROM _ LIMIT meta().sequence",
            "SELECT n FROM _ LIMIT count(n)", "SELECT n AS x FROM _ LIMIT x", "SELECT n FROM _ LET x = n LIMIT x",
            "SELECT d.n FROM _ AS d WHERE EXISTS (SELECT 1 FROM _ AS o LIMIT d.n)",
            "SELECT d.n FROM _ AS d WHERE d.n IN (SELECT o.n FROM _ AS o LIMIT 1 OFFSET d.n)",
            "SELECT t.n FROM (SELECT n FROM _ LIMIT n) AS t", "SELECT n FROM _ UNION SELECT n FROM _ LIMIT n",
            "SELECT n FROM _ UNION SELECT n FROM _ ORDER BY n LIMIT n",
        ]
    )
    func documents(_ text: String) throws {
        let database = try database()
        let error = #expect(throws: QueryError.self) { try database.rows(text) }
        #expect(error?.message.contains("cannot depend on documents") == true, "\(error?.message ?? "")")
    }

    @Test("a window can be computed by operations and functions, also from a nested query")
    func expressions() throws {
        let database = try database()
        let parameters = try QueryParameters(json: #"{"l":1,"o":2}"#)
        #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT $l + 1 OFFSET $o - 1", parameters) == ["2", "3"])
        #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT CASE WHEN $o > 1 THEN 3 END OFFSET $l", parameters) == ["2", "3", "4"])
        #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT array_length([1, 2]) OFFSET abs(-1)") == ["2", "3"])
        #expect(try database.rows("SELECT n FROM _ ORDER BY n LIMIT EXISTS (SELECT 1 FROM _)") == ["1"])
    }
}
