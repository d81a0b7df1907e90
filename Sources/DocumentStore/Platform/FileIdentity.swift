import CLibrary

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
