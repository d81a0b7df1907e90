import CLibrary

/// The maximum number of open files and connections of this process.
enum DescriptorLimit {
    /// The limit requested. Not higher, because some system calls are slow with a limit of millions.
    private static let wanted: rlim_t = 65_536

    /// Raises the soft limit as far as the hard limit allows, because a server needs a descriptor for each client and the usual 1,024 may
    /// be too few. Ignores errors.
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
        // macOS has another limit, which `getrlimit` does not report.
        limit.rlim_cur = min(rlim_t(OPEN_MAX), limit.rlim_max)
        _ = setrlimit(resource, &limit)
        #endif
    }
}
