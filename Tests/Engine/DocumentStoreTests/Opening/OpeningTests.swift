import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Opening databases")
struct OpeningTests {
    let directory: TemporaryDirectory
    let path: BundlePath

    init() throws {
        directory = try TemporaryDirectory()
        path = BundlePath(directory.path("test.cblite2"))
    }

    private func open(readOnly: Bool = false, creating: Bool = true) throws {
        var options = DatabaseFile.Options()
        options.isReadOnly = readOnly
        options.createsIfMissing = creating
        options.busyTimeout = .milliseconds(20)
        try DatabaseRegistry.close(try DatabaseRegistry.open(path.directory, options: options))
    }

    private func write(_ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: path.directory, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path.sqliteFile))
    }

    private func makeSQLite(_ sql: String) throws {
        try FileManager.default.createDirectory(atPath: path.directory, withIntermediateDirectories: true)
        try TestDatabase.sql(sql, on: path)
    }

    @Test("a missing database is created, unless it is opened read-only or creation is disabled")
    func missing() throws {
        let missing = StoreError.missing(path: path.canonical.directory)
        #expect(throws: missing) { try open(creating: false) }
        #expect(throws: missing) { try open(readOnly: true) }
        #expect(!FileManager.default.fileExists(atPath: path.directory))
        try FileManager.default.createDirectory(atPath: path.directory, withIntermediateDirectories: true)
        #expect(throws: missing) { try open(creating: false) }
        try open()
        #expect(path.holdsDatabase)
        #expect(FileManager.default.fileExists(atPath: path.attachments))
    }

    @Test("opening a file in place of the bundle directory throws notADirectory")
    func file() throws {
        try Data("hello".utf8).write(to: URL(fileURLWithPath: path.directory))
        #expect(throws: StoreError.notADirectory(path: path.canonical.directory)) { try open() }
    }

    @Test("a file that is not an SQLite database is rejected and stays unchanged", arguments: [false, true])
    func notADatabase(_ readOnly: Bool) throws {
        let bytes = Array("This is not a database, but a text that somebody put here.".utf8)
        try write(bytes)
        #expect(throws: StoreError.notADatabase(path: path.canonical.directory)) { try open(readOnly: readOnly) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path.sqliteFile)) == Data(bytes))
    }

    @Test("a database encrypted by Couchbase Lite is recognised by its header bytes", arguments: [false, true])
    func encrypted(_ readOnly: Bool) throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        var bytes = (0..<8192).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes.replaceSubrange(16..<24, with: [0x10, 0, 2, 2, 0x0C, 0x40, 0x20, 0x20])
        try write(bytes)
        #expect(throws: StoreError.encryptedByOriginal(path: path.canonical.directory)) { try open(readOnly: readOnly) }
    }

    @Test("opening a truncated file throws a StoreError", arguments: [10, 100, 1000, 5000, 9000])
    func truncated(_ length: Int) throws {
        try open()
        try makeSQLite("PRAGMA wal_checkpoint(TRUNCATE)")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path.sqliteFile))
        try write([UInt8](whole.prefix(length)))
        for readOnly in [true, false] {
            let error = #expect(throws: StoreError.self) { try open(readOnly: readOnly) }
            switch error {
            case .corrupt, .notADatabase, .wrongFormat: break
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test("an empty file becomes a new database when opened for writing, and is rejected read-only")
    func empty() throws {
        try write([])
        #expect(throws: StoreError.self) { try open(readOnly: true) }
        try open()
        try open(readOnly: true)
    }

    @Test("a database of an unsupported version is rejected as too old or too new")
    func versions() throws {
        let directory = path.canonical.directory
        for (version, error) in [
            (17, StoreError.tooOld(path: directory, version: 17)), (99, .tooOld(path: directory, version: 99)),
            (-5, .tooOld(path: directory, version: -5)), (600, .tooNew(path: directory, version: 600)),
        ] {
            try makeSQLite("CREATE TABLE IF NOT EXISTS kvmeta (name); PRAGMA user_version=\(version)")
            #expect(throws: error) { try open() }
            #expect(throws: error) { try open(readOnly: true) }
        }
        for version in [150, 200] {
            try makeSQLite("PRAGMA user_version=\(version)")
            for readOnly in [true, false] {
                let error = #expect(throws: StoreError.self) { try open(readOnly: readOnly) }
                guard case .cannotUpgrade(directory, version, _) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test("databases of other programs are rejected")
    func wrongFormat() throws {
        func expectWrongFormat(_ sql: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            try makeSQLite(sql)
            for readOnly in [true, false] {
                let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
                    try open(readOnly: readOnly)
                }
                guard case .wrongFormat = error else {
                    Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
                    continue
                }
            }
        }
        try expectWrongFormat("CREATE TABLE recipes (name TEXT)")
        try expectWrongFormat("PRAGMA user_version=503")
        try expectWrongFormat("CREATE TABLE kv_info (key TEXT PRIMARY KEY, body BLOB)")
    }

    @Test("a database with version vectors is opened for reading and writing, and stays one")
    func versionVectors() throws {
        try open()
        try makeSQLite("UPDATE kv_info SET body = x'0000000000000002' WHERE key = 'versioning'")
        try open(readOnly: true)
        try open()
        let connection = try Connection(path: path.sqliteFile, mode: .readOnly)
        #expect(try InfoStore.integer(InfoStore.versioning, on: connection) == 2)
    }

    @Test("a new database has revision trees unless version vectors are required, and an existing one must be as required")
    func requiredVersioning() throws {
        for (required, other, error) in [
            (
                Versioning.versionVectors, Versioning.trees,
                StoreError.versionVectors(path: path.canonical.directory, reason: "revision trees are required")
            ),
            (.trees, .versionVectors, .revisionTrees(path: path.canonical.directory)),
            (.automatic, .versionVectors, .revisionTrees(path: path.canonical.directory)),
        ] {
            func options(_ versioning: Versioning, readOnly: Bool = false) -> DatabaseFile.Options {
                var options = DatabaseFile.Options()
                options.versioning = versioning
                options.isReadOnly = readOnly
                return options
            }
            let file = try DatabaseRegistry.open(path.directory, options: options(required))
            #expect(try file.hasVersionVectors() == (required == .versionVectors))
            #expect(error.code == 19)
            // Also while it is open.
            #expect(throws: error) { try DatabaseRegistry.open(path.directory, options: options(other)) }
            try DatabaseRegistry.close(file)
            #expect(throws: error) { try DatabaseRegistry.open(path.directory, options: options(other)) }
            #expect(throws: error) { try DatabaseRegistry.open(path.directory, options: options(other, readOnly: true)) }
            try DatabaseRegistry.close(DatabaseRegistry.open(path.directory, options: options(.automatic)))
            try DatabaseRegistry.delete(path.directory)
        }
    }

    @Test("a versioning entry of the wrong size is accepted, and corrected when the database is opened for writing")
    func versioningSize() throws {
        try open()
        try makeSQLite("UPDATE kv_info SET body = x'31' WHERE key = 'versioning'")
        try open(readOnly: true)
        try open()
        let connection = try Connection(path: path.sqliteFile, mode: .readOnly)
        #expect(try InfoStore.integer(InfoStore.versioning, on: connection) == 1)
    }

    @Test("opening a database that stays locked by another process throws an error")
    func locked() throws {
        try open()
        try makeSQLite("PRAGMA user_version=502")
        let other = try Connection(path: path.sqliteFile, mode: .readWrite)
        try other.begin(.immediate)
        #expect(throws: StoreError.locked(path: path.canonical.directory)) { try open() }
        try other.rollback()
        try open()
    }

    @Test("a database can be read through an immutable connection")
    func immutable() throws {
        let database = try TestDatabase()
        try database.save("one", #"{"a":1}"#)
        try database.close()
        let opened = try Connection(path: database.path.sqliteFile, mode: .readOnly, immutable: true)
        defer { try? opened.close() }
        #expect(try opened.scalar("SELECT count(*) FROM kv_default") == 1)
    }

    @Test("a database opened read-only rejects transactions, and its file stays unchanged")
    func readOnly() throws {
        let database = try TestDatabase()
        try database.save("one", #"{"a":1}"#)
        try database.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile))
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let file = try DatabaseRegistry.open(database.bundle.path, options: options)
        #expect(throws: StoreError.notWritable(path: file.bundle.directory)) { try file.transaction { _ in } }
        #expect(try file.collection(.default)?.document("one")?.canonicalJSON() == #"{"a":1}"#)
        try DatabaseRegistry.close(file)
        #expect(try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile)) == before)
    }

    @Test("reading or writing a closed database throws notOpen")
    func closed() throws {
        let database = try TestDatabase()
        let (file, collection) = (database.file, try database.collection())
        try database.close()
        for action in [
            { _ = try collection.document("x") }, { _ = try collection.count() }, { try file.transaction { _ in } },
        ] as [() throws -> Void] {
            let error = #expect(throws: StoreError.self) { try action() }
            guard case .notOpen = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }
}
