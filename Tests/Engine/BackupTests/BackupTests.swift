import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Backup

@Suite("Backups")
struct BackupTests {
    @Test("a restored database has the documents, blobs and UUIDs of the original", arguments: [false, true])
    func roundTrip(encrypted: Bool) throws {
        let original = try BackedUpDatabase(encrypted: encrypted)
        let summary = try original.make()
        #expect(summary.section == 1)
        // Two of the four contents are the same.
        #expect(summary.blobs == 3)
        let report = try Backup.verify(original.file)
        #expect(report.problemCount == 0 && !report.hasUnfinishedSection)
        #expect(report.sections.map(\.name) == ["db"])
        #expect(report.sections.map(\.isEncrypted) == [encrypted])
        try original.restore("copy")
        #expect(try original.documents("copy") == original.documents())
        #expect(try uuid(of: "copy", original) == uuid(of: "db", original))
        try original.restore("other", renewed: true)
        #expect(try original.documents("other") == original.documents())
        #expect(try uuid(of: "other", original) != uuid(of: "db", original))
        if !encrypted { #expect(try DatabaseChecker.check(URL(fileURLWithPath: original.directory.path("copy.cblite2"))).problems == []) }
    }

    private func uuid(of name: String, _ database: BackedUpDatabase) throws -> [UInt8]? {
        let file = try DatabaseRegistry.open(database.directory.path(name + ".cblite2"), options: database.options)
        defer { try? DatabaseRegistry.close(file) }
        return try file.privateUUID().map { Array($0) }
    }

    @Test("a restored database has the checkpoints of its own replications, and none of its peers", arguments: [false, true])
    func checkpoints(encrypted: Bool) throws {
        let original = try BackedUpDatabase(encrypted: encrypted)
        let file = try DatabaseRegistry.open(original.bundle.directory, options: original.options)
        try file.transaction { writer in
            try RawStore.checkpoints.set("own", to: .init(body: [1]), in: writer)
            try RawStore.peerCheckpoints.set("peer", to: .init(version: [1], body: [1]), in: writer)
        }
        try DatabaseRegistry.close(file)
        _ = try original.make()
        try original.restore("copy")
        let restored = try DatabaseRegistry.open(original.directory.path("copy.cblite2"), options: original.options)
        defer { try? DatabaseRegistry.close(restored) }
        #expect(try restored.read { try RawStore.checkpoints.document("own", on: $0) } != nil)
        #expect(try restored.read { try RawStore.peerCheckpoints.document("peer", on: $0) } == nil)
    }

    @Test(
        "a backup has what is only in the write-ahead log, and an uncommitted batch is not in it",
        .runsProgram(of: .tool),
        arguments: [false, true]
    )
    func log(encrypted: Bool) throws {
        let original = try BackedUpDatabase(encrypted: encrypted)
        let before = try original.documents()
        // The other process keeps the log.
        let process = try ProcessRunner(product: "DatabaseWriter").start([original.directory.path(""), "other", "1", "0"])
        process.kill()
        _ = process.waitUntilExit()
        try original.writing { database in
            try database.save("new", #""n":1"#)
            try database.file.transaction { writer in
                try database.save("uncommitted", "", in: writer)
                // Backups are made by other processes: the tool does this one.
                let tool = try ProcessRunner(product: "cblite")
                let key = original.directory.path("key")
                try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: key))
                let result = try tool.run(
                    ["backup", original.bundle.directory, original.file] + (encrypted ? ["--key-file", key] : [])
                )
                #expect(result.exitCode == 0, "\(result.errorOutput)")
            }
        }
        try original.restore("copy")
        let restored = try original.documents("copy")
        #expect(restored.count == before.count + 1)
        #expect(restored["new"] != nil && restored["uncommitted"] == nil)
    }

    @Test("each section of a backup can be restored, and has only what has changed since the one before", arguments: [false, true])
    func increments(encrypted: Bool) throws {
        let original = try BackedUpDatabase(encrypted: encrypted)
        var states = [try original.documents()]
        let first = try original.make()
        for round in 1...4 {
            try original.writing { database in
                try database.save("round \(round)", "", blob: [UInt8](repeating: UInt8(round), count: 5_000))
                try database.purge("doc \(round * 10 - 10)")
                if round == 3 { try database.file.compact() }
            }
            states.append(try original.documents())
            let summary = try original.add()
            #expect(summary.section == round + 1)
            if round < 3 { #expect(summary.written < first.written) }
        }
        let report = try Backup.verify(original.file)
        #expect(report.problems == [])
        #expect(report.sections.map(\.isIncremental) == [false, true, true, true, true])
        for (index, state) in states.enumerated() {
            try original.restore("section \(index + 1)", section: index + 1)
            #expect(try original.documents("section \(index + 1)") == state)
        }
        try original.restore("last")
        #expect(try original.documents("last") == states.last)
        #expect(throws: BackupError.self) { try original.restore("none", section: 6) }
        // Nothing has changed since.
        #expect(try original.add().written < 4_000)
    }

    @Test("every damaged byte of a backup is found, and a damaged backup is not restored")
    func damage() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let original = try BackedUpDatabase()
        _ = try original.make()
        try original.writing { try $0.save("new", "") }
        _ = try original.add()
        let bytes = try original.bytes()
        let places = Array(0..<BackupFormat.headerSize) + (0..<400).map { _ in Int.random(in: 0..<bytes.count, using: &generator) }
        for place in places {
            var damaged = bytes
            damaged[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
            try original.write(damaged)
            let report = try? Backup.verify(original.file)
            #expect(report?.problemCount != 0, "seed \(seed), byte \(place)")
            #expect(throws: BackupError.self, "seed \(seed), byte \(place)") { try original.restore("copy") }
            #expect(!FileManager.default.fileExists(atPath: original.directory.path("copy.cblite2")))
        }
        // Nothing was left beside the database that could not be restored.
        #expect(try FileManager.default.contentsOfDirectory(atPath: original.directory.path("")).sorted() == ["backup", "db.cblite2"])
    }

    @Test("a damage in a later section does not concern the sections before it, and all damages are named")
    func severalDamages() throws {
        let original = try BackedUpDatabase()
        let before = try original.documents()
        let first = try original.make()
        try original.writing { try $0.save("new", "") }
        _ = try original.add()
        var bytes = try original.bytes()
        for place in [Int(first.written) + 400, bytes.count - 20] { bytes[place] ^= 1 }
        try original.write(bytes)
        let report = try Backup.verify(original.file)
        #expect(report.problemCount >= 2)
        #expect(report.problems.allSatisfy { $0.contains("in section 2") })
        try original.restore("copy", section: 1)
        #expect(try original.documents("copy") == before)
    }

    @Test("a backup that was cut at any length is refused, or has the sections that are complete")
    func truncation() throws {
        let original = try BackedUpDatabase()
        let states = [try original.documents()]
        let first = try original.make()
        let oneSection = try original.bytes()
        try original.writing { try $0.save("new", "") }
        _ = try original.add()
        let bytes = try original.bytes()
        for length in stride(from: 0, to: bytes.count, by: 997) {
            try original.write(Array(bytes.prefix(length)))
            let report = try? Backup.verify(original.file)
            #expect(report?.problemCount != 0, "\(length)")
            #expect(throws: BackupError.self) { try original.restore("copy") }
        }
        // An interrupted addition has not changed the number of sections.
        for length in stride(from: Int(first.written) + 1, to: bytes.count - 32, by: 499) {
            try original.write(oneSection + bytes[oneSection.count..<length])
            let report = try Backup.verify(original.file)
            #expect(report.problems == [])
            #expect(report.hasUnfinishedSection)
            try original.restore("copy \(length)")
            #expect(try original.documents("copy \(length)") == states[0])
        }
        // The next addition removes the unfinished one.
        #expect(try original.add().section == 2)
        #expect(try Backup.verify(original.file).hasUnfinishedSection == false)
    }

    @Test("a blob whose file was changed is in the section after one that was cut off")
    func changedBlob() throws {
        let original = try BackedUpDatabase()
        _ = try original.make()
        let oneSection = try original.bytes()
        let attachments = original.bundle.attachments
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: attachments).sorted().first)
        let changed = Data(repeating: 66, count: 5_000)
        try FileManager.default.removeItem(atPath: attachments + "/" + name)
        try changed.write(to: URL(fileURLWithPath: attachments + "/" + name))
        _ = try original.add()
        let bytes = try original.bytes()
        // The last block, which ends the section, was not written completely.
        try original.write(oneSection + bytes[oneSection.count..<bytes.count - 10])
        #expect(try Backup.verify(original.file).hasUnfinishedSection)
        #expect(try original.add().section == 2)
        try original.restore("copy")
        let restored = BundlePath(original.directory.path("copy.cblite2")).attachments + "/" + name
        #expect(try Data(contentsOf: URL(fileURLWithPath: restored)) == changed)
    }

    @Test(
        "a section after a change of the key can be restored with its blobs",
        arguments: [(false, true), (true, false), (true, true)]
    )
    func changedKey(wasEncrypted: Bool, isEncrypted: Bool) throws {
        var original = try BackedUpDatabase(encrypted: wasEncrypted)
        let documents = try original.documents()
        _ = try original.make()
        try original.changeKey(to: isEncrypted ? try BackedUpDatabase.key(8) : nil)
        #expect(try original.add().section == 2)
        try original.restore("copy")
        #expect(try original.documents("copy") == documents)
    }

    @Test("a log that was begun anew while it was copied is not in the backup, because the database file has its changes")
    func restartedLog() throws {
        let original = try BackedUpDatabase()
        let log = original.bundle.writeAheadLog
        var oldLog = Data()
        try original.writing { database in
            try database.save("doc 1", #""state":"old""#)
            oldLog = try Data(contentsOf: URL(fileURLWithPath: log))
            try database.save("doc 1", #""state":"new""#)
        }
        let documents = try original.documents()
        // Without a valid header, the log is read as empty.
        try (Data(repeating: 0, count: 32) + oldLog.dropFirst(32)).write(to: URL(fileURLWithPath: log))
        _ = try Backup.make(of: original.bundle, options: original.options, to: original.file) { done, _ in
            // The database file has been copied, the log not yet.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            try file.write(contentsOf: oldLog.prefix(32))
            try file.close()
        }
        try original.restore("copy")
        #expect(try original.documents("copy") == documents)
        #expect(try original.documents("copy")["doc 1"]?.contains("new") == true)
        // The next section follows it.
        try FileManager.default.removeItem(atPath: log)
        #expect(try original.add().section == 2)
        #expect(try Backup.verify(original.file).hasUnfinishedSection == false)
    }

    @Test("existing files are neither replaced by a backup nor databases by a restored one")
    func existing() throws {
        let original = try BackedUpDatabase()
        _ = try original.make()
        #expect(throws: BackupError.self) { try original.make() }
        _ = try Backup.make(of: original.bundle, options: original.options, to: original.file, replacing: true)
        #expect(throws: StoreError.self) { try original.restore("db") }
        #expect(throws: BackupError.self) { try Backup.verify(original.directory.path("nothing")) }
        #expect(throws: BackupError.self) { try Backup.verify(original.bundle.sqliteFile) }
        #expect(throws: BackupError.self) { try Backup.verify(original.bundle.directory) }
    }
}
