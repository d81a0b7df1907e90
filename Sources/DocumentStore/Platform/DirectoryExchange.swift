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
