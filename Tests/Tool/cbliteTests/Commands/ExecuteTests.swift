import Foundation
import TestSupport
import Testing

@Suite("cblite execute")
struct ExecuteTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(#"{"_id":"a","n":1}"#, #"{"_id":"b","n":2}"#, #"{"_id":"c","n":3}"#)
    }

    @Test("execute changes documents and prints their number")
    func changing() throws {
        #expect(try tool.lines("execute", "db", "UPDATE _ SET n = n + 1 WHERE n > 1") == ["2 documents changed"])
        #expect(
            try tool.lines("execute", "db", "UPDATE _ SET list[9] = 5")
                == ["0 documents changed, 3 documents skipped because no assignment applies to what is there"]
        )
        #expect(try tool.lines("execute", "db", "DELETE FROM _ WHERE n = $n", "--param", "n=3") == ["1 document changed"])
        let insertion = "INSERT INTO _ (KEY, VALUE) VALUES ('d', $v)"
        #expect(try tool.lines("execute", "db", insertion, "--param", #"v={"n":9}"#) == ["1 document changed"])
        #expect(try tool.lines("cat", "db", "d") == [#"{"_id":"d","n":9}"#])
        #expect(try tool.lines("ls", "db") == ["a", "c", "d"])
    }

    @Test("execute prints the rows of RETURNING as a table, or as JSON")
    func returning() throws {
        let result = try tool.run("execute", "db", "UPDATE _ SET m = 0 WHERE n < 3 RETURNING meta().id, n")
        #expect(result.output == "id  n\na   1\nb   2\n2 documents changed\n")
        let json = try tool.run("execute", "--json", "db", "DELETE FROM _ WHERE n = 1 RETURNING n")
        #expect(json.output == "{\"n\":1}\n")
        #expect(json.errorOutput == "1 document changed\n")
    }

    @Test("an invalid statement is reported with its position and changes nothing")
    func invalid() throws {
        let result = try tool.run("execute", "db", "UPDATE _ SET n 5")
        #expect(result.exitCode == 64)
        #expect(result.errorOutput.contains("UPDATE _ SET n 5"))
        #expect(try tool.run("execute", "db", "UPDATE _ SET n = $x").exitCode != 0)
        #expect(try tool.lines("query", "--json", "db", "SELECT count(*) AS total FROM _ WHERE n > 0") == [#"{"total":3}"#])
    }

    @Test("a DELETE without a condition needs --yes where nobody can be asked")
    func deletingAll() throws {
        for text in ["DELETE FROM _", "delete from _ AS d -- WHERE\n", "DELETE FROM `where`"] {
            try tool.expectFailure(64, "Confirm it with --yes", "execute", "db", text)
        }
        #expect(try tool.lines("execute", "db", "DELETE FROM _ LIMIT 1") == ["1 document changed"])
        #expect(try tool.lines("execute", "--yes", "db", "DELETE FROM _") == ["2 documents changed"])
    }

    @Test("an INSERT of other databases is answered with the form that is used here")
    func insertion() throws {
        try tool.expectFailure(64, "Type: INSERT INTO _ (KEY, VALUE) VALUES ('ID', ", "execute", "db", "INSERT INTO _ VALUES ('a', 1)")
    }

    @Test("execute runs a query too")
    func query() throws {
        #expect(try tool.run("execute", "db", "SELECT n FROM _ WHERE n = 1").output == "n\n1\n0 documents changed\n")
    }
}
