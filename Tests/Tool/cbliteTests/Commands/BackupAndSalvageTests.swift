import Foundation
import TestSupport
import Testing

@Suite("cblite backup, restore and salvage")
struct BackupAndSalvageTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    @Test(
        "restore, salvage and convert remove what a killed command has left",
        arguments: [
            ["restore", "db.backup", "new"], ["salvage", "db", "new"], ["convert", "db", "new", "--release", "2.8"], ["cp", "db", "new"],
        ]
    )
    func leftovers(command: [String]) throws {
        let tool = try Tool()
        try tool.makeDatabase()
        try tool.lines("backup", "db", "db.backup")
        for number in 0..<3 {
            let leftover = ".new.cblite2.replacing-000000000000000\(number)"
            try tool.write("\(leftover)/new/new.cblite2/db.sqlite3", "half")
            try tool.write("\(leftover)/replacement", "CouchbaseLiteSwift replacement of a bundle, 1\nnew.cblite2")
        }
        #expect(try tool.run(command).exitCode == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.directory.path("")).allSatisfy { !$0.contains("replacing") })
        #expect(try tool.lines("ls", "new") == ["a", "b", "c"])
    }

    @Test("a backup with an addition is listed, checked and restored as of either time")
    func backup() throws {
        #expect(try tool.lines("backup", "db", "file").last?.hasPrefix("Backed up ") == true)
        try tool.lines("put", "db", "d", #"{"n":4}"#)
        #expect(try tool.lines("backup", "--incremental", "db", "file").last?.contains("as section 2") == true)
        let list = try tool.lines("backup", "--list", "file")
        #expect(list.count == 4 && list.last == "No problems found.")
        let report = try object(tool.lines("backup", "--verify", "--json", "file").joined())
        #expect(report["ok"] as? Bool == true)
        #expect((report["sections"] as? [NSDictionary])?.count == 2)
        try tool.lines("restore", "file", "copy")
        #expect(try tool.lines("ls", "copy") == ["a", "b", "c", "d"])
        try tool.lines("restore", "--at", "1", "file", "older")
        #expect(try tool.lines("ls", "older") == ["a", "b", "c"])
        try tool.expectFailure(66, "no section 3", "restore", "--at", "3", "file", "none")
        try tool.expectFailure(73, "already exists", "restore", "file", "db")
        try tool.expectFailure(73, "--incremental", "backup", "db", "file")
        try tool.lines("backup", "--replace", "db", "file")
        try tool.expectFailure(66, "there is no file", "backup", "--verify", "nothing")
        try tool.expectFailure(64, "<file>", "backup", "db")
    }

    @Test("a damaged backup has exit code 1 when it is checked, and is not restored")
    func damagedBackup() throws {
        try tool.lines("backup", "db", "file")
        var bytes = try tool.data("file")
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: tool.directory.url.appendingPathComponent("file"))
        let result = try tool.run("backup", "--verify", "file")
        #expect(result.exitCode == 1)
        #expect(result.output.contains("error: at byte "))
        try tool.expectFailure(65, "is damaged", "restore", "file", "copy")
        #expect(!tool.exists("copy.cblite2"))
    }

    @Test("a killed backup leaves no file under its name, or one that is complete")
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let documents = (0..<5_000).map { #"{"_id":"document \#($0)","text":"\#(String(repeating: "text ", count: 50))"}"# }
        try tool.lines("import", "db", "-", input: documents.joined(separator: "\n"))
        for round in 0..<12 {
            let process = try tool.start("backup", "db", "file \(round)")
            usleep(UInt32.random(in: 0...120_000, using: &generator))
            process.kill()
            process.waitUntilExit()
            guard tool.exists("file \(round)") else { continue }
            #expect(try tool.run("backup", "--verify", "file \(round)").exitCode == 0, "seed \(seed), round \(round)")
        }
        // The next backup removes what a killed one has left.
        for round in 0..<12 { try tool.lines("backup", "--replace", "db", "file \(round)") }
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.directory.url.path)
        #expect(names.filter { $0.contains("unfinished") } == [], "seed \(seed)")
    }

    @Test("backups and additions made while another process writes contain only whole transactions")
    func underAWriter() throws {
        let documents = (0..<40_000).map { #"{"_id":"document \#(100_000 + $0)","n":\#($0)}"# }
        try tool.write("many.jsonl", documents.joined(separator: "\n"))
        try tool.lines("collections", "db", "create", "many")
        let writer = try tool.start("import", "db", "many.jsonl", "--collection", "many", "--batch", "500")
        var (rounds, last) = (0, 0)
        while true {
            let isOver = writer.hasEnded
            try tool.lines("backup", rounds == 0 ? "--replace" : "--incremental", "db", "file")
            rounds += 1
            try tool.lines("restore", "file", "copy \(rounds)")
            let ids = try tool.lines("ls", "copy \(rounds)", "--collection", "many", "--limit", "100000")
            #expect(ids.count % 500 == 0 && ids.count >= last)
            #expect(ids == (0..<ids.count).map { "document \(100_000 + $0)" })
            #expect(try tool.lines("check", "copy \(rounds)").last == "No problems found.")
            last = ids.count
            if isOver { break }
        }
        #expect(last == 40_000)
        try tool.lines("restore", "file", "first", "--at", "1")
        #expect(try tool.lines("check", "first").last == "No problems found.")
    }

    @Test("salvage copies a damaged database as far as possible, and says what was lost")
    func salvage() throws {
        let documents = (0..<500).map { #"{"_id":"document \#(1000 + $0)","n":\#($0)}"# }
        try tool.lines("import", "--create", "big", "-", input: documents.joined(separator: "\n"))
        #expect(try tool.lines("salvage", "big", "copy").last == "Nothing was lost.")
        #expect(try tool.lines("export", "copy") == tool.lines("export", "big"))
        var bytes = try tool.data("big.cblite2/db.sqlite3")
        let page = try #require(bytes.range(of: Data("document 1200".utf8))).lowerBound / 4096 * 4096
        bytes.replaceSubrange(page..<page + 4096, with: Data(count: 4096))
        try bytes.write(to: tool.directory.url.appendingPathComponent("big.cblite2/db.sqlite3"))
        let result = try tool.run("salvage", "--json", "big", "rest")
        let report = try object(result.output)
        if result.exitCode == 1 { #expect(report["ok"] as? Bool == false) }
        #expect(try tool.lines("ls", "rest").count > 350)
        #expect(try tool.lines("check", "rest").last == "No problems found.")
        try tool.expectFailure(73, "already exists", "salvage", "big", "rest")
        try tool.expectFailure(66, "no database", "salvage", "nothing", "x")
    }
}
