import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite("Tampered encrypted files")
struct TamperedFileTests {
    /// A file with many pages, all rows in the file itself.
    private func makeFile(_ secret: EncryptionSecret? = nil) throws -> EncryptedTestFile {
        let file = try secret.map { try EncryptedTestFile(secret: $0) } ?? EncryptedTestFile()
        let connection = try file.make()
        try file.fill(connection, 100)
        try connection.close()
        return file
    }

    /// A file with an empty log's worth of rows in it, and three commits in the log.
    private func makeFileWithLog() throws -> (EncryptedTestFile, Connection) {
        let file = try EncryptedTestFile()
        let connection = try file.make()
        try connection.execute("PRAGMA wal_autocheckpoint=0")
        try file.fill(connection, 10)
        try connection.checkpoint()
        for _ in 0..<3 { try file.fill(connection, 10) }
        return (file, connection)
    }

    private func isCorrupt(_ file: EncryptedTestFile) throws -> Bool {
        try sqliteError { _ = try file.connect().scalar("SELECT sum(length(x)) FROM t") }.isCorrupt
    }

    @Test(
        "a changed byte anywhere in an encrypted page is detected",
        arguments: [0, 1, 99, 2000, 4063, 4064, 4079, 4080, 4091, 4092, 4095]
    )
    func changedByte(place: Int) throws {
        let file = try makeFile()
        for page in [1, 3, 7] {
            let changed = try EncryptedTestFile(copyOf: file, withLog: false)
            try changed.change { $0[page * 4096 + place] ^= 1 }
            #expect(try isCorrupt(changed), "page \(page)")
        }
        #expect(try file.wholeRows() == 100)
    }

    @Test("swapped pages of an encrypted file are detected")
    func swappedPages() throws {
        let file = try makeFile()
        try file.change { bytes in
            let (fifth, sixth) = (bytes[5 * 4096..<6 * 4096], bytes[6 * 4096..<7 * 4096])
            bytes.replaceSubrange(5 * 4096..<6 * 4096, with: sixth)
            bytes.replaceSubrange(6 * 4096..<7 * 4096, with: fifth)
        }
        #expect(try isCorrupt(file))
    }

    @Test("a page of another file with the same password is detected")
    func foreignPage() throws {
        let secret = EncryptionSecret(password: "secret", iterations: 10)
        let (file, other) = (try makeFile(secret), try makeFile(secret))
        let page = try other.bytes()[5 * 4096..<6 * 4096]
        try file.change { $0.replaceSubrange(5 * 4096..<6 * 4096, with: page) }
        #expect(try isCorrupt(file))
    }

    @Test("a zeroed page and a truncated file are detected")
    func missingPages() throws {
        let file = try makeFile()
        let zeroed = try EncryptedTestFile(copyOf: file, withLog: false)
        try zeroed.change { $0.replaceSubrange(5 * 4096..<6 * 4096, with: Array(repeating: 0, count: 4096)) }
        #expect(try isCorrupt(zeroed))
        let short = try EncryptedTestFile(copyOf: file, withLog: false)
        try short.change { $0.removeLast(6 * 4096) }
        #expect(try isCorrupt(short))
    }

    @Test("a truncated write-ahead log yields all commits before the cut and nothing else")
    func truncatedLog() throws {
        let (file, connection) = try makeFileWithLog()
        let log = try file.bytes(LogName.suffix)
        let frames = (log.count - 32) / 4120
        // The ends of the commits: the last frame of each contains the size of the database.
        let commits = (0..<frames).filter { log[32 + $0 * 4120 + 4..<32 + $0 * 4120 + 8].contains { $0 != 0 } }
        #expect(commits.count == 3)
        let last = log.count - 2 * 4120
        let places = [0, 1, 31, 32, 33] + (last...log.count).filter { ($0 - 32) % 4120 < 30 || $0 % 113 == 0 }
        for place in places {
            let cut = try EncryptedTestFile(copyOf: file)
            try cut.setBytes(Array(log[..<place]), LogName.suffix)
            let whole = (place - 32) / 4120
            let expected = 10 + 10 * commits.count { $0 < whole }
            #expect(try cut.wholeRows() == Int64(place < 32 ? 10 : expected), "cut at \(place)")
        }
        try connection.close()
    }

    @Test(
        "a changed byte in a frame ends the write-ahead log at this frame",
        arguments: [0, 3, 4, 8, 15, 16, 23, 24, 1000, 4087, 4088, 4104, 4116, 4119]
    )
    func changedFrame(place: Int) throws {
        let (file, connection) = try makeFileWithLog()
        let changed = try EncryptedTestFile(copyOf: file)
        try changed.change(LogName.suffix) { bytes in
            let frames = (bytes.count - 32) / 4120
            bytes[32 + (frames - 1) * 4120 + place] ^= 1
        }
        #expect(try changed.wholeRows() == 30)
        try connection.close()
    }

    @Test("swapped frames end the write-ahead log")
    func swappedFrames() throws {
        let (file, connection) = try makeFileWithLog()
        let changed = try EncryptedTestFile(copyOf: file)
        try changed.change(LogName.suffix) { bytes in
            let (first, second) = (Array(bytes[32..<4152]), Array(bytes[4152..<8272]))
            bytes.replaceSubrange(32..<8272, with: second + first)
        }
        #expect(try changed.wholeRows() == 10)
        try connection.close()
    }

    @Test("a write-ahead log of another file is not read")
    func foreignLog() throws {
        let (file, connection) = try makeFileWithLog()
        let (other, second) = try makeFileWithLog()
        try file.fill(connection, 5)
        let changed = try EncryptedTestFile(copyOf: file)
        try changed.setBytes(other.bytes(LogName.suffix), LogName.suffix)
        #expect(try changed.wholeRows() == 10)
        try connection.close()
        try second.close()
    }

    @Test("a frame that changes while the write-ahead log is in use is reported as corruption")
    func changedWhileOpen() throws {
        let (file, connection) = try makeFileWithLog()
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path + LogName.suffix))
        let frames = (try file.bytes(LogName.suffix).count - 32) / 4120
        for frame in 0..<frames {
            try handle.seek(toOffset: UInt64(32 + frame * 4120 + 500))
            let byte = try #require(try handle.read(upToCount: 1)?.first)
            try handle.seek(toOffset: UInt64(32 + frame * 4120 + 500))
            try handle.write(contentsOf: [byte ^ 1])
        }
        let second = try Connection(path: file.path, mode: .readWrite, encryption: file.system)
        #expect(try sqliteError { _ = try second.scalar("SELECT sum(length(x)) FROM t") }.isCorrupt)
        #expect(try sqliteError { try second.checkpoint() }.isCorrupt)
        try connection.close()
    }

    @Test("an encrypted file that was replaced by one with another key is not opened as the old one")
    func replaced() throws {
        let file = try makeFile()
        let other = try makeFile()
        try file.setBytes(other.bytes())
        #expect(try sqliteError { _ = try file.connect() }.isNotADatabase)
    }

    /// SQLite without the key finds no valid frame in the log and removes the log when it is closed.
    @Test("a connection without the key leaves the encrypted write-ahead log unchanged")
    func withoutKey() throws {
        let (file, connection) = try makeFileWithLog()
        let crashed = try EncryptedTestFile(copyOf: file)
        for _ in 0..<2 {
            let plain = try Connection(path: crashed.path, mode: .readWrite)
            #expect(throws: SQLiteError.self) { try plain.execute("SELECT * FROM t") }
            #expect(throws: SQLiteError.self) { try plain.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            try plain.close()
        }
        #expect(try crashed.wholeRows() == 40)
        // Also while the log is in use, even if this connection is the last to be closed.
        let plain = try Connection(path: file.path, mode: .readWrite)
        #expect(throws: SQLiteError.self) { try plain.execute("SELECT * FROM t") }
        try connection.close()
        try plain.close()
        #expect(try file.wholeRows() == 40)
    }

    @Test("an encrypted file cannot be switched to a rollback journal")
    func journals() throws {
        let file = try makeFile()
        let connection = try file.connect()
        #expect(throws: SQLiteError.self) { try connection.execute("PRAGMA journal_mode=DELETE") }
        try connection.close()
        #expect(try file.wholeRows() == 100)
    }
}
