import Foundation
import TestSupport
import Testing

@Suite("cblite query, explain and index")
struct QueryTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(
            #"{"_id":"a","name":"é","n":1,"tags":["x"],"type":"t"}"#,
            #"{"_id":"b","name":"two words","n":20,"b":{"z":1,"a":2},"type":"t"}"#,
            #"{"_id":"c","n":300,"flag":true,"none":null,"type":"u"}"#
        )
    }

    @Test("--explain shows the plan before the rows, with --json on standard error")
    func explaining() throws {
        try tool.lines("import", "--create", "planned", "-", input: #"{"_id":"a","n":1}"#)
        let query = "SELECT n FROM _ WHERE n = 1"
        #expect(try tool.lines("query", "--explain", "planned", query).first?.contains("reads") == true)
        let json = try tool.run("query", "--explain", "--json", "planned", query)
        #expect(json.output == "{\"n\":1}\n" && json.errorOutput.contains("reads"))
    }

    @Test("an index expression may begin with a hyphen, in any place and in either order of verb and database")
    func hyphen() throws {
        try tool.lines("import", "--create", "hyphens", "-", input: "{}")
        try tool.lines("index", "create", "hyphens", "one", "-v")
        try tool.lines("index", "hyphens", "create", "several", "a", "-v.w", "--where", "-v > 1", "b")
        try tool.lines("index", "create", "hyphens", "option", "--", "-c")
        let found = try tool.lines("index", "ls", "--json", "hyphens").map { try object($0) }
        #expect(found.map { $0["expressions"] as? String } == ["-v", "-c", "a, -v.w, b"])
        #expect(found.last?["where"] as? String == "-v > 1")
        try tool.expectFailure(64, "at least one expression. Write -- before", "index", "create", "hyphens", "x", "--v")
        try tool.expectFailure(64, "Missing expected argument '<name>'", "index", "create", "hyphens", "-v")
    }

    @Test("the verb of index stands before the database, or after it as in earlier versions")
    func verbs() throws {
        try tool.makeDatabase()
        try tool.lines("index", "create", "db", "first", "n")
        try tool.lines("index", "db", "create", "second", "n")
        let list = try tool.lines("index", "ls", "db")
        #expect(list.count == 3)
        for command in [["index", "db"], ["index", "db", "list"], ["index", "list", "db"], ["index", "db", "ls"]] {
            #expect(try tool.run(command).outputLines == list, "\(command)")
        }
        try tool.lines("index", "delete", "db", "first")
        try tool.lines("index", "db", "rm", "second")
        #expect(try tool.lines("index", "--json", "db") == [])
        try tool.expectFailure(64, "Did you mean 'create'?", "index", "craete", "db", "x", "n")
    }

    @Test("an unknown key of meta() is refused with those that exist")
    func metaKeys() throws {
        try tool.lines("import", "--create", "keys", "-", input: "{}")
        try tool.expectFailure(
            64,
            "The keys are id, sequence, deleted, expiration, revisionID, rowid.",
            "query",
            "keys",
            "SELECT meta().rev FROM _"
        )
    }

    @Test("query --json prints each row as an object without the missing columns")
    func json() throws {
        let rows = try tool.lines("query", "--json", "db", "SELECT meta().id, name, n * 2 AS twice, tags, b, flag, none FROM _ ORDER BY n")
        #expect(
            rows == [
                #"{"id":"a","name":"é","twice":2,"tags":["x"]}"#,
                #"{"id":"b","name":"two words","twice":40,"b":{"a":2,"z":1}}"#,
                #"{"id":"c","twice":600,"flag":true,"none":null}"#,
            ]
        )
    }

    #if os(Linux)
    @Test("Ctrl-C ends an endless query with exit code 130")
    func interrupted() throws {
        let joins = (0..<40).map { " CROSS JOIN _ AS x\($0)" }.joined()
        let statement = "SELECT count(*) FROM _ AS x\(joins) WHERE x.n IS VALUED AND x39.n IS VALUED"
        // Waits until the process runs the tool, because the shell from which it is forked catches SIGINT too, and then until it catches SIGINT, which
        // is bit 1 of its mask of caught signals.
        let result = try tool.shell(
            """
            "$CBLITE" query db "\(statement)" & pid=$!
            while kill -0 $pid && ! grep -q cblite /proc/$pid/comm; do :; done
            while kill -0 $pid && ! grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status; do :; done
            kill -INT $pid; wait $pid; echo "exit code $?"
            """
        )
        #expect(result.outputLines == ["exit code 130"], "\(result.errorOutput)")
    }
    #endif

    @Test("query prints a table with right-aligned numbers")
    func table() throws {
        let result = try tool.run("query", "db", "SELECT name, n, b FROM _ ORDER BY n")
        let expected = """
            name         n  b
            é            1
            two words   20  {"a":2,"z":1}
                       300
            3 rows,
            """
        #expect(result.output.hasPrefix(expected))
    }

    @Test("query reads the statement from standard input and parses parameters as JSON")
    func parameters() throws {
        let statement = "SELECT meta().id FROM db\nWHERE n >= $least AND type = $type"
        let rows = try tool.lines(
            "query",
            "--json",
            "db",
            "-",
            "--param",
            "least=2",
            "--param",
            #"type="t""#,
            input: statement
        )
        #expect(rows == [#"{"id":"b"}"#])
        try tool.expectFailure(64, "'other'", "query", "db", "SELECT 1 FROM _", "--param", "other=1")
        try tool.expectFailure(64, "name=json", "query", "db", "SELECT 1 FROM _", "--param", "other")
        try tool.expectFailure(64, "name=json", "query", "db", "SELECT 1 FROM _", "--param", "=1")
        try tool.expectFailure(65, "--param x=y", "query", "db", "SELECT $x FROM _", "--param", "x=y")
        try tool.expectFailure(64, "the parameter $least is not set", "query", "db", "SELECT n FROM _ WHERE n >= $least")
    }

    @Test("an invalid statement is printed with the position of the error")
    func errors() throws {
        try tool.expectFailure(64, "  _ WHERE )\n          ^", "query", "db", "SELECT x FROM\n_ WHERE )")
        let long = String(repeating: "x, ", count: 100)
        let shown = String(repeating: "x, ", count: 15) + "x FROM _ WHERE )"
        try tool.expectFailure(
            64,
            "  …\(shown.suffix(61))\n  \(String(repeating: " ", count: 61))^",
            "query",
            "db",
            "SELECT \(long)x FROM _ WHERE )"
        )
        try tool.expectFailure(64, "the collections are _default", "query", "db", "SELECT x FROM nowhere")
        try tool.expectFailure(64, "cblite: ", "explain", "db", "SELECT")
        try tool.expectFailure(64, "cblite: ", "query", "db", "")
        try tool.expectFailure(
            64,
            "did you mean length()?\n  SELECT lenght(1) FROM _\n         ^",
            "query",
            "db",
            "SELECT lenght(1) FROM _"
        )
    }

    @Test("query and explain name the command for statements that change documents", arguments: ["query", "explain"])
    func statementAsQuery(command: String) throws {
        let tool = try Tool()
        try tool.makeDatabase()
        try tool.expectFailure(64, "UPDATE is not a query", command, "db", " update _ SET n = 0")
        try tool.expectFailure(64, "cblite execute DATABASE STATEMENT", command, "db", "DELETE FROM _")
    }

    @Test("an index can be created, used, listed and deleted")
    func index() throws {
        let statement = "SELECT name FROM _ WHERE n > 10 AND type = 't'"
        #expect(try tool.run("explain", "--sql", "db", statement).output.contains("SCAN"))
        try tool.lines("index", "db", "create", "by_n", "type", "n")
        #expect(try tool.run("explain", "--sql", "db", statement).output.contains("USING INDEX by_n"))
        #expect(
            try tool.lines("explain", "db", statement)
                == ["searches index by_n of _default for type = ? and n > ?"]
        )
        #expect(try tool.lines("query", "--json", "db", statement) == [#"{"name":"two words"}"#])
        let explanation = try object(try tool.lines("explain", "--json", "db", statement)[0])
        #expect((explanation["plan"] as? [String])?.count == 1)
        #expect((explanation["sql"] as? String)?.hasPrefix("SELECT") == true)
        #expect((explanation["query"] as? NSDictionary)?["WHAT"] != nil)

        try tool.lines("index", "db", "create", "some", "lower(name)", "--where", "type = 't'")
        let indexes = try tool.lines("index", "--json", "db").map { try object($0) }
        #expect(indexes.map { $0["name"] as? String } == ["by_n", "some"])
        #expect(indexes[0]["expressions"] as? String == "type, n")
        #expect(indexes[0]["where"] is NSNull)
        #expect(indexes[1]["where"] as? String == "type = 't'")
        #expect(try tool.lines("index", "db").count == 3)
        #expect(try tool.run("info", "db").output.contains("by_n, some"))
        #expect(try tool.lines("check", "db").last == "No problems found.")

        try tool.lines("put", "db", "d", #"{"type":"t","n":11,"name":"new"}"#)
        #expect(try tool.lines("query", "--json", "db", statement + " ORDER BY n").first == #"{"name":"new"}"#)
        try tool.lines("compact", "db")
        try tool.lines("cp", "db", "copy")
        #expect(try tool.lines("check", "copy").last == "No problems found.")
        #expect(try tool.lines("query", "--json", "copy", statement).count == 2)

        try tool.lines("index", "db", "delete", "by_n")
        #expect(try tool.run("explain", "--sql", "db", statement).output.contains("SCAN"))
        try tool.expectFailure(66, "no index", "index", "db", "delete", "by_n")
    }

    @Test("explain advises indexes with the commands that create them")
    func advice() throws {
        let statement = "SELECT name FROM _ WHERE lower(name) = 'two words' ORDER BY n"
        let lines = try tool.lines("explain", "db", statement)
        try #require(lines.count == 4)
        #expect(lines[0] == "reads all 3 documents of _default")
        #expect(lines[1].hasPrefix("sorts the rows by n"))
        #expect(lines[3] == "  cblite index create db.cblite2 lower_name_n 'lower(name)' n")
        let json = try object(try tool.lines("explain", "--json", "db", statement)[0])
        let advice = try #require((json["advice"] as? [NSDictionary])?.first)
        #expect(advice["expressions"] as? [String] == ["lower(name)", "n"])
        #expect((json["steps"] as? [NSDictionary])?.map { $0["kind"] as? String } == ["scan", "sort"])
        #expect((json["steps"] as? [NSDictionary])?[0]["documents"] as? Int == 3)
        try tool.lines("index", "db", "create", "lower_name_n", "lower(name)", "n")
        #expect(
            try tool.lines("explain", "db", statement)
                == ["searches index lower_name_n of _default for lower(name) = ?"]
        )
    }

    @Test("an array index is created with --array and used by UNNEST")
    func arrayIndex() throws {
        try tool.lines("index", "db", "create", "tags", "--array", "tags")
        let statement = "SELECT d.name FROM _ AS d UNNEST d.tags AS t WHERE t = 'x'"
        #expect(try tool.lines("query", "--json", "db", statement) == [#"{"name":"é"}"#])
        #expect(try tool.lines("explain", "db", statement)[0] == "searches array index tags for element = ?")
        let index = try object(try tool.lines("index", "--json", "db")[0])
        #expect(index["path"] as? String == "tags" && index["kind"] as? String == "array")
        try tool.expectFailure(64, "--array", "index", "db", "create", "t", "--array", "tags", "--where", "n = 1")
        try tool.expectFailure(64, "cblite: ", "index", "db", "create", "t", "--array", "tags[]")
    }

    @Test("a full-text index is created with a language")
    func fullTextIndex() throws {
        try tool.lines("index", "db", "create", "words", "--full-text", "name", "--language", "en", "--ignore-accents")
        let statement = "SELECT meta().id FROM _ WHERE match(words, 'word')"
        #expect(try tool.lines("query", "--json", "db", statement) == [#"{"id":"b"}"#])
        #expect(try tool.lines("explain", "db", statement)[0] == "searches full-text index words")
        #expect(try object(try tool.lines("index", "--json", "db")[0])["kind"] as? String == "full-text")
        try tool.expectFailure(64, "--language", "index", "db", "create", "w", "name", "--language", "en")
        try tool.expectFailure(64, "--array", "index", "db", "create", "w", "name", "--full-text", "--array", "tags")
    }

    @Test("a full-text index has the synonyms of a file")
    func synonyms() throws {
        let path = "synonyms.txt"
        try tool.write(path, "# forms of texts\n\nword , term\n")
        try tool.lines("index", "db", "create", "words", "--full-text", "name", "--language", "en", "--synonyms", path)
        let statement = "SELECT meta().id FROM _ WHERE match(words, 'terms')"
        #expect(try tool.lines("query", "--json", "db", statement) == [#"{"id":"b"}"#])
        #expect(try tool.lines("explain", "db", statement)[0] == "searches full-text index words; expands terms to word")
        try tool.lines("compact", "db")
        #expect(try tool.lines("query", "--json", "db", statement) == [#"{"id":"b"}"#])
        try tool.expectFailure(64, "--synonyms", "index", "db", "create", "w", "name", "--synonyms", path)
        try tool.write(path, "one, two\nalone\n")
        try tool.expectFailure(65, "line 2", "index", "db", "create", "w", "name", "--full-text", "--synonyms", path)
        try tool.expectFailure(66, "synonyms", "index", "db", "create", "w", "name", "--full-text", "--synonyms", path + ".none")
    }

    @Test("an invalid index definition is refused")
    func badIndex() throws {
        try tool.expectFailure(64, "^", "index", "db", "create", "bad", ")")
        try tool.expectFailure(64, "cblite: ", "index", "db", "create", "bad", "n", "--where", ")")
        try tool.expectFailure(64, "at least one expression", "index", "db", "create", "bad")
        try tool.expectFailure(64, "cblite: ", "index", "db", "create", "", "n")
        try tool.expectFailure(64, "--where", "index", "db", "delete", "bad", "--where", "n = 1")
        #expect(try tool.lines("index", "--json", "db") == [])
    }

    @Test("a query on travel-sample returns the documented counts of airports and does not change the file")
    func travelSample() throws {
        try tool.copyFixture("travel-sample")
        let before = try tool.contents(of: "travel-sample.cblite2")
        let rows = try tool.lines(
            "query",
            "--json",
            "travel-sample",
            """
            SELECT country, tz, count(*) AS n FROM _ WHERE type = 'airport' AND geo.alt >= 300
            GROUP BY country, tz ORDER BY country, tz
            """
        )
        let expected: [(String, String, Int)] = [
            ("France", "Europe/Paris", 138), ("United Kingdom", "Europe/London", 29),
            ("United States", "America/Anchorage", 50), ("United States", "America/Chicago", 279),
            ("United States", "America/Denver", 123), ("United States", "America/Los_Angeles", 89),
            ("United States", "America/New_York", 309), ("United States", "America/Phoenix", 41),
            ("United States", "Asia/Chongqing", 1), ("United States", "Pacific/Honolulu", 5),
        ]
        #expect(rows == expected.map { #"{"country":"\#($0)","tz":"\#($1)","n":\#($2)}"# })
        #expect(try tool.contents(of: "travel-sample.cblite2") == before)
    }
}
