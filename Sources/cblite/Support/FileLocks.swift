import DocumentStore
import Foundation

/// Looks at the locks that SQLite puts on the files of a database that is open.
enum FileLocks {
    /// Where SQLite's locks lie: the pending, reserved and shared bytes of the database file, and the bytes of the shared
    /// memory file of the log (SQLite, "File Locking" and "WAL-mode File Format" 2.3.1).
    private static let databaseLocks: Range<off_t> = 0x4000_0000..<0x4000_0200
    private static let sharedMemoryLocks: Range<off_t> = 120..<129

    /// Whether another process has the database open and has read from it. This process must not have it open: closing one
    /// file gives up all locks that a process has on it.
    static func isLockedByAnotherProcess(_ bundle: BundlePath) -> Bool {
        isLocked(bundle.sqliteFile, databaseLocks) || isLocked(bundle.sqliteFile + "-shm", sharedMemoryLocks)
    }

    private static func isLocked(_ path: String, _ range: Range<off_t>) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = range.lowerBound
        lock.l_len = off_t(range.count)
        return fcntl(descriptor, F_GETLK, &lock) == 0 && Int32(lock.l_type) != Int32(F_UNLCK)
    }
}
