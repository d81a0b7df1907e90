import Foundation
import TestSupport
import Testing

@testable import cblite

@Suite("Tables and formats of rows")
struct TableTests {
    private func layout(_ titles: [String], _ rows: [[Table.Cell]], limit: Int?, isRight: [Bool]? = nil, mayGrow: Bool = false) -> [String]
    {
        let layout = TableLayout(
            titles,
            rows,
            isRight: isRight ?? titles.map { _ in false },
            form: .plain,
            limit: limit,
            mayGrow: mayGrow
        )
        return [layout.titleLine(Style(isColoured: false)).text] + rows.map(layout.line)
    }

    @Test(
        "the width of a text is that of its cells in a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("中文", 4), ("日本語 x", 8), ("한글", 4), ("العربية", 7), ("👍", 2),
            ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("क्ष", 2), ("ﾊﾝｶｸ", 4), ("\u{200B}x", 1),
        ]
    )
    func widths(text: String, expected: Int) {
        DisplayWidth.prepare()
        #expect(DisplayWidth.of(text) == expected)
    }

    @Test("a text is cut before the character that does not fit, and wide characters are not halved")
    func cutting() {
        DisplayWidth.prepare()
        #expect(DisplayWidth.cut("abcdef", to: 6) == "abcdef")
        #expect(DisplayWidth.cut("abcdef", to: 5) == "abcd…")
        #expect(DisplayWidth.cut("中文字", to: 6) == "中文字")
        #expect(DisplayWidth.cut("中文字", to: 5) == "中文…")
        #expect(DisplayWidth.cut("中文字", to: 4) == "中…")
        #expect(DisplayWidth.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
    }

    @Test("control characters and marks of direction are escaped, so that data cannot control the terminal")
    func escaping() {
        #expect(DisplayWidth.printable("a\u{1B}[2Jb\n\u{9B}1m") == #"a\u{1b}[2Jb\u{a}\u{9b}1m"#)
        #expect(DisplayWidth.printable("x\u{202E}y\u{2066}") == #"x\u{202e}y\u{2066}"#)
        #expect(DisplayWidth.printable("é中👍") == "é中👍")
    }

    @Test("columns line up whatever the width of their characters")
    func alignment() {
        DisplayWidth.prepare()
        let lines = layout(["name", "n"], [["中文", "1"], ["e\u{301}", "22"]], limit: nil, isRight: [false, true])
        #expect(lines == ["name   n", "中文   1", "e\u{301}     22"])
    }

    @Test("columns of text are cut before columns of numbers, so that the table fits the terminal")
    func fitting() {
        DisplayWidth.prepare()
        let long = Table.Cell(String(repeating: "x", count: 50))
        let lines = layout(["a", "number", "b"], [[long, "1234567890", "short"]], limit: 40, isRight: [false, true, false])
        #expect(lines.allSatisfy { $0.count <= 40 })
        #expect(lines[1] == String(repeating: "x", count: 20) + "…  1234567890  short")
    }

    @Test("columns for which the terminal has no room are left out, and counted")
    func hiddenColumns() {
        DisplayWidth.prepare()
        let titles = (0..<30).map { "column \($0)" }
        let layout = TableLayout(titles, [], isRight: titles.map { _ in false }, form: .plain, limit: 40, mayGrow: false)
        #expect(layout.hiddenColumns == 23)
        #expect(DisplayWidth.of(layout.titleLine(Style(isColoured: false)).text) <= 40)
    }

    @Test("every width of a terminal gives lines that fit it", arguments: 1...60)
    func anyWidth(limit: Int) {
        DisplayWidth.prepare()
        let rows: [[Table.Cell]] = [["中文字中文字", "12345", "text text", "e\u{301}"], ["a", "1", "b", "c"]]
        for form in [Table.Form.plain, .box] {
            for mayGrow in [false, true] {
                let layout = TableLayout(
                    ["one", "two", "three", "four"],
                    rows,
                    isRight: [false, true, false, false],
                    form: form,
                    limit: limit,
                    mayGrow: mayGrow
                )
                let lines = [layout.titleLine(Style(isColoured: false)).text] + rows.map(layout.line)
                // The narrowest table is one column of four cells, with its frame.
                #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(limit, form == .box ? 8 : 4) })
            }
        }
    }

    private func rows(_ format: String, _ statement: String = "SELECT name, n, tags, none FROM _ ORDER BY n") throws -> String {
        let tool = try Tool()
        try tool.makeDatabase(
            #"{"_id":"a","name":"é, \"x\"","n":1,"tags":["x|y"],"none":null}"#,
            #"{"_id":"b","name":"","n":20}"#
        )
        let result = try tool.run("query", "--format", format, "db", statement)
        #expect(result.errorOutput == "")
        return result.output
    }

    @Test("--format csv quotes what needs quotes, and tells an empty string from nothing")
    func csv() throws {
        #expect(try rows("csv") == "name,n,tags,none\n\"é, \"\"x\"\"\",1,\"[\"\"x|y\"\"]\",\n\"\",20,,\n")
    }

    @Test("--format json is an array, also without rows")
    func json() throws {
        let text = try rows("json")
        let array = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [NSDictionary])
        #expect(array.count == 2)
        #expect(array[1] == ["name": "", "n": 20])
        #expect(try rows("json", "SELECT n FROM _ WHERE n > 100") == "[]\n")
    }

    @Test("--format markdown escapes the separator and marks columns of numbers")
    func markdown() throws {
        let lines = try rows("markdown").split(separator: "\n").map(String.init)
        #expect(
            lines == [
                #"| name   |   n | tags     | none |"#,
                #"|--------|----:|----------|------|"#,
                #"| é, "x" |   1 | ["x\|y"] | null |"#,
                #"|        |  20 |          |      |"#,
            ]
        )
    }

    @Test("the properties of documents that are written as * are columns, and those that the first rows do not have are in a last column")
    func documents() throws {
        let tool = try Tool()
        try tool.makeDatabase(#"{"_id":"a","name":"Ann","tags":[1]}"#, #"{"_id":"b","age":7}"#)
        func table(_ statement: String, _ format: String = "table") throws -> [String] {
            Array(try tool.lines("query", "--no-pager", "--format", format, "db", statement).dropLast())
        }
        let expected = ["age  name  tags", "     Ann   [1]", "  7"]
        #expect(try table("SELECT * FROM _ ORDER BY meta().id") == expected)
        #expect(try table("SELECT e.* FROM _ AS e ORDER BY meta(e).id") == expected)
        #expect(try table("SELECT meta().id, * FROM _ ORDER BY meta().id") == ["id  age  name  tags", "a        Ann   [1]", "b     7"])
        #expect(try table("SELECT e FROM _ AS e ORDER BY meta(e).id")[1].contains(#"{"name":"Ann","tags":[1]}"#))
        #expect(try table("SELECT * FROM _ WHERE FALSE") == ["_"])
        let expanded = try table("SELECT * FROM _ ORDER BY meta().id", "expanded")
        #expect(expanded == ["─── row 1 ───", "name  Ann", "tags  [1]", "─── row 2 ───", "age  7"])
        // Programs get the result as it is.
        #expect(try tool.lines("query", "--json", "db", "SELECT * FROM _ ORDER BY meta().id")[1] == #"{"_":{"age":7}}"#)
        let many = (0..<150).map { #"{"_id":"\#(1000 + $0)","n":\#($0)\#($0 == 149 ? ",\"late\":[true]" : "")}"# }
        try tool.lines("import", "--create", "many", "-", input: many.joined(separator: "\n"))
        let rows = try tool.lines("query", "--no-pager", "many", "SELECT * FROM _ ORDER BY meta().id")
        #expect(rows[0] == " n  …")
        #expect(rows[1] == " 0")
        #expect(rows[150] == #"149  {"late":[true]}"#)
    }

    @Test("--format box draws a frame, and --format expanded one line for each value")
    func boxAndExpanded() throws {
        let box = try rows("box", "SELECT n FROM _ ORDER BY n").split(separator: "\n").map(String.init)
        #expect(box.dropLast() == ["┌────┐", "│  n │", "├────┤", "│  1 │", "│ 20 │", "└────┘"])
        #expect(box.last?.hasPrefix("2 rows, ") == true)
        let expanded = try rows("expanded").split(separator: "\n").map(String.init)
        #expect(
            expanded.dropLast() == [
                "─── row 1 ───", "name  é, \"x\"", "n     1", #"tags  ["x|y"]"#, "none  null", "─── row 2 ───", "name  ", "n     20",
            ]
        )
    }

    @Test("--json and another --format contradict each other")
    func contradiction() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        try tool.expectFailure(64, "--json is --format jsonl", "query", "--json", "--format", "csv", "db", "SELECT n FROM _")
        #expect(try tool.lines("query", "--json", "--format", "jsonl", "db", "SELECT n FROM _ ORDER BY n").count == 3)
    }

    @Test("rows are printed while the query runs, and a reader that has enough ends it")
    func streaming() throws {
        let tool = try Tool()
        let documents = (0..<2_000).map { #"{"_id":"\#($0)","n":\#($0)}"# }.joined(separator: "\n")
        try tool.lines("import", "--create", "db", "-", input: documents)
        // The join has 8,000,000,000 rows.
        for format in ["table", "jsonl", "csv"] {
            let statement = "SELECT a.n FROM _ AS a CROSS JOIN _ AS b CROSS JOIN _ AS c"
            let result = try tool.shell("{ cblite query --format \(format) db '\(statement)'; echo code $? >&2; } | head -n 5")
            #expect(result.outputLines.count == 5)
            #expect(result.errorOutput == "code 0\n")
        }
    }

    @Test(
        "on a terminal a table fits the line and says how many columns it does not show",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script")
    )
    func terminal() throws {
        let tool = try Tool()
        try tool.makeDatabase(#"{"_id":"a","text":"\#(String(repeating: "中", count: 60))","n":12345}"#)
        let columns = (0..<12).map { "n AS column\($0)" }.joined(separator: ", ")
        let result = try tool.shell(
            "COLUMNS=40 PAGER=cat TERM=xterm NO_COLOR=1 script -qec \"$CBLITE query db 'SELECT text, \(columns) FROM _'\" /dev/null </dev/null"
        )
        let lines = result.output.split { $0.isNewline }.map(String.init)
        DisplayWidth.prepare()
        #expect(lines.count == 4, "\(result.output)")
        #expect(lines.dropLast().allSatisfy { DisplayWidth.of($0) <= 40 || $0.contains("not shown") })
        #expect(lines[2].hasSuffix("columns not shown: the terminal is too narrow"))
    }
}
