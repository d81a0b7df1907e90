#if canImport(Glibc)
import Glibc
#endif

/// How the C library deals with memory.
enum Allocator {
    #if canImport(Glibc)
    private typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32

    /// `M_MMAP_THRESHOLD` of glibc's `malloc.h`, which its Swift module leaves out.
    private static let option: Int32 = -3
    /// The size in bytes from which a block comes from the system and goes back to it: the value that glibc begins with.
    private static let threshold: Int32 = 128 << 10
    #endif

    /// Has every large block given back to the system when it is freed. Otherwise glibc keeps more and larger ones for later, up to 32 MiB each,
    /// and what clients had a server allocate stays with it: measured, 360 MB in place of 200 after 16 clients have sent messages that grow
    /// to 19 MB. Elsewhere that is so anyway.
    static func returnsLargeBlocks() {
        #if canImport(Glibc)
        // Nil is glibc's RTLD_DEFAULT: wherever the process has it.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: SetOption.self)(option, threshold)
        #endif
    }
}
