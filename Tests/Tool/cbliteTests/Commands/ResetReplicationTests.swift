#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import cblite

@Suite("Replication after one side has lost documents", .ownThreads)
struct ResetReplicationTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    /// Creates the collection `notes` of a database, which is created too if it does not exist.
    private func createNotes(_ database: String) throws {
        try tool.lines("import", "--create", database, "-", input: "")
        try tool.lines("collections", database, "create", "notes")
    }

    /// Runs a command that replicates the default collections of two databases, and returns the first line of its output.
    private func replicate(_ command: [String], _ options: [String] = []) throws -> String {
        let result = try tool.run(command + options + ["db", "target"])
        #expect(result.exitCode == 0 && result.errorOutput == "")
        return result.outputLines.first ?? ""
    }

    private func recreateNotes(_ database: String) throws {
        try tool.lines("collections", database, "delete", "notes", "--yes")
        try tool.lines("collections", database, "create", "notes")
    }

    @Test("push --reset and sync --reset push what was purged at the target", arguments: [["push"], ["sync", "--once"]])
    func purged(command: [String]) throws {
        try tool.lines("push", "db", "target")
        try tool.lines("rm", "--purge", "target", "b")
        #expect(try replicate(command).hasPrefix("Pushed 0 documents"))
        #expect(try replicate(command, ["--reset"]).hasPrefix("Pushed 1 document"))
        #expect(try tool.lines("ls", "target") == ["a", "b", "c"])
        #expect(try replicate(command).hasPrefix("Pushed 0 documents"))
    }

    @Test("a collection that was deleted and created again at the target is filled by the next push, also in another direction")
    func recreatedTarget() throws {
        for name in ["source", "target"] { try createNotes(name) }
        try tool.lines("import", "-c", "notes", "source", "-", input: #"{"_id":"a"}\#n{"_id":"b"}\#n{"_id":"c"}"#)
        #expect(try tool.lines("push", "-c", "notes", "source", "target") == ["Pushed 3 documents."])
        try recreateNotes("target")
        #expect(try tool.lines("push", "-c", "notes", "source", "target") == ["Pushed 3 documents."])
        #expect(try tool.lines("ls", "-c", "notes", "target") == ["a", "b", "c"])
        try recreateNotes("target")
        let sync = try tool.lines("sync", "--once", "-c", "notes", "source", "target")
        #expect(sync == ["Pushed 3 documents, pulled 0 documents."])
    }

    @Test("a collection that was deleted and created again is filled by the next pull")
    func recreatedPuller() throws {
        for name in ["source", "target"] { try createNotes(name) }
        try tool.lines("import", "-c", "notes", "source", "-", input: #"{"_id":"a"}\#n{"_id":"b"}\#n{"_id":"c"}"#)
        #expect(try tool.lines("pull", "-c", "notes", "target", "source") == ["Pulled 3 documents."])
        try recreateNotes("target")
        #expect(try tool.lines("pull", "-c", "notes", "target", "source") == ["Pulled 3 documents."])
        #expect(try tool.lines("ls", "-c", "notes", "target") == ["a", "b", "c"])
        #expect(try tool.lines("pull", "-c", "notes", "target", "source") == ["Pulled 0 documents."])
    }

    @Test("documents that were pushed after a backup are pushed again to the database that was restored from it")
    func restored() throws {
        try tool.lines("push", "db", "server")
        try tool.lines("backup", "server", "server.backup")
        // Another checkpoint records that the server has the document.
        try tool.lines("put", "db", "late", "{}")
        #expect(try tool.lines("push", "--id", "late", "db", "server") == ["Pushed 1 document."])
        try tool.lines("mv", "server", "lost")
        try tool.lines("restore", "server.backup", "server")
        #expect(try tool.lines("push", "db", "server") == ["Pushed 1 document."])
        #expect(try tool.lines("ls", "server") == ["a", "b", "c", "late"])
    }

    @Test("sync --once pushes the documents that it has merged")
    func merged() throws {
        try tool.lines("push", "db", "target")
        for id in ["a", "b"] {
            try tool.lines("put", "target", id, "--set", "n=10")
            try tool.lines("put", "db", id, "--set", "n=20")
            try tool.lines("put", "db", id, "--set", "n=21")
        }
        let lines = try tool.lines("sync", "--once", "db", "target")
        #expect(lines == ["Pushed 2 documents, pulled 2 documents.", "Resolved 2 conflicts: kept the local version of 2 documents."])
        #expect(try tool.lines("cat", "target", "a", "b") == [#"{"_id":"a","n":21}"#, #"{"_id":"b","n":21}"#])
        #expect(try tool.lines("sync", "--once", "db", "target") == ["Pushed 0 documents, pulled 0 documents."])
    }
}
#endif
