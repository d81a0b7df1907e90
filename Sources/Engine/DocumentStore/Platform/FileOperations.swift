import Base

#if !canImport(Darwin)
internal import CSystemCalls
#endif

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
package func synchronize(descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // `fsync` leaves the data in the drive's cache. Not every file system supports `F_FULLFSYNC`.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    // Some file systems cannot flush directories, and do not need to.
    return fsync(descriptor) == 0 || errno == EINVAL
}

/// Writes the content of an open file to the drive. It is on the medium after the next ``synchronize(descriptor:)`` of any file of that drive.
/// Returns `false` on failure, with the reason in `errno`.
func flushContent(descriptor: Int32) -> Bool { fsync(descriptor) == 0 }

#if canImport(Darwin)
let canFlushFileSystem = false
func flushFileSystem(of descriptor: Int32) -> Bool { false }
#else
/// Whether ``flushFileSystem(of:)`` is possible.
let canFlushFileSystem = true

/// Flushes everything that was written to the file system of an open file to the medium. Returns `false` on failure, with the reason in
/// `errno`.
func flushFileSystem(of descriptor: Int32) -> Bool { csystem_syncfs(descriptor) == 0 }
#endif

/// Writes all of `bytes`, also if the system takes only a part at a time or is interrupted by a signal. Returns `false` on failure, with the
/// reason in `errno`.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
        let written = write(descriptor, start, rest.count)
        if written < 0 {
            if errno == EINTR { continue }
            return false
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
    }
    return true
}

/// Exchanges two directories atomically. Returns `false` on failure, with the reason in `errno`: `EINVAL`, `ENOSYS` or `ENOTSUP` if the
/// file system or the operating system does not support this.
func exchangeDirectories(_ first: String, _ second: String) -> Bool {
    #if canImport(Darwin)
    renamex_np(first, second, UInt32(RENAME_SWAP)) == 0
    #else
    csystem_exchange(AT_FDCWD, first, second) == 0
    #endif
}

/// Distinguishes a file from those that had its number before, as long as its content is not changed.
///
/// A file system gives the number of a removed file to the next new one, so the number alone is not enough. The time of the last change of
/// the inode cannot be used, because it changes when the file gets or loses a name.
struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// The time when the content was written, in seconds since 1970 and nanoseconds.
    let seconds: Int64
    let nanoseconds: Int64
}

extension FileIdentity {
    init(_ status: stat) {
        #if canImport(Darwin)
        let written = status.st_mtimespec
        #else
        let written = status.st_mtim
        #endif
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            seconds: Int64(written.tv_sec),
            nanoseconds: Int64(written.tv_nsec)
        )
    }
}
