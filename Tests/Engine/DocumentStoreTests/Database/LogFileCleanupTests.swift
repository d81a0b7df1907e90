import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Files left by reading")
struct LogFileCleanupTests {
    private func reading(_ key: EncryptionSecret? = nil) -> DatabaseFile.Options {
        var options = DatabaseFile.Options.key(key)
        options.isReadOnly = true
        return options
    }

    private func names(_ database: TestDatabase) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: database.path.directory).sorted()
    }

    private func read(_ database: TestDatabase, _ key: EncryptionSecret? = nil) throws {
        let file = try DatabaseRegistry.open(database.path.directory, options: reading(key))
        #expect(try file.collection(.default)?.document("a") != nil)
        try DatabaseRegistry.close(file)
    }

    @Test("opening a database read-only leaves no new files, even with a wrong key", arguments: [nil, EncryptionSecret.test(1)])
    func nothing(_ key: EncryptionSecret?) throws {
        let database = try TestDatabase(options: .key(key))
        try database.save("a", "{}")
        try database.close()
        #expect(try names(database) == ["Attachments", "db.sqlite3"])
        try read(database, key)
        #expect(try names(database) == ["Attachments", "db.sqlite3"])
        // The same holds if the database cannot be read.
        #expect(throws: StoreError.self) {
            try DatabaseRegistry.open(database.path.directory, options: reading(.test(9)))
        }
        #expect(try names(database) == ["Attachments", "db.sqlite3"])
    }

    @Test("a rejected database is left without new files when opened read-only", arguments: [102, 200, 600, 0])
    func refused(_ version: Int) throws {
        let database = try TestDatabase()
        try database.close()
        try TestDatabase.sql("PRAGMA user_version=\(version)", on: database.path)
        let before = try names(database)
        #expect(throws: StoreError.self) { try DatabaseRegistry.open(database.path.directory, options: reading()) }
        #expect(try names(database) == before)
    }

    @Test("several read-only connections leave no new files after the last one is closed")
    func several() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        try database.close()
        let first = try DatabaseFile(opened: OpenedFile(database.path, reading()), options: reading())
        #expect(try first.collection(.default)?.count() == 1)
        let second = try DatabaseFile(opened: OpenedFile(database.path, reading()), options: reading())
        #expect(try second.collection(.default)?.count() == 1)
        try first.close()
        #expect(try second.collection(.default)?.count() == 1)
        try second.close()
        #expect(try names(database) == ["Attachments", "db.sqlite3"])
    }

    @Test("a read-only connection leaves the files of a concurrent writer alone", arguments: [nil, EncryptionSecret.test(1)])
    func besideWriter(_ key: EncryptionSecret?) throws {
        let database = try TestDatabase(options: .key(key))
        try database.save("a", "{}")
        let before = try names(database)
        try read(database, key)
        #expect(try names(database) == before)
        try database.save("b", "{}")
        try database.checkAfter(key)
    }

    @Test("a read-only connection leaves a non-empty write-ahead log unchanged, and its index if there was one", arguments: [true, false])
    func withLog(_ hasIndex: Bool) throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        let directory = try TemporaryDirectory()
        // The files that a killed process leaves; a copy need not contain the index.
        let image = BundlePath(directory.path("image.cblite2"))
        try FileManager.default.copyItem(atPath: database.path.directory, toPath: image.directory)
        if !hasIndex { try FileManager.default.removeItem(atPath: image.sqliteFile + "-shm") }
        let before = try FileManager.default.contentsOfDirectory(atPath: image.directory).sorted()
        let log = FileManager.default.contents(atPath: image.writeAheadLog)
        #expect(log?.isEmpty == false)
        let file = try DatabaseRegistry.open(image.directory, options: reading())
        #expect(try file.collection(.default)?.document("a") != nil)
        try DatabaseRegistry.close(file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: image.directory).sorted() == before)
        #expect(FileManager.default.contents(atPath: image.writeAheadLog) == log)
    }

    @Test("copying a database leaves no new files next to the original", arguments: [nil, EncryptionSecret.test(1)])
    func copying(_ key: EncryptionSecret?) throws {
        let database = try TestDatabase(options: .key(key))
        try database.save("a", "{}")
        try database.close()
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        try DatabaseCopy.copy(database.path, to: copy, options: .key(key))
        #expect(try names(database) == ["Attachments", "db.sqlite3"])
    }
}

extension TestDatabase {
    fileprivate func checkAfter(_ key: EncryptionSecret?) throws {
        try reopen(options: .key(key))
        #expect(try collection().count() == 2)
        #expect(try BundleChecker(file).findings() == [])
    }
}
