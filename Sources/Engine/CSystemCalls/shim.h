#if defined(__linux__)
#include <sys/syscall.h>

long syscall(long number, ...);

/// Lets two files or directories change places, in one step. Swift sees neither the C library's function, which is a GNU
/// extension, nor `syscall`, which is variadic.
static inline int csystem_exchange(int directory, const char *first, const char *second) {
    const unsigned exchange = 2; // RENAME_EXCHANGE of <linux/fs.h>, a header that not every C library comes with
    return (int)syscall(SYS_renameat2, directory, first, directory, second, exchange);
}

int syncfs(int descriptor);

/// Flushes the file system of a file. Swift does not see the function, which is a GNU extension.
static inline int csystem_syncfs(int descriptor) { return syncfs(descriptor); }
#endif
