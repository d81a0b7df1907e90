import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Opening encrypted databases")
struct EncryptedOpeningTests {
    @Test("an encrypted database can be reopened with its key", arguments: [EncryptionSecret.test(1), .test("secret")])
    func reopening(key: EncryptionSecret) throws {
        let database = try TestDatabase(options: .key(key))
        #expect(database.file.isEncrypted)
        try database.save("a", #"{"n":1}"#)
        try database.reopen(options: .key(key))
        #expect(try database.json("a") == #"{"n":1}"#)
        #expect(try BundleChecker(database.file).findings() == [])
        #expect(DatabaseFileHead(ofFileAt: database.path.sqliteFile) == .encrypted)
    }

    @Test("any changed byte of the encrypted header makes opening throw an error")
    func anyByteOfHeader() throws {
        let database = try TestDatabase(options: .key(.test(1)))
        try database.save("a", "{}")
        try database.close()
        let file = URL(fileURLWithPath: database.path.sqliteFile)
        let whole = try Data(contentsOf: file)
        // Bytes that are used, and bytes that are zero: some with a given key, and the others with any key.
        for place in Array(0..<128) + [200, 2048, 4095] {
            var changed = whole
            changed[place] ^= 0x40
            try changed.write(to: file)
            for isReadOnly in [false, true] {
                var options = DatabaseFile.Options.key(.test(1))
                options.isReadOnly = isReadOnly
                #expect(throws: StoreError.self, "byte \(place)") {
                    try DatabaseRegistry.open(database.path.directory, options: options)
                }
            }
        }
        try whole.write(to: file)
        try database.reopen(options: .key(.test(1)))
        #expect(try database.json("a") == "{}")
    }

    @Test("equal passwords open the same database")
    func samePassword() throws {
        let database = try TestDatabase(options: .key(.test("secret")))
        try database.save("a", #"{"n":1}"#)
        try database.reopen(options: .key(.test("secret")))
        #expect(try database.json("a") == #"{"n":1}"#)
    }

    @Test("a secret without its password opens existing databases, and creates databases that the password opens")
    func forgotten() throws {
        let password = EncryptionSecret.test("secret")
        let database = try TestDatabase(options: .key(password))
        try database.reopen(options: .key(password.withoutPassword()))
        let second = try TestDatabase(options: .key(password.withoutPassword()))
        try second.save("a", "{}")
        try second.reopen(options: .key(.test("secret")))
        #expect(try second.json("a") == "{}")
    }

    @Test("a wrong key, a missing key and a superfluous key give different errors")
    func wrongKeys() throws {
        let database = try TestDatabase(options: .key(.test(1)))
        try database.save("a", "{}")
        let path = database.path.directory
        // Also while the database is open.
        for isOpen in [true, false] {
            if !isOpen { try database.close() }
            #expect(throws: StoreError.wrongKey(path: path)) {
                try DatabaseRegistry.open(path, options: .key(.test(2)))
            }
            #expect(throws: StoreError.wrongKey(path: path)) {
                try DatabaseRegistry.open(path, options: .key(.test("x")))
            }
            #expect(throws: StoreError.encrypted(path: path)) { try DatabaseRegistry.open(path) }
        }
        var reading = DatabaseFile.Options.key(.test(1))
        reading.isReadOnly = true
        let file = try DatabaseRegistry.open(path, options: reading)
        #expect(try file.collection(.default)?.document("a") != nil)
        try DatabaseRegistry.close(file)

        let plain = try TestDatabase()
        for isOpen in [true, false] {
            if !isOpen { try plain.close() }
            #expect(throws: StoreError.notEncrypted(path: plain.path.directory)) {
                try DatabaseRegistry.open(plain.path.directory, options: .key(.test(1)))
            }
        }
    }

    @Test("files encrypted by Couchbase Lite and files that are not databases are recognised, with or without a key")
    func otherFiles() throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2"))
        try FileManager.default.createDirectory(atPath: bundle.directory, withIntermediateDirectories: true)
        var content = [UInt8](repeating: 0xA5, count: 8192)
        for key in [nil, EncryptionSecret.test(1)] {
            content[16] = 0x10
            content[17] = 0
            try Data(content).write(to: URL(fileURLWithPath: bundle.sqliteFile))
            #expect(throws: StoreError.encryptedByOriginal(path: bundle.directory)) {
                try DatabaseRegistry.open(bundle.directory, options: .key(key))
            }
            content[17] = 1
            try Data(content).write(to: URL(fileURLWithPath: bundle.sqliteFile))
            #expect(throws: StoreError.notADatabase(path: bundle.directory)) {
                try DatabaseRegistry.open(bundle.directory, options: .key(key))
            }
        }
    }

    @Test("a database with a changed header cannot be opened, and a newer header version is reported as too new")
    func changedHeader() throws {
        let database = try TestDatabase(options: .key(.test("secret")))
        try database.save("a", "{}")
        try database.close()
        let url = URL(fileURLWithPath: database.path.sqliteFile)
        let original = try Data(contentsOf: url)
        for position in [0, 15, 19, 23, 27, 29, 32, 47, 48, 63, 64, 95, 96, 4095] {
            var changed = original
            changed[position] ^= 1
            try changed.write(to: url)
            #expect(throws: StoreError.self, "\(position)") {
                try DatabaseRegistry.open(database.path.directory, options: .key(.test("secret")))
            }
        }
        var newer = original
        newer[19] = 2
        try newer.write(to: url)
        let error = try #require(throws: StoreError.self) {
            try DatabaseRegistry.open(database.path.directory, options: .key(.test("secret")))
        }
        #expect(error.description.contains("too new"))
        try original.write(to: url)
        let file = try DatabaseRegistry.open(database.path.directory, options: .key(.test("secret")))
        #expect(try file.collection(.default)?.document("a") != nil)
        try DatabaseRegistry.close(file)
    }

    @Test("a copy of an encrypted database has the same key and the blobs")
    func copying() throws {
        let database = try TestDatabase(options: .key(.test("secret")))
        let digest = try database.file.blobs.store(Array("content".utf8))
        try database.save("a", #"{"n":1}"#)
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        #expect(throws: StoreError.wrongKey(path: database.path.directory)) {
            try DatabaseCopy.copy(database.path, to: copy, options: .key(.test("other")))
        }
        #expect(!copy.isDirectory)
        try DatabaseCopy.copy(database.path, to: copy, options: .key(.test("secret")))
        let file = try DatabaseRegistry.open(copy.directory, options: .key(.test("secret")))
        #expect(try file.collection(.default)?.document("a")?.canonicalJSON() == #"{"n":1}"#)
        #expect(try file.blobs.contents(of: digest) == Array("content".utf8))
        #expect(try file.publicUUID() != database.file.publicUUID())
        #expect(try BundleChecker(file).findings() == [])
        try DatabaseRegistry.close(file)
    }

    @Test("an encrypted database can be read through an immutable connection")
    func readOnlyMedium() throws {
        let database = try TestDatabase(options: .key(.test(1)))
        try database.save("a", "{}")
        try database.close()
        let source = try Connection(
            path: database.path.sqliteFile,
            mode: .readOnly,
            immutable: true,
            encryption: EncryptedFileSystem(opening: database.path.sqliteFile, with: .test(1))
        )
        #expect(try source.scalar("SELECT count(*) FROM kv_default") == 1)
        #expect(!FileManager.default.fileExists(atPath: database.path.sqliteFile + "-shm"))
    }
}
