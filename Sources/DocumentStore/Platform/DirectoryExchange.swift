import CLibrary

#if !canImport(Darwin)
internal import CSystemCalls
#endif

/// Exchanges two directories atomically. Returns `false` on failure, with the reason in `errno`: `EINVAL`, `ENOSYS` or `ENOTSUP` if the
/// file system or the operating system does not support this.
func exchangeDirectories(_ first: String, _ second: String) -> Bool {
    #if canImport(Darwin)
    renamex_np(first, second, UInt32(RENAME_SWAP)) == 0
    #else
    csystem_exchange(AT_FDCWD, first, second) == 0
    #endif
}
