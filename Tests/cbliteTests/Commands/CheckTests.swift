import Foundation
import SQLiteEngine
import TestSupport
import Testing

@Suite("cblite check")
struct CheckTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
        try tool.write("file.txt", "the content of a blob")
        try tool.lines("put", "db", "a", "--blob", "file=file.txt")
    }

    private func damage(_ sql: String) throws {
        let connection = try Connection(path: tool.directory.path("db.cblite2/db.sqlite3"), mode: .create)
        try connection.execute(sql)
        try connection.close()
    }

    private func onlyBlob() throws -> URL {
        let attachments = tool.directory.url.appendingPathComponent("db.cblite2/Attachments")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: attachments.path).first)
        return attachments.appendingPathComponent(name)
    }

    @Test("check reports no findings for an intact database and counts the checked items")
    func good() throws {
        let report = try object(try tool.lines("check", "--json", "db")[0])
        #expect(report["ok"] as? Bool == true)
        #expect((report["findings"] as? [Any])?.isEmpty == true)
        let checked = try #require(report["checked"] as? [String: Int])
        #expect(checked["documents"] == 3)
        #expect(checked["revisions"] == 4)
        #expect(checked["blobs"] == 1)
        #expect(checked["collections"] == 1)
    }

    @Test("check counts revision IDs that other programs created in one line and without a warning")
    func foreignRevisionIDs() throws {
        try damage("UPDATE kv_default SET body = (SELECT body FROM kv_default WHERE key = 'c') WHERE key = 'b'")
        let result = try tool.run("check", "db")
        #expect(result.exitCode == 0)
        #expect(
            result.outputLines.dropFirst() == [
                "1 revision ID not derived from the content: created by another peer.", "No problems found.",
            ]
        )
        let checked = try object(try tool.lines("check", "--json", "db")[0])["checked"] as? [String: Int]
        #expect(checked?["foreignRevisionIDs"] == 1)
    }

    @Test(
        "check reports damage with its subject and exits with code 1",
        arguments: [
            ("UPDATE kv_default SET body = x'FF' WHERE key = 'b'", "_default._default/b"),
            ("UPDATE kv_default SET extra = x'00000009' WHERE key = 'c'", "_default._default/c"),
            ("UPDATE kv_default SET version = x'' WHERE key = 'c'", "_default._default/c"),
            ("UPDATE kvmeta SET lastSeq = 1 WHERE name = 'default'", "_default._default"),
            ("UPDATE kv_info SET body = x'1234' WHERE key = 'SharedKeys'", "shared keys"),
        ]
    )
    func damaged(sql: String, subject: String) throws {
        try damage(sql)
        let result = try tool.run("check", "db")
        #expect(result.exitCode == 1)
        #expect(result.output.contains("error: \(subject)"), "\(result.output) \(result.errorOutput)")
        let report = try object(try #require(try tool.run("check", "--json", "db").outputLines.first))
        #expect(report["ok"] as? Bool == false)
        let findings = try #require(report["findings"] as? [[String: String]])
        #expect(findings.contains { $0["severity"] == "error" && $0["subject"]?.hasPrefix(subject) == true })
    }

    @Test("check reports a blob that is missing or has other content")
    func blobs() throws {
        let blob = try onlyBlob()
        try FileManager.default.removeItem(at: blob)
        try Data("other content".utf8).write(to: blob)
        let result = try tool.run("check", "db")
        #expect(result.exitCode == 1)
        #expect(result.output.contains(blob.lastPathComponent))
        try FileManager.default.removeItem(at: blob)
        #expect(try tool.run("check", "db").output.contains("a"))
        #expect(try tool.run("check", "db").exitCode == 1)
    }

    @Test("a damaged document fails only the commands that read it")
    func readingDamage() throws {
        try damage("UPDATE kv_default SET body = x'FF' WHERE key = 'b'")
        try tool.expectFailure(65, "document \"b\" is damaged", "cat", "db", "b")
        try tool.expectFailure(65, "cblite check", "export", "db")
        #expect(try tool.lines("cat", "db", "c") == [#"{"_id":"c","n":3}"#])
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
    }
}
