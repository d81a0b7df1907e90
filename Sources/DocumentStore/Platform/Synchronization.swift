#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Waits until the medium has what was written to a file or directory. False when that failed, with the reason in `errno`.
///
/// Not for a database file that SQLite has open: closing it again would end the locks that this process has on it.
func synchronize(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return synchronize(descriptor: descriptor)
}

/// Waits until the medium has what was written to an open file or directory. False when that failed, with the reason in `errno`.
func synchronize(descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // `fsync` leaves the data in the drive's cache. Not every file system knows the stronger call.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    // Some file systems do not synchronise directories, and need not.
    return fsync(descriptor) == 0 || errno == EINVAL
}
