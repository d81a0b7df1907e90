import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// A database that neither the old nor the new key opens is lost. Therefore a process that changes the key repeatedly is killed at
/// any moment, and one of the two keys must open all acknowledged data.
@Suite("Interrupted key changes")
struct InterruptedKeyChangeTests {
    /// The key with this number, as used by the process of the tests; number 0 is no key.
    private func key(_ number: Int) -> EncryptionKey? {
        number == 0 ? nil : .key(Data(repeating: UInt8(truncatingIfNeeded: number), count: 32))
    }

    private static let rounds = 40

    @Test(
        "a database whose key change was interrupted by killing its process has one of the two keys and all data"
    )
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let folder = try DatabaseFolder()
        let writer = try ProcessRunner(product: "DatabaseWriter")
        var current = 0
        var saved: Set<Int> = []
        var changes = 0
        for round in 0..<Self.rounds {
            let hint: Comment = "seed \(seed), round \(round)"
            let process = try writer.start([folder.path, "db", "rekey", "\(round * 1000)"], environment: ["DATABASE_KEY": "\(current)"])
            _ = process.waitForOutput(lines: Int.random(in: 1...8, using: &generator))
            usleep(UInt32.random(in: 0...25_000, using: &generator))
            process.kill()
            let result = process.waitUntilExit()
            #expect(result.ending == .signalled(SIGKILL), "\(hint): \(result.errorOutput)")
            var next: Int?
            for line in process.waitForOutput(lines: .max) {
                let words = line.split(separator: " ")
                guard words.count == 2, let number = Int(words[1]) else { continue }
                switch words[0] {
                case "saved": saved.insert(number)
                case "changing": next = number
                case "key":
                    current = number
                    next = nil
                    changes += 1
                default: Issue.record("line \"\(line)\"")
                }
            }
            let candidates = Set([current, next ?? current])
            let opened = candidates.compactMap { number in
                (try? open(folder, number)).map { (number, $0) }
            }
            try #require(opened.count == 1, hint)
            let (number, database) = opened[0]
            current = number
            for number in saved {
                #expect(database["doc\(number)"]["n"].int == number, "\(hint): \(number)")
                #expect(database["doc\(number)"]["blob"].blob?.content == Data("blob \(number)".utf8), "\(hint): \(number)")
            }
            try database.performMaintenance(type: .integrityCheck)
            try database.close()
            #expect(try folder.contents == ["db.cblite2"], hint)
        }
        #expect(changes > Self.rounds / 2)
        #expect(saved.count > Self.rounds / 2)
    }

    private func open(_ folder: DatabaseFolder, _ number: Int) throws -> Database {
        let config = folder.config
        config.encryptionKey = key(number)
        return try Database(name: "db", config: config)
    }

    @Test(
        "a key change on a full disk keeps the old key and all data, and can be repeated when there is free space",
        .enabled(if: SmallDisk.canBeMade, "a small file system cannot be mounted here"),
        arguments: [0, 1],
        [2, 0]
    )
    func fullDisk(from old: Int, to new: Int) throws {
        if old == new { return }
        let disk = try #require(SmallDisk())
        let config = DatabaseConfiguration()
        config.directory = disk.url.path
        config.encryptionKey = key(old)
        let database = try Database(name: "db", config: config)
        let blob = Blob(contentType: "text/plain", data: Data(repeating: 5, count: 400_000))
        try database.saveDocument(MutableDocument(id: "blob").setBlob(blob, forKey: "blob"))
        for i in 0..<40 {
            let text = String(repeating: "text \(i) ", count: 1000)
            try database.saveDocument(MutableDocument(id: "doc\(i)").setString(text, forKey: "text"))
        }
        try database.performMaintenance(type: .compact)
        let ballast = disk.url.appendingPathComponent("ballast")
        // There is space for the copy of the database but not of its blob, and then for neither.
        for free in [600_000, 100_000] {
            let attributes = try FileManager.default.attributesOfFileSystem(forPath: disk.url.path)
            let available = try #require(attributes[.systemFreeSize] as? NSNumber).intValue
            try Data(count: available - free).write(to: ballast)
            let error = try #require(thrown { try database.changeEncryptionKey(key(new)) })
            #expect(error == ErrorCode(domain: "CouchbaseLite.SQLite", code: 13) || error == .posix(ENOSPC), "\(error)")
            #expect(database.count == 41)
            #expect(database.document(withID: "blob")?.blob(forKey: "blob")?.content == blob.content)
            try FileManager.default.removeItem(at: ballast)
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["db.cblite2"])
            try database.saveDocument(MutableDocument(id: "doc0"))
        }
        try database.changeEncryptionKey(key(new))
        #expect(database.count == 41)
        #expect(database.document(withID: "blob")?.blob(forKey: "blob")?.content == blob.content)
        try database.performMaintenance(type: .integrityCheck)
        try database.close()
        config.encryptionKey = key(new)
        #expect(try Database(name: "db", config: config).count == 41)
    }
}
