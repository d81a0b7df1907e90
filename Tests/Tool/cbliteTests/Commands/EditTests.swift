import Foundation
import TestSupport
import Testing

@Suite("cblite edit")
struct EditTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    /// Runs the command with a shell script as the editor, which gets the path of the file as `$1`. Standard input is no terminal.
    private func edit(_ script: String, _ arguments: String = "a") throws -> ProcessResult {
        try tool.write("editor.sh", "#!/bin/sh\n\(script)\n")
        return try tool.shell("VISUAL= EDITOR='sh ./editor.sh' TMPDIR=$PWD cblite edit db \(arguments) </dev/null")
    }

    /// Returns the texts of the temporary files that are left.
    private func keptTexts() throws -> [String] {
        let directories = try FileManager.default.contentsOfDirectory(atPath: tool.directory.path("")).filter {
            $0.hasPrefix("cblite-edit-")
        }
        return try directories.map { try String(decoding: tool.data($0 + "/a.json"), as: UTF8.self) }
    }

    @Test("the document is edited as indented JSON, and saved if it was changed")
    func saving() throws {
        let result = try edit("cp \"$1\" before; echo '{\"n\": 5, \"m\": [1]}' > \"$1\"")
        #expect(result.exitCode == 0 && result.output.hasPrefix("Saved a, revision 2-"), "\(result.errorOutput)")
        #expect(try String(decoding: tool.data("before"), as: UTF8.self) == "{\n  \"n\": 1\n}\n")
        #expect(try tool.lines("cat", "db", "a") == [#"{"_id":"a","m":[1],"n":5}"#])
        #expect(try keptTexts() == [])
    }

    @Test("a document whose meaning did not change is not saved")
    func unchanged() throws {
        let result = try edit("echo '{ \"n\" : 1 }' > \"$1\"", "a --json")
        #expect(try object(result.outputLines[0])["changed"] as? Bool == false)
        #expect(try tool.lines("revs", "db", "a").count == 1)
        #expect(try keptTexts() == [])
    }

    @Test("if the document was changed meanwhile, nothing is saved, and the text is kept in a file")
    func conflict() throws {
        let result = try edit("\"$CBLITE\" put db a --set n=7 >/dev/null; echo '{\"n\": 5}' > \"$1\"")
        #expect(result.exitCode == 75)
        #expect(result.errorOutput.contains("was changed while it was edited") && result.errorOutput.contains("The text is kept in"))
        #expect(try tool.lines("cat", "db", "a") == [#"{"_id":"a","n":7}"#])
        #expect(try keptTexts() == ["{\"n\": 5}\n"])
        let deleted = try edit("\"$CBLITE\" rm db a >/dev/null; echo '{\"n\": 6}' > \"$1\"")
        #expect(deleted.exitCode == 75)
    }

    @Test("invalid JSON is not saved, and the text is kept in a file", arguments: ["{\"n\": ", "[1]", "{\"_id\":\"b\"}"])
    func invalid(text: String) throws {
        let result = try edit("printf '%s' '\(text)' > \"$1\"")
        #expect(result.exitCode == 65)
        #expect(result.errorOutput.contains("The text is kept in"))
        #expect(try keptTexts() == [text])
        #expect(try tool.lines("revs", "db", "a").count == 1)
    }

    @Test("a failing editor saves nothing, and a missing document is created only on request")
    func failing() throws {
        let result = try edit("echo '{}' > \"$1\"; exit 3")
        #expect(result.exitCode == 74 && result.errorOutput.contains("the editor"))
        #expect(try edit("true", "x").exitCode == 66)
        let created = try edit("echo '{\"n\": 1}' > \"$1\"", "x --create")
        #expect(created.output.hasPrefix("Saved x, revision 1-"), "\(created.errorOutput)")
    }
}
