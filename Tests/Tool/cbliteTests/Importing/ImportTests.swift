import Foundation
import TestSupport
import Testing

@Suite("cblite import")
struct ImportTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private static let expected = [
        #"{"_id":"a","n":1}"#, #"{"_id":"b","s":"[}\\\"{"}"#, #"{"_id":"c","l":[{"x":[]}]}"#,
    ]

    private static let layouts: [String] = {
        let lines = expected.joined(separator: "\n")
        let spacedLines = expected.joined(separator: "\r\n\r\n  \n") + "\n"
        let compactArray = "[" + expected.joined(separator: ",") + "]"
        let spacedArray = " \n[\n" + expected.joined(separator: "\n,\n ") + " ] \n"
        let brokenUpArray = compactArray.replacingOccurrences(of: ":", with: " :\n")
        return [lines, "\u{FEFF}" + lines, spacedLines, compactArray, spacedArray, "\u{FEFF}" + brokenUpArray]
    }()

    @Test("lines and arrays of documents are imported in any layout", arguments: layouts)
    func forms(text: String) throws {
        try tool.lines("import", "--create", "db", "-", input: text)
        #expect(try tool.lines("export", "db") == Self.expected)
        try tool.write("file", text)
        try tool.lines("import", "--create", "other", "file")
        #expect(try tool.lines("export", "other") == Self.expected)
    }

    @Test("empty input imports nothing", arguments: ["", "\n \n", "[]", " [ ] "])
    func empty(text: String) throws {
        #expect(try tool.lines("import", "--create", "db", "-", input: text)[0].hasPrefix("Imported 0 documents"))
        #expect(try tool.lines("ls", "db") == [])
    }

    @Test("a directory is imported with one document per JSON file, identified by _id or the file name")
    func directory() throws {
        try tool.write("in/one.json", #"{"n":1}"#)
        try tool.write("in/two.json", "{\n \"_id\": \"deux\"\n}")
        try tool.write("in/notes.txt", "not JSON")
        try tool.lines("import", "--create", "db", "in")
        #expect(try tool.lines("export", "db") == [#"{"_id":"deux"}"#, #"{"_id":"one","n":1}"#])
        try tool.write("in/zzz.json", "{\n \"a\": }")
        try tool.expectFailure(65, "in/zzz.json:2:7: not JSON", "import", "db", "in")
        try tool.write("none/notes.txt", "")
        try tool.expectFailure(66, "no .json files", "import", "db", "none")
    }

    @Test("--path imports the array inside of an object")
    func path() throws {
        let big = String(repeating: #"{"a":"]}\\"}, "#, count: 50_000)
        let text =
            #"{"type" : "F", "skip":[\#(big)"a"], "features":1.5, "\u0064ata" : {"x.y":[{"_id":"a"}, {"_id":"b"}], "features":[7]}, "z":0} "#
        try tool.lines("import", "--create", "db", "-", "--path", "data.x\\.y", input: text)
        #expect(try tool.lines("ls", "db") == ["a", "b"])
        try tool.expectFailure(65, #"there is no property "none""#, "import", "db", "-", "--path", "data.none", input: text)
        try tool.expectFailure(65, "an array was expected", "import", "db", "-", "--path", "features", input: text)
        try tool.expectFailure(65, "must be a JSON object", "import", "db", "-", "--path", "data.features", input: text)
        try tool.expectFailure(65, #"an object with the property "a" was expected"#, "import", "db", "-", "--path", "a", input: "[]")
        try tool.expectFailure(65, "ends", "import", "db", "-", "--path", "a", input: #"{"b":[1,"#)
        try tool.expectFailure(64, "--path a[1]", "import", "db", "-", "--path", "a[1]", input: text)
    }

    @Test("several inputs are imported one after the other")
    func severalInputs() throws {
        try tool.write("1.jsonl", #"{"_id":"a"}"#)
        try tool.write("2.json", #"[{"_id":"b"}]"#)
        let summary = try tool.lines("import", "--create", "--json", "db", "1.jsonl", "2.json", "-", input: #"{"_id":"c"}"#)
        #expect(try object(summary[0])["imported"] as? Int == 3)
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
    }

    @Test("more inputs than a process can have open are imported")
    func manyInputs() throws {
        for number in 0..<100 { try tool.write("in\(number).jsonl", "{}") }
        let result = try tool.shell("ulimit -n 64; cblite import --create db in*.jsonl")
        #expect(result.output.hasPrefix("Imported 100 documents"), "\(result.errorOutput)")
    }

    @Test("a document ID comes from _id or another property, or is generated")
    func ids() throws {
        try tool.lines("import", "--create", "db", "-", "--id-property", "code", input: #"{"code":"x","_id":"gone"}"#)
        try tool.lines("import", "db", "-", "--id-property", "code", input: #"{"code":17}"#)
        #expect(try tool.lines("export", "db") == [#"{"_id":"17","code":17}"#, #"{"_id":"x","code":"x"}"#])
        try tool.lines("import", "--create", "made", "-", input: "{}\n{}\n{\"n\":1}")
        let ids = try tool.lines("ls", "made")
        #expect(Set(ids).count == 3)
        #expect(ids.allSatisfy { $0.count == 23 && $0.hasPrefix("-") })
    }

    @Test(
        "an integer that is the ID is the ID as it is written, whatever its size",
        arguments: [
            ["12345678901234567890", "12345678901234567891", "18446744073709551615", "9223372036854775807", "-9223372036854775808"],
            ["18446744073709551616", "18446744073709551617", "100000000000000000000000000000000000000000", "-9223372036854775809"],
        ]
    )
    func integerIDs(ids: [String]) throws {
        let lines = ids.map { #"{"x":{"id":1,"y":["id",{"id":2}]},"s":"\"id\":3","\u0069d" : \#($0) }"# }
        try tool.lines("import", "--create", "db", "-", "--id-property", "id", input: lines.joined(separator: "\n"))
        #expect(try tool.lines("ls", "db").sorted() == ids.sorted())
        for number in ["1.5", "1e3", "12345678901234567890.0", "true", "[1]"] {
            let message = "the ID in \"id\" must be a string or an integer"
            try tool.expectFailure(65, message, "import", "db", "-", "--id-property", "id", input: "{\"id\":\(number)}")
        }
    }

    @Test("numbers, dates and texts are the same after they were imported, exported and imported again")
    func roundTrip() throws {
        let tool = try ProcessRunner(product: "cblite")
        var roundTrip = DocumentRoundTrip(tool, seed: TestSeed.forThisTest())
        let outcome = try roundTrip.run(count: 2_000)
        #expect(outcome.failures.prefix(5).isEmpty, "\(outcome.failures.prefix(5).joined(separator: "\n"))")
        #expect(outcome.values > 2_000)
    }

    @Test("import saves a new revision of an existing document")
    func updating() throws {
        try tool.makeDatabase()
        let summary = try object(try tool.lines("import", "--json", "db", "-", input: #"[{"_id":"a"},{"_id":"z"}]"#)[0])
        #expect(summary["created"] as? Int == 1)
        #expect(summary["updated"] as? Int == 1)
        #expect(try tool.lines("cat", "db", "a") == [#"{"_id":"a"}"#])
        #expect(try tool.lines("revs", "db", "a").count == 2)
    }

    @Test("import creates a database or collection only with --create")
    func creating() throws {
        try tool.expectFailure(66, "--create", "import", "db", "-", input: "{}")
        #expect(!tool.exists("db") && !tool.exists("db.cblite2"))
        try tool.expectFailure(66, "none.jsonl", "import", "--create", "db", "none.jsonl")
        #expect(!tool.exists("db.cblite2"))
        try tool.makeDatabase()
        try tool.expectFailure(66, "hotels", "import", "db", "-", "--collection", "hotels", input: "{}")
    }

    @Test("import recognizes blob references")
    func blobReferences() throws {
        let reference = #"{"@type":"blob","digest":"sha1-sS5EUrLKgZe3YFwio6Q8lgbe1h4=","length":7}"#
        let result = try tool.run("import", "--create", "db", "-", input: #"{"_id":"a","list":[\#(reference)]}"#)
        #expect(result.exitCode == 0 && result.errorOutput.hasPrefix("1 blob in the documents has no content"))
        #expect(try object(try tool.lines("ls", "-l", "--json", "db")[0])["blobs"] as? Bool == true)
    }

    @Test("50,000 lines and an array of them are imported with the same result")
    func many() throws {
        let documents = (0..<50_000).map { #"{"_id":"d\#($0)","n":\#($0),"text":"some text of document \#($0)"}"# }
        try tool.write("many.jsonl", documents.joined(separator: "\n"))
        try tool.write("many.json", "[\n  " + documents.joined(separator: ",\n  ") + "\n]\n")
        try tool.lines("import", "--create", "lines", "many.jsonl")
        try tool.lines("import", "--create", "array", "many.json", "--batch", "7000")
        try tool.lines("export", "lines", "-o", "1")
        try tool.lines("export", "array", "-o", "2")
        let exported = try tool.data("1")
        #expect(exported.split(separator: UInt8(ascii: "\n")).count == 50_000)
        #expect(exported == (try tool.data("2")))
        #expect(String(decoding: exported, as: UTF8.self) == documents.sorted().joined(separator: "\n") + "\n")
    }

    @Test("the sample data can be imported without errors")
    func samples() throws {
        let samples = Fixtures.packageRoot.appendingPathComponent("Samples/travel")
        try tool.lines("import", "--create", "travel", samples.appendingPathComponent("airports.jsonl").path)
        try tool.lines("import", "travel", samples.appendingPathComponent("routes.jsonl").path)
        #expect(try tool.lines("ls", "travel", "airport_*").count >= 300)
        #expect(try tool.lines("ls", "travel", "route_*").count >= 300)
        #expect(try DatabaseChecker.check(tool.directory.url.appendingPathComponent("travel.cblite2")).problems == [])
    }
}
