import Foundation

/// Settings of the C library's memory allocator.
enum Allocator {
    #if canImport(Glibc)
    private typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32

    /// `M_MMAP_THRESHOLD` and `M_ARENA_MAX` of glibc's `malloc.h`, which the Swift module of glibc does not contain. Blocks of at least
    /// `M_MMAP_THRESHOLD` bytes are mapped separately, and unmapped when they are freed.
    private static let mappingThreshold: Int32 = -3
    private static let maximumAreas: Int32 = -8
    #endif

    /// Makes glibc return every large block to the system when it is freed: keeps the initial threshold. By default glibc raises it up to
    /// 32 MiB, and a server keeps the memory that it allocated for its clients: 360 MB instead of 200 MB were measured after 16 clients had sent
    /// messages that decompress to 19 MB. Other C libraries need no setting.
    static func returnsLargeBlocks() {
        #if canImport(Glibc)
        set(mappingThreshold, 128 << 10)
        #endif
    }

    /// Makes all threads allocate from two areas. By default glibc gives each thread its own area, and a command with several threads uses
    /// only a part of each: replicating took 96 MB instead of 72 MB. With two areas it was not slower.
    static func sharesAreas() {
        #if canImport(Glibc)
        set(maximumAreas, 2)
        #endif
    }

    #if canImport(Glibc)
    private static func set(_ option: Int32, _ value: Int32) {
        // `nil` is glibc's RTLD_DEFAULT: searches all loaded libraries.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        // Safe: glibc declares `int mallopt(int, int)`.
        _ = unsafeBitCast(symbol, to: SetOption.self)(option, value)
    }
    #endif
}

/// The maximum number of open files and connections of this process.
enum DescriptorLimit {
    /// The requested limit. It is not higher, because some system calls are slow with a limit of millions.
    private static let wanted: rlim_t = 65_536

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    /// The soft and the hard limit; `nil` if they cannot be read.
    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    /// The present limit.
    static var current: Int { limit.map { Int(clamping: $0.rlim_cur) } ?? .max }

    /// Raises the soft limit as far as the hard limit allows, because a server needs a descriptor for each client and the usual 1,024 may
    /// be too few. Ignores errors.
    static func raise() {
        guard var limit = limit, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        guard setrlimit(resource, &limit) != 0 else { return }
        #if canImport(Darwin)
        // macOS has another limit, which `getrlimit` does not report.
        limit.rlim_cur = min(rlim_t(OPEN_MAX), limit.rlim_max)
        _ = setrlimit(resource, &limit)
        #endif
    }
}
