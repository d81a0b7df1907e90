import Foundation
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@testable import DocumentStore

@Suite("Database creation")
struct NewDatabaseTests {
    private let directory: TemporaryDirectory
    private let bundle: BundlePath

    init() throws {
        directory = try TemporaryDirectory()
        bundle = BundlePath(directory.path("db.cblite2"))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: bundle.directory).sorted() }
    }

    private func expectWhole(_ bundle: BundlePath, _ key: EncryptionSecret?) throws {
        var options = DatabaseFile.Options.key(key)
        options.isReadOnly = true
        options.createsIfMissing = false
        let file = try DatabaseRegistry.open(bundle.directory, options: options)
        #expect(try BundleChecker(file).findings() == [])
        #expect(try file.collection(.default)?.count() == 0)
        try DatabaseRegistry.close(file)
    }

    @Test("a new database gets its file name only when its tables are complete", arguments: [nil, EncryptionSecret.test(1)])
    func whole(_ key: EncryptionSecret?) throws {
        let image = BundlePath(directory.path("image.cblite2"))
        let isMade = try NewDatabase(bundle, key: key).make {
            // The files that a process leaves if it is killed at this point.
            #expect(!bundle.holdsDatabase)
            try FileManager.default.copyItem(atPath: bundle.directory, toPath: image.directory)
        }
        #expect(isMade)
        #expect(try names == ["Attachments", "db.sqlite3"])
        try expectWhole(bundle, key)
        // For a reader there is no database, not a damaged one. The next opening for writing creates the database and removes the files.
        var options = DatabaseFile.Options.key(key)
        options.isReadOnly = true
        #expect(throws: StoreError.missing(path: image.canonical.directory)) {
            try DatabaseRegistry.open(image.directory, options: options)
        }
        for _ in 0..<2 {
            try DatabaseRegistry.close(DatabaseRegistry.open(image.directory, options: .key(key)))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: image.directory).sorted() == [
                "Attachments", "db.sqlite3",
            ]
        )
        try expectWhole(image, key)
    }

    @Test("a database is not created beside the log of one whose file is missing", arguments: ["-wal", "-log", "-journal"])
    func leftLog(_ suffix: String) throws {
        try FileManager.default.createDirectory(atPath: bundle.attachments, withIntermediateDirectories: true)
        let log = bundle.sqliteFile + suffix
        try Data([1]).write(to: URL(fileURLWithPath: log))
        let error = #expect(throws: StoreError.self) { try DatabaseRegistry.open(bundle.directory) }
        guard case .wrongFormat(_, let reason)? = error else { throw try #require(error) }
        #expect(reason.contains("(db.sqlite3\(suffix))"))
        #expect(try names == ["Attachments", "db.sqlite3\(suffix)"])
        // An empty log has no changes.
        try Data().write(to: URL(fileURLWithPath: log))
        try DatabaseRegistry.close(DatabaseRegistry.open(bundle.directory))
        try expectWhole(bundle, nil)
        // Such a database can be deleted.
        try FileManager.default.removeItem(atPath: bundle.sqliteFile)
        try Data([1]).write(to: URL(fileURLWithPath: log))
        #expect(try DatabaseRegistry.delete(bundle.directory))
        try DatabaseRegistry.close(DatabaseRegistry.open(bundle.directory))
    }

    @Test("creating a database uses one that another opener has created in the meantime")
    func faster() throws {
        let isMade = try NewDatabase(bundle, key: nil).make {
            let file = try DatabaseRegistry.open(bundle.directory)
            let collection = try #require(try file.collection(.default))
            _ = try file.transaction { try collection.save(DocumentSave("a", base: .latest), "{}", in: $0) }
            try DatabaseRegistry.close(file)
            // The second opening finds the unfinished file of the first and treats it as a leftover.
            try DatabaseRegistry.close(DatabaseRegistry.open(bundle.directory))
        }
        #expect(!isMade)
        #expect(try names == ["Attachments", "db.sqlite3"])
        let file = try DatabaseRegistry.open(bundle.directory)
        #expect(try file.collection(.default)?.document("a") != nil)
        try DatabaseRegistry.close(file)
    }

    @Test("creating a database creates missing parent directories, and leaves no file when it fails")
    func directories() throws {
        let deep = BundlePath(directory.path("x/y/z.cblite2"))
        #expect(try NewDatabase(deep, key: nil).make())
        try expectWhole(deep, nil)
        struct Failure: Error {}
        #expect(throws: Failure.self) { try NewDatabase(bundle, key: nil).make { throw Failure() } }
        #expect(try names == ["Attachments"])
    }

    @Test("a process killed during creation never leaves an incomplete database", .runsProgram(of: .library))
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let writer = try ProcessRunner(product: "DatabaseWriter")
        for round in 0..<12 {
            let bundle = BundlePath(directory.path("db\(round).cblite2"))
            let process = try writer.start([directory.url.path, "db\(round)", "hold"])
            // The process is killed between its start and the first save. This is the tested case, so there is nothing to wait for.
            usleep(UInt32.random(in: 0...60_000, using: &generator))
            process.kill()
            process.waitUntilExit()
            if bundle.holdsDatabase { try expectWhole(bundle, nil) }
            try DatabaseRegistry.close(DatabaseRegistry.open(bundle.directory))
            try expectWhole(bundle, nil)
        }
    }
}
