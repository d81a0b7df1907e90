import CLibrary

/// Flushes a file or directory to the medium. Returns `false` on failure, with the reason in `errno`.
///
/// Must not be used for a database file that SQLite has open: closing the descriptor would release the locks of this process on the file.
func synchronize(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    let isDone = synchronize(descriptor: descriptor)
    // Closing can change it.
    let code = errno
    close(descriptor)
    errno = code
    return isDone
}

/// Flushes an open file or directory to the medium. Returns `false` on failure, with the reason in `errno`.
func synchronize(descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // `fsync` leaves the data in the drive's cache. Not every file system supports `F_FULLFSYNC`.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    // Some file systems cannot flush directories, and do not need to.
    return fsync(descriptor) == 0 || errno == EINVAL
}
