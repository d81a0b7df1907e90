import Foundation

extension BundlePath {
    /// The ranges that SQLite locks: the pending, reserved and shared bytes of the database file, and the lock bytes of the shared
    /// memory file of the log (SQLite, "File Locking" and "WAL-mode File Format" 2.3.1).
    private static let databaseLocks: Range<off_t> = 0x4000_0000..<0x4000_0200
    private static let sharedMemoryLocks: Range<off_t> = 120..<129

    /// Whether another process has the database open and has read from it. This process must not have the database open, because closing a
    /// descriptor of a file releases all locks of the process on that file.
    package var isLockedByAnotherProcess: Bool {
        Self.isLocked(sqliteFile, Self.databaseLocks) || Self.isLocked(sqliteFile + "-shm", Self.sharedMemoryLocks)
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
