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

    private func overwrite(pageOf table: String) throws {
        let path = tool.directory.path("db.cblite2/db.sqlite3")
        let connection = try Connection(path: path, mode: .readWrite)
        let root = try #require(try connection.scalar("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'"))
        try connection.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((root - 1) * 4096))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
    }

    @Test("check --repair rebuilds indexes on damaged pages and keeps all documents", arguments: ["by_n", "kv_default::words_segdir"])
    func repair(table: String) throws {
        try tool.lines("index", "db", "create", "by_n", "n")
        try tool.lines("index", "db", "create", "words", "--full-text", "who", "--language", "en")
        let documents = try tool.lines("export", "db", "--blobs", "inline")
        try overwrite(pageOf: table)
        let damaged = try tool.run("check", "db")
        #expect(damaged.exitCode == 1 && damaged.output.contains(" of \(table)"), "\(damaged.output)")
        let result = try tool.run("check", "--repair", "db")
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        #expect(result.outputLines.suffix(4).first == "Repaired: copied all documents to a new file, because pages were damaged.")
        #expect(result.outputLines.suffix(3).first == "Repaired: rebuilt 2 indexes.")
        #expect(result.outputLines.last == "No problems found.")
        #expect(try tool.lines("export", "db", "--blobs", "inline") == documents)
        #expect(try tool.lines("explain", "db", "SELECT n FROM _ WHERE n = 1").first?.contains("index by_n") == true)
    }

    @Test("check --repair refuses to lose documents, and changes nothing")
    func repairRefused() throws {
        try overwrite(pageOf: "kv_default")
        let path = tool.directory.url.appendingPathComponent("db.cblite2/db.sqlite3")
        let before = try Data(contentsOf: path)
        try tool.expectFailure(65, "cannot be repaired without losing data; nothing was changed", "check", "--repair", "db")
        try tool.expectFailure(65, "cblite salvage", "check", "--repair", "db")
        #expect(try Data(contentsOf: path) == before)
    }

    @Test("check --json prints JSON also if nothing can be checked")
    func alwaysJSON() throws {
        try tool.write("key.txt", "secret")
        for (arguments, code, message) in [
            (["none"], 66, "there is no database at"), (["--password-file", "key.txt", "db"], 65, "is not encrypted"),
        ] {
            let result = try tool.run(["check", "--json"] + arguments)
            #expect(result.exitCode == Int32(code))
            let report = try object(try #require(result.outputLines.first))
            #expect(report["ok"] as? Bool == false)
            let findings = try #require(report["findings"] as? [[String: String]])
            #expect(findings.count == 1 && findings[0]["message"]?.contains(message) == true, "\(findings)")
        }
        try Data("no database".utf8).write(to: tool.directory.url.appendingPathComponent("db.cblite2/db.sqlite3"))
        let result = try tool.run("check", "--json", "db")
        #expect(result.exitCode == 1)
        #expect(try object(try #require(result.outputLines.first))["ok"] as? Bool == false)
    }

    @Test("check --repair --json lists the changes")
    func repairJSON() throws {
        try damage("UPDATE kvmeta SET lastSeq = 1 WHERE name = 'default'")
        let report = try object(try tool.lines("check", "--repair", "--json", "db")[0])
        #expect(report["ok"] as? Bool == true)
        #expect(report["changes"] as? [String] == ["corrected the last sequence of _default._default"])
    }
}
