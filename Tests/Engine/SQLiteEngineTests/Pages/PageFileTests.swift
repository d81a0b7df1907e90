#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite("Reading pages without a connection")
struct PageFileTests {
    @Test("reading the pages of a file keeps the locks that SQLite has on it in this process")
    func locks() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("db.sqlite3")
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("CREATE TABLE t (x); PRAGMA journal_mode=WAL; INSERT INTO t VALUES (1)")
        // Closing a descriptor releases the locks of the process, so this one is closed last.
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(try isLocked(descriptor))
        do {
            let pages = try PageFile(path, log: path + "-wal", keys: nil)
            #expect(pages.pageCount >= 2)
            #expect(pages.page(1)?.starts(with: "SQLite format 3".utf8) == true)
            #expect(pages.page(pages.pageCount + 1) == nil)
        }
        #expect(try isLocked(descriptor))
        try connection.close()
        #expect(try !isLocked(descriptor))
    }

    /// Returns whether the process has a lock on the file. A lock of an open file, unlike one of a process, conflicts with the locks of the
    /// same process (fcntl(2), "Open file description locks").
    private func isLocked(_ descriptor: Int32) throws -> Bool {
        let queryOfOpenFile: Int32 = 36
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 0x200
        guard fcntl(descriptor, queryOfOpenFile, &lock) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return Int32(lock.l_type) != F_UNLCK
    }
}
#endif
