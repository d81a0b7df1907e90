import Foundation
import TestSupport
import Testing

@Suite("cblite import with invalid input")
struct ImportErrorTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    /// Writes a file with 6,000 lines, of which the 5,000th has a letter instead of a value.
    private func writeBrokenLines() throws {
        var lines = (1...6000).map { #"{"_id":"d\#($0)","n":\#($0)}"# }
        lines[4999] = #"{"_id":"é5000","n":x}"#
        try tool.write("broken.jsonl", lines.joined(separator: "\n"))
    }

    @Test("an invalid line stops the import with its position, and earlier documents are kept", arguments: [1, 100, 5000])
    func stop(batch: Int) throws {
        try writeBrokenLines()
        let result = try tool.run("import", "--create", "--batch", "\(batch)", "--json", "db", "broken.jsonl")
        #expect(result.exitCode == 65)
        #expect(result.errorOutput.contains("broken.jsonl:5000:20: not JSON: unexpected character"))
        #expect(result.errorOutput.contains("4,999 documents before it were imported and kept"))
        let summary = try object(result.outputLines[0])
        #expect(summary["imported"] as? Int == 4999)
        let problem = try #require((summary["problems"] as? [NSDictionary])?.first)
        #expect(problem["line"] as? Int == 5000)
        #expect(problem["column"] as? Int == 20)
        #expect(problem["file"] as? String == "broken.jsonl")
        #expect(try tool.lines("ls", "db").count == 4999)
    }

    @Test("--on-error skip imports all valid lines")
    func skip() throws {
        try writeBrokenLines()
        let result = try tool.run("import", "--create", "--on-error", "skip", "db", "broken.jsonl")
        #expect(result.exitCode == 65)
        #expect(result.output.hasPrefix("Imported 5,999 documents"))
        #expect(result.errorOutput.contains("broken.jsonl:5000:20: not JSON"))
        #expect(try tool.lines("ls", "db").count == 5999)
    }

    @Test("--on-error rollback keeps no documents and no new database")
    func rollback() throws {
        try writeBrokenLines()
        try tool.expectFailure(65, "broken.jsonl:5000:20", "import", "--create", "--on-error", "rollback", "db", "broken.jsonl")
        #expect(!tool.exists("db.cblite2"))
        try tool.makeDatabase()
        // A directory without a database, beside a database of that name.
        try FileManager.default.createDirectory(atPath: tool.directory.path("db"), withIntermediateDirectories: false)
        try tool.expectFailure(65, "broken.jsonl:5000:20", "import", "--create", "--on-error", "rollback", "db", "broken.jsonl")
        try? FileManager.default.removeItem(atPath: tool.directory.path("db"))
        let before = try tool.lines("export", "db")
        try tool.write("good.jsonl", #"{"_id":"a","changed":true}"#)
        let result = try tool.run("import", "--on-error", "rollback", "--json", "db", "good.jsonl", "broken.jsonl")
        #expect(result.exitCode == 65)
        #expect(try object(result.outputLines[0])["imported"] as? Int == 0)
        #expect(try tool.lines("export", "db") == before)
        #expect(try tool.lines("revs", "db", "a").count == 1)
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test("the message names the line in which the broken document begins")
    func beginning() throws {
        let array = "[\n{\"_id\":\"a\"},\n{\n  \"n\": 1,\n  \"m\": x\n}\n]"
        let result = try tool.run("import", "--create", "--json", "db", "-", input: array)
        #expect(result.errorOutput.contains("standard input:5:8: not JSON"))
        #expect(result.errorOutput.contains("(the document begins in line 3)"))
        let problem = try #require((try object(result.outputLines[0])["problems"] as? [NSDictionary])?.first)
        #expect(problem["line"] as? Int == 5 && problem["documentLine"] as? Int == 3)
    }

    @Test("a failed import of no documents leaves no new database and no new collection")
    func nothingLeft() throws {
        try tool.expectFailure(65, "Nothing was imported", "import", "--create", "db", "-", input: "{")
        #expect(!tool.exists("db.cblite2"))
        try tool.makeDatabase()
        try tool.expectFailure(65, "1:2", "import", "--create", "--collection", "s.new", "db", "-", input: "{")
        #expect(try tool.lines("collections", "--json", "db").count == 1)
        try tool.lines("import", "--create", "--collection", "s.old", "db", "-", input: "")
        try tool.expectFailure(65, "1:2", "import", "--create", "--collection", "s.old", "db", "-", input: "{")
        #expect(try tool.lines("collections", "--json", "db").count == 2)
    }

    @Test("all invalid lines are counted, and only the first 20 are printed")
    func manyProblems() throws {
        let result = try tool.run(
            "import",
            "--create",
            "--on-error",
            "skip",
            "--json",
            "db",
            "-",
            input: String(repeating: "!\n", count: 1000)
        )
        #expect(result.exitCode == 65)
        #expect(try object(result.outputLines[0])["skipped"] as? Int == 1000)
        #expect(result.errorOutput.contains("standard input:20:1"))
        #expect(!result.errorOutput.contains("standard input:21:1"))
        #expect(result.errorOutput.contains("and 980 more"))
    }

    @Test(
        "each kind of invalid document is reported with its position",
        arguments: [
            (#"{"a":"#, 1, 6, "ends too early"), (#"{"a":1} x"#, 1, 9, "after the value"),
            ("[1,2]\n", 1, 2, "JSON object"),
            ("7", 1, 1, "JSON object"), (#"{"a":1,"a":2}"#, 1, 8, "duplicate key"), (#"{"a":"\ud800"}"#, 1, 7, "surrogate"),
            (#"{"a":1e999}"#, 1, 6, "range"), (#"{"_id":true}"#, 1, 1, "ID in \"_id\""),
            (#"{"_id":"_bad"}"#, 1, 1, "document ID"), (#"{"_id":""}"#, 1, 1, "document ID"),
            (#"{"_id":"x","_rev":"1-aa"}"#, 1, 1, "reserved"),
            ("[{},\n  {\"a\": tru}\n]", 2, 12, "unexpected character"), ("[{}\n {}]", 2, 2, "comma"),
            ("[{},]", 1, 5, "object was expected"), ("[{}", 1, 4, "ends inside the array"),
            ("[{}] {}", 1, 6, "after the array"), ("[{\"a\":[}]", 1, 8, "unexpected character"),
            ("[{\"a\":\n\"b", 2, 3, "ends too early"),
        ] as [(String, Int, Int, String)]
    )
    func kinds(text: String, line: Int, column: Int, message: String) throws {
        try tool.makeDatabase()
        let result = try tool.run("import", "db", "-", input: text)
        #expect(result.exitCode == 65)
        #expect(result.errorOutput.contains("standard input:\(line):\(column): "), "\(result.errorOutput)")
        #expect(result.errorOutput.contains(message), "\(result.errorOutput)")
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test("JSON nested 100,000 levels deep is refused")
    func tooDeep() throws {
        let text = String(repeating: "{\"a\":", count: 100_000)
        try tool.expectFailure(65, "nested deeper", "import", "--create", "db", "-", input: text)
        let array = "[" + String(repeating: "[", count: 100_000)
        try tool.expectFailure(65, "nested deeper", "import", "--create", "db", "-", input: array)
    }

    @Test("an invalid array item is skipped when its end can be determined")
    func skippedItem() throws {
        let result = try tool.run(
            "import",
            "--create",
            "--on-error",
            "skip",
            "db",
            "-",
            input: #"[{"_id":"a"},{"_id":01},"text, with ] }",[1],{"_id":"b"}]"#
        )
        #expect(result.exitCode == 65)
        #expect(result.output.hasPrefix("Imported 2 documents"))
        #expect(try tool.lines("ls", "db") == ["a", "b"])
    }

    @Test("input that is not valid UTF-8 or JSON text is refused")
    func binary() throws {
        try Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]).write(to: tool.directory.url.appendingPathComponent("b"))
        try tool.expectFailure(65, "b:1:3: not JSON: invalid UTF-8", "import", "--create", "db", "b")
        try Data(count: 300_000).write(to: tool.directory.url.appendingPathComponent("zeros"))
        try tool.expectFailure(65, "zeros:1:1: not JSON", "import", "--create", "db", "zeros")
    }
}
