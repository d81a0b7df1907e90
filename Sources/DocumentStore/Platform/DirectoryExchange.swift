#if canImport(Darwin)
    import Darwin
#else
    internal import CSystemCalls

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif
#endif

/// Lets two directories change places in one step. False when that failed, with the reason in `errno`: `EINVAL`, `ENOSYS` or
/// `ENOTSUP` when the file system or the system cannot do it.
func exchangeDirectories(_ first: String, _ second: String) -> Bool {
    #if canImport(Darwin)
        renamex_np(first, second, UInt32(RENAME_SWAP)) == 0
    #else
        csystem_exchange(AT_FDCWD, first, second) == 0
    #endif
}

/// Waits until the medium has what was written to a file or directory. False when that failed, with the reason in `errno`.
func synchronize(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    #if canImport(Darwin)
        // `fsync` leaves the data in the drive's cache. Not every file system knows the stronger call.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    // Some file systems do not synchronise directories, and need not.
    return fsync(descriptor) == 0 || errno == EINVAL
}
