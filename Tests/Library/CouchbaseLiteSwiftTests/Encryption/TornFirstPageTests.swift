import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// If a device loses power while the log is copied into the file, one sector of the first page may be written and the next not.
/// SQLite opens the file before the log, which contains the complete page.
@Suite("Encrypted databases with a torn first page")
struct TornFirstPageTests {
    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    private func open(_ name: String) throws -> Database {
        let config = folder.config
        config.encryptionKey = .key(Data(repeating: 1, count: 32))
        return try Database(name: name, config: config)
    }

    @Test("an encrypted database with a torn first page recovers all acknowledged changes from its log")
    func killedWriter() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let writer = try ProcessRunner(product: "DatabaseWriter")
        let process = try writer.start([folder.path, "db", "\(seed)", "0"], environment: ["DATABASE_KEY": "1"])
        _ = process.waitForOutput(lines: 60)
        process.kill()
        process.waitUntilExit()
        let saved = process.waitForOutput(lines: .max).filter { $0.hasPrefix("saved ") }
            .compactMap { Int($0.dropFirst(6)) }
        #expect(saved.count > 10)
        let file = "db.sqlite3"
        let whole = try Data(contentsOf: folder.bundle().appendingPathComponent(file))
        for sector in 0..<8 {
            let name = "sector\(sector)"
            try FileManager.default.copyItem(at: folder.bundle(), to: folder.bundle(name))
            // The first page comes after the header of the encryption.
            let start = 4096 + sector * 512
            var torn = whole
            torn.replaceSubrange(start..<start + 512, with: (0..<512).map { _ in UInt8.random(in: 0...255, using: &generator) })
            try torn.write(to: folder.bundle(name).appendingPathComponent(file))
            let database = try open(name)
            for number in saved {
                let text = database["single-\(number)"]["text"].string
                #expect(text == WrittenDocument.single(number).text, "seed \(seed), sector \(sector): \(number)")
            }
            try database.saveDocument(MutableDocument(id: "new"))
            try database.performMaintenance(type: .integrityCheck)
            try database.close()
            // The page was written again.
            let again = try open(name)
            #expect(again["new"].exists)
            try again.close()
        }
    }

    @Test("opening an encrypted database with a torn first page and no log throws corruptData")
    func withoutLog() throws {
        let database = try open("db")
        try database.saveDocument(MutableDocument(id: "a"))
        try database.close()
        let file = folder.bundle().appendingPathComponent("db.sqlite3")
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(4096..<4608, with: Data(repeating: 7, count: 512))
        try bytes.write(to: file)
        let before = bytes
        #expect(thrown { _ = try open("db") } == .couchbaseLite(CBLError.corruptData))
        #expect(try Data(contentsOf: file) == before)
    }
}
