#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many files and connections this process may have open at a time.
enum DescriptorLimit {
    /// More are not asked for: systems that allow millions make some calls slow then.
    private static let wanted: rlim_t = 65_536

    /// Raises the limit as far as the system lets every process do it. A server has a descriptor for each client, and the usual 1,024 are too
    /// few for many. Without success everything goes on as it is.
    static func raise() {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        guard setrlimit(resource, &limit) != 0 else { return }
        #if canImport(Darwin)
        // There is another limit there that `getrlimit` does not tell of.
        limit.rlim_cur = min(rlim_t(OPEN_MAX), limit.rlim_max)
        _ = setrlimit(resource, &limit)
        #endif
    }
}
