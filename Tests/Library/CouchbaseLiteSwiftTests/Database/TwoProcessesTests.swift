import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Two processes with one database")
struct TwoProcessesTests {
    let folder: DatabaseFolder
    let writer: ProcessRunner

    init() throws {
        folder = try DatabaseFolder()
        writer = try ProcessRunner(product: "DatabaseWriter")
    }

    @Test("a process sees new keys and conflicts of changes made by another process")
    func seen() throws {
        let database = try folder.open()
        try database.saveDocument(MutableDocument(id: "c").setInt(10, forKey: "n").setInt(1, forKey: "key of ours"))
        let stale = try #require(database.document(withID: "c")).toMutable()
        let result = try writer.run([folder.path, "db", "count", "c", "5"])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(result.outputLines == ["open"] + Array(repeating: "counted", count: 5))
        #expect(database["c"]["n"].int == 15)
        #expect(database["c"]["key of ours"].int == 1)
        #expect(try !database.saveDocument(stale, concurrencyControl: .failOnConflict))
        let written = try writer.run([folder.path, "db", "1", "0", "40"])
        #expect(written.ending == .exited(0))
        #expect(written.outputLines.count == 41)
        #expect(database["single-0"].exists || database["batch-0-0"].exists)
        try database.saveDocument(MutableDocument(id: "d").setInt(2, forKey: "another key of ours"))
        #expect(database["d"]["another key of ours"].int == 2)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("listeners are notified of changes made by another process")
    func received() throws {
        let database = try folder.open()
        let collection = try database.defaultCollection()
        let received = Recorder<[String]>()
        let counted = Recorder<Int>()
        let queue = DispatchQueue(label: "heard")
        collection.addChangeListener(queue: queue) { received.append($0.documentIDs) }
        collection.addDocumentChangeListener(id: "c", queue: queue) { counted.append($0.collection["c"]["n"].int) }
        try database.saveDocument(MutableDocument(id: "mine"))
        let result = try writer.run([folder.path, "db", "count", "c", "3"])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(counted.wait { $0.last == 3 }.last == 3)
        #expect(received.wait { $0.last == ["c"] }.first == ["mine"])
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("concurrent writes of several processes wait for each other, and no update is lost")
    func counting() throws {
        let processes = try (0..<2).map { _ in try writer.start([folder.path, "db", "count", "c", "150"]) }
        for process in processes { _ = process.waitForOutput(lines: 2) }
        let database = try folder.open()
        for _ in 0..<150 {
            let document = try #require(database.document(withID: "c")).toMutable()
            document.setInt(document.int(forKey: "n") + 1, forKey: "n")
            try database.saveDocument(document) { mine, theirs in
                mine.setInt((theirs?.int(forKey: "n") ?? 0) + 1, forKey: "n")
                return true
            }
        }
        for process in processes {
            let result = process.waitUntilExit()
            #expect(result.ending == .exited(0), "\(result.errorOutput)")
        }
        #expect(database["c"]["n"].int == 450)
        #expect(database["c"].document?.revisionID?.hasPrefix("450-") == true)
        #expect(database["c"].document?.sequence == 450)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("several processes can create the same database at the same time")
    func creating() throws {
        for round in 0..<10 {
            let name = "db\(round)"
            let processes = try (0..<3).map { try writer.start([folder.path, name, "\($0)", "\($0 * 1000)", "5"]) }
            for process in processes {
                let result = process.waitUntilExit()
                #expect(result.ending == .exited(0), "round \(round): \(result.errorOutput)")
            }
            #expect(try folder.open(name).count > 0)
        }
        #expect(try folder.problems("db0") == [])
    }

    @Test("a database cannot be deleted while another process has it open")
    func deleting() throws {
        let database = try folder.open()
        try database.saveDocument(MutableDocument(id: "a"))
        let other = try writer.start([folder.path, "db", "hold"])
        defer { other.kill() }
        #expect(other.waitForOutput(lines: 1) == ["open"])
        #expect(thrown { try database.delete() } == .busy)
        // The refused deletion has changed nothing.
        try database.saveDocument(MutableDocument(id: "b"))
        #expect(database.count == 2)
        try database.close()
        #expect(thrown { try Database.delete(withName: "db", inDirectory: folder.path) } == .busy)
        #expect(try folder.open().count == 2)
        other.kill()
        other.waitUntilExit()
        try Database.delete(withName: "db", inDirectory: folder.path)
        #expect(try folder.contents == [])
    }

    #if !canImport(Darwin)
    @Test("the default directory follows the XDG conventions")
    func defaultDirectory() throws {
        func directory(_ environment: [String: String]) throws -> [String] {
            try writer.run(["--default-directory"], environment: environment).outputLines
        }
        #expect(try directory(["XDG_DATA_HOME": "/data"]) == ["/data/DatabaseWriter/CouchbaseLite"])
        let home = NSHomeDirectory()
        let fallback = ["\(home)/.local/share/DatabaseWriter/CouchbaseLite"]
        #expect(try directory(["XDG_DATA_HOME": ""]) == fallback)
        #expect(try directory(["XDG_DATA_HOME": "relative"]) == fallback)
    }
    #endif
}
