import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Processes with one encrypted database")
struct EncryptedProcessesTests {
    private let folder: DatabaseFolder
    private let writer: ProcessRunner
    private let environment = ["DATABASE_KEY": "1"]

    init() throws {
        folder = try DatabaseFolder()
        writer = try ProcessRunner(product: "DatabaseWriter")
    }

    private func open(_ name: String = "db", key: UInt8 = 1) throws -> Database {
        let config = folder.config
        config.encryptionKey = .key(Data(repeating: key, count: 32))
        return try Database(name: name, config: config)
    }

    @Test("concurrent writes of several processes to an encrypted database lose no update")
    func counting() throws {
        let processes = try (0..<2).map { _ in
            try writer.start([folder.path, "db", "count", "c", "60"], environment: environment)
        }
        for process in processes { _ = process.waitForOutput(lines: 2) }
        let database = try open()
        for _ in 0..<60 {
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
        #expect(database["c"]["n"].int == 180)
        try database.performMaintenance(type: .integrityCheck)
    }

    @Test("several processes can create the same encrypted database at the same time")
    func creating() throws {
        for round in 0..<5 {
            let name = "db\(round)"
            let processes = try (0..<3).map {
                try writer.start([folder.path, name, "\($0)", "\($0 * 1000)", "5"], environment: environment)
            }
            for process in processes {
                let result = process.waitUntilExit()
                #expect(result.ending == .exited(0), "round \(round): \(result.errorOutput)")
            }
            let database = try open(name)
            #expect(database.count > 0)
            try database.performMaintenance(type: .integrityCheck)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.bundle(name).path).count {
                    $0.contains("new-")
                } == 0
            )
        }
    }

    @Test("a process with a wrong key is refused, and the key cannot change while another process has the database open")
    func refused() throws {
        let database = try open()
        try database.saveDocument(MutableDocument(id: "a"))
        for key in ["0", "2"] {
            let result = try writer.run([folder.path, "db", "1", "0", "5"], environment: ["DATABASE_KEY": key])
            #expect(result.ending == .exited(1))
            #expect(result.errorOutput.contains("unreadableDatabase (20)"))
        }
        let other = try writer.start([folder.path, "db", "hold"], environment: environment)
        #expect(other.waitForOutput(lines: 1) == ["open"])
        #expect(thrown { try database.changeEncryptionKey(nil) } == .busy)
        other.kill()
        other.waitUntilExit()
        try database.changeEncryptionKey(.key(Data(repeating: 2, count: 32)))
        #expect(database.count == 1)
        let late = try writer.run([folder.path, "db", "1", "0", "5"], environment: environment)
        #expect(late.errorOutput.contains("unreadableDatabase (20)"))
    }

    @Test("a killed process loses no acknowledged change of an encrypted database")
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        var saved: Set<Int> = []
        for round in 0..<30 {
            let process = try writer.start([folder.path, "db", "\(generator.next())", "\(round * 10_000)"], environment: environment)
            _ = process.waitForOutput(lines: round % 7 == 0 ? 0 : Int.random(in: 1...30, using: &generator))
            usleep(UInt32.random(in: 0...5000, using: &generator))
            process.kill()
            process.waitUntilExit()
            for line in process.waitForOutput(lines: .max) where line.hasPrefix("saved ") {
                saved.insert(try #require(Int(line.dropFirst(6))))
            }
            let database = try open()
            for number in saved {
                let text = database["single-\(number)"]["text"].string
                #expect(text == WrittenDocument.single(number).text, "seed \(seed), round \(round): \(number)")
            }
            if round % 10 == 9 { try database.performMaintenance(type: .integrityCheck) }
            try database.close()
        }
        #expect(saved.count > 30)
    }
}
