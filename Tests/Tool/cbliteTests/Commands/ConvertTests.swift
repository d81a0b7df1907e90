import Foundation
import SQLiteEngine
import TestSupport
import Testing

@Suite("cblite convert")
struct ConvertTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
        try tool.write("password.txt", "secret")
        try tool.write("file.txt", "the content of a blob")
        try tool.lines("put", "db", "a", "--blob", "file=file.txt")
    }

    /// Runs the tool, which must succeed, and returns the lines of its output.
    @discardableResult
    private func lines(_ arguments: [String]) throws -> [String] {
        let result = try tool.run(arguments)
        #expect(result.exitCode == 0, "\(arguments): \(result.errorOutput)")
        return result.outputLines
    }

    @Test("a database is converted for an older release, with the same documents", arguments: [("2.8", 302), ("3.0", 400), ("3.1", 500)])
    func release(_ release: String, _ version: Int) throws {
        try tool.lines("index", "db", "create", "by_n", "n")
        let report = try object(try tool.lines("convert", "db", "old", "--release", release, "--json")[0])
        #expect(report["documents"] as? Int == 3 && report["indexes"] as? [String] == ["by_n"] && report["release"] as? String == release)
        #expect(try object(try tool.lines("info", "old", "--json")[0])["version"] as? Int == version)
        #expect(try tool.lines("export", "old", "--blobs", "inline") == tool.lines("export", "db", "--blobs", "inline"))
        #expect(try tool.lines("check", "old").last == "No problems found.")
    }

    @Test("a database is encrypted and decrypted while it is copied")
    func encryption() throws {
        try tool.lines("convert", "db", "secret", "--new-password-file", "password.txt")
        try tool.expectFailure(65, "is encrypted", "ls", "secret")
        try tool.lines("convert", "secret", "plain", "--password-file", "password.txt", "--decrypt")
        #expect(try tool.lines("export", "plain", "--blobs", "inline") == tool.lines("export", "db", "--blobs", "inline"))
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
    }

    @Test("a database is converted to version vectors and back, also if it is encrypted")
    func versions() throws {
        try tool.lines("convert", "db", "secret", "--new-password-file", "password.txt")
        for (source, key) in [("db", []), ("secret", ["--password-file", "password.txt"])] {
            let (vectors, trees) = ("\(source)-vectors", "\(source)-trees")
            let upgraded = try object(try lines(["convert", source, vectors, "--to", "vectors", "--json"] + key)[0])
            #expect(upgraded["revisions"] as? String == "vectors" && upgraded["encrypted"] as? Bool == !key.isEmpty)
            try lines(["put", vectors, "a", "--set", "n=7"] + key)
            #expect(try lines(["revs", vectors, "a"] + key).joined().contains("@"))
            let report = try object(try lines(["convert", vectors, trees, "--to", "trees", "--json"] + key)[0])
            #expect(report["documents"] as? Int == 3 && report["renamed"] as? Int == 1 && report["conflicts"] as? Int == 0)
            #expect(report["revisions"] as? String == "trees" && report["encrypted"] as? Bool == !key.isEmpty)
            #expect(
                try lines(["export", trees, "--blobs", "inline"] + key) == lines(["export", vectors, "--blobs", "inline"] + key)
            )
            #expect(try !lines(["revs", trees, "a"] + key).joined().contains("@"))
            #expect(try lines(["check", trees] + key).last == "No problems found.")
        }
        try tool.expectFailure(78, "revision trees", "convert", "db", "new", "--to", "trees")
        try tool.expectFailure(64, "Give one of", "convert", "db", "new", "--to", "trees", "--release", "3.0")
    }

    #if Replication
    @Test("a database is not converted to version vectors after it was pushed to one with revision trees, unless the remotes are ignored")
    func remotesWithTrees() throws {
        try tool.lines("push", "db", "new")
        let result = try tool.run("convert", "db", "vectors", "--to", "vectors")
        #expect(result.exitCode == 78 && result.errorOutput.contains("served only revision trees"), "\(result.errorOutput)")
        #expect(result.errorOutput.contains("local://") && result.errorOutput.contains("--ignore-remotes"))
        #expect(!tool.exists("vectors.cblite2"))
        try tool.lines("convert", "db", "vectors", "--to", "vectors", "--ignore-remotes")
        #expect(try tool.lines("check", "vectors").last == "No problems found.")
        try tool.expectFailure(64, "--to vectors only", "convert", "db", "trees", "--to", "trees", "--ignore-remotes")
    }
    #endif

    @Test("a database with a document that cannot be read is not converted to version vectors, and there is no copy")
    func damaged() throws {
        let connection = try Connection(path: tool.directory.path("db.cblite2/db.sqlite3"), mode: .readWrite)
        try connection.execute("UPDATE kv_default SET extra = x'00000009' WHERE key = 'c'")
        try connection.close()
        let result = try tool.run("convert", "db", "vectors", "--to", "vectors")
        #expect(result.exitCode == 65 && result.errorOutput.contains("db.cblite2 is damaged: "), "\(result.errorOutput)")
        #expect(result.errorOutput.contains("_default._default/c") && result.errorOutput.contains("cblite check --repair"))
        #expect(!tool.exists("vectors.cblite2"))
    }

    @Test("a conversion that is not possible, or not fully specified, is refused")
    func refused() throws {
        try tool.expectFailure(64, "Give one of", "convert", "db", "new")
        try tool.expectFailure(64, "Give one of", "convert", "db", "new", "--decrypt", "--release", "3.0")
        try tool.expectFailure(64, "2.8", "convert", "db", "new", "--release", "1.4")
        try tool.expectFailure(65, "is not encrypted", "convert", "db", "new", "--decrypt", "--password-file", "password.txt")
        try tool.lines("collections", "db", "create", "inventory.hotels")
        try tool.lines("put", "db", "h", "--set", "stars=3", "--collection", "inventory.hotels")
        try tool.expectFailure(78, "there are documents in inventory.hotels", "convert", "db", "new", "--release", "3.0")
        try tool.expectFailure(73, "already exists", "convert", "db", "db", "--release", "3.0")
        #expect(!FileManager.default.fileExists(atPath: tool.directory.path("new.cblite2")))
    }
}
