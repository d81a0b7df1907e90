import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite("Encrypted database files")
struct EncryptedConnectionTests {
    @Test("encrypted data can be read back from the write-ahead log and from the file")
    func reopening() throws {
        let file = try EncryptedTestFile()
        let first = try file.make()
        #expect(try first.scalarText("PRAGMA journal_mode") == "wal")
        #expect(try first.scalar("PRAGMA auto_vacuum") == 2)
        try file.fill(first, 3000)
        let second = try file.connect()
        #expect(try second.scalar("SELECT count(*) FROM t") == 3000)
        try first.checkpoint()
        #expect(try second.scalar("SELECT count(*) FROM t") == 3000)
        try second.close()
        try first.close()
        #expect(try file.wholeRows() == 3000)
    }

    @Test("a transaction larger than the cache is kept when the -shm file is lost")
    func rewrittenFrames() throws {
        let file = try EncryptedTestFile()
        let first = try file.make()
        try first.execute("PRAGMA cache_size=10; PRAGMA wal_autocheckpoint=0; CREATE INDEX i ON t (x)")
        try file.fill(first, 3000)
        try first.execute("UPDATE t SET x = x || 'y'; DELETE FROM t WHERE id % 3 = 0")
        for suffix in ["", LogName.suffix, "-shm"] {
            let content = try Data(contentsOf: URL(fileURLWithPath: file.path + suffix))
            #expect(content.range(of: Data(EncryptedTestFile.marker.utf8)) == nil)
        }
        let recovered = try EncryptedTestFile(copyOf: file).connect()
        #expect(try recovered.scalar("SELECT count(*) FROM t WHERE x LIKE '%y'") == 2000)
        #expect(try recovered.scalarText("PRAGMA integrity_check") == "ok")
    }

    @Test("copies of an encrypted file with another key, without a key, and back have the same rows")
    func copying() throws {
        let file = try EncryptedTestFile()
        let first = try file.make()
        try file.fill(first, 500)
        try first.execute("DELETE FROM t WHERE id % 2 = 1; PRAGMA user_version=503")
        try first.close()
        let other = try #require(EncryptionSecret(key: Array(repeating: 7, count: 32)))
        let source = try Connection(path: file.path, mode: .readOnly, namesFilesByURI: true, encryption: file.system)
        try source.execute("PRAGMA temp_store=memory")
        let copy = file.directory.path("copy ä%?.sqlite3")
        let system = try EncryptedFileSystem.begin(at: copy, with: other)
        try source.vacuum(into: copy, encryption: system)
        let plain = file.directory.path("plain.sqlite3")
        try source.vacuum(into: plain, encryption: nil)
        let rows = "SELECT group_concat(id || x) FROM t"
        let expected = try source.scalarText(rows)
        let second = try Connection(path: copy, mode: .readWrite, encryption: system)
        #expect(try second.scalarText(rows) == expected)
        #expect(try second.scalar("PRAGMA user_version") == 503)
        let third = try Connection(path: plain, mode: .readOnly, namesFilesByURI: true)
        #expect(try third.scalarText(rows) == expected)
        #expect(try third.scalarText("PRAGMA journal_mode") == "wal")
        let back = file.directory.path("back.sqlite3")
        let backSystem = try EncryptedFileSystem.begin(at: back, with: file.secret)
        try third.vacuum(into: back, encryption: backSystem)
        let fourth = try Connection(path: back, mode: .readWrite, encryption: backSystem)
        #expect(try fourth.scalarText(rows) == expected)
        #expect(try fourth.scalar("PRAGMA auto_vacuum") == 2)
    }
}
