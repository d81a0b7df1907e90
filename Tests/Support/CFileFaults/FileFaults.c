#include "CFileFaults.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FF_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(FF_SANITIZED)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>

#define MAXIMUM_DESCRIPTOR 65536

typedef struct {
    char *path;       // nil when the file is not below the root
    int file;         // 0 for directories
    int is_directory;
} descriptor;

static descriptor descriptors[MAXIMUM_DESCRIPTOR];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *root;
static size_t root_length;
static ff_entry *entries;
static long entry_count, entry_capacity;
static struct { unsigned long inode; int file; } *inodes;
static long inode_count, inode_capacity;
static int next_file = 1;
static long calls, failing_call;
static int failing_error, failing_goes_on, failing_growth_only;

static long (*real_syscall)(long, ...);

__attribute__((constructor)) static void find_syscall(void) {
    real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

static long call(long number, long a, long b, long c, long d, long e) {
    if (!real_syscall) find_syscall();
    return real_syscall(number, a, b, c, d, e, 0L);
}

// MARK: Recording

static int is_below(const char *path) {
    return root && path && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

/// The absolute path behind the arguments of a call, if it lies below the root; to be freed.
static char *full_path(int directory, const char *path) {
    if (!root || !path) return 0;
    if (path[0] == '/') return is_below(path) ? strdup(path) : 0;
    if (directory < 0 || directory >= MAXIMUM_DESCRIPTOR || !descriptors[directory].path) return 0;
    char *joined = malloc(strlen(descriptors[directory].path) + strlen(path) + 2);
    strcpy(joined, descriptors[directory].path);
    strcat(joined, "/");
    strcat(joined, path);
    return joined;
}

/// The memory that SQLite shares between processes is created again after a crash.
static int is_shared_memory(const char *path) {
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, "-shm");
}

static void record(int kind, int file, long offset, long length, const void *bytes, const char *path, const char *other) {
    pthread_mutex_lock(&lock);
    if (root) {
        if (entry_count == entry_capacity) {
            entry_capacity = entry_capacity ? entry_capacity * 2 : 1024;
            entries = realloc(entries, entry_capacity * sizeof(ff_entry));
        }
        unsigned char *copy = 0;
        if (bytes) {
            copy = malloc(length ? length : 1);
            memcpy(copy, bytes, length);
        }
        entries[entry_count++] = (ff_entry){
            kind, file, offset, length, copy, path ? strdup(path) : 0, other ? strdup(other) : 0
        };
    }
    pthread_mutex_unlock(&lock);
}

/// Returns whether the current call is to fail; sets `errno` in this case.
static int fails(int needs_room) {
    pthread_mutex_lock(&lock);
    int result = 0;
    if (root) {
        calls += 1;
        int is_meant = failing_call > 0 && (failing_goes_on ? calls >= failing_call : calls == failing_call);
        result = is_meant && (needs_room || !failing_growth_only);
        // If only calls that need space fail, the next such call is affected.
        if (is_meant && !result && !failing_goes_on) failing_call += 1;
    }
    pthread_mutex_unlock(&lock);
    if (result) errno = failing_error;
    return result;
}

static int file_of_inode(unsigned long inode, int is_new) {
    for (long index = 0; index < inode_count; index++) {
        if (inodes[index].inode != inode) continue;
        if (is_new) inodes[index].file = next_file++;
        return inodes[index].file;
    }
    if (inode_count == inode_capacity) {
        inode_capacity = inode_capacity ? inode_capacity * 2 : 256;
        inodes = realloc(inodes, inode_capacity * sizeof(*inodes));
    }
    inodes[inode_count].inode = inode;
    inodes[inode_count].file = next_file++;
    return inodes[inode_count++].file;
}

static void remember(int number, char *path, int is_new) {
    struct stat status;
    if (number >= MAXIMUM_DESCRIPTOR || call(SYS_fstat, number, (long)&status, 0, 0, 0) != 0) {
        free(path);
        return;
    }
    pthread_mutex_lock(&lock);
    descriptor *opened = &descriptors[number];
    free(opened->path);
    opened->path = path;
    opened->is_directory = S_ISDIR(status.st_mode);
    opened->file = opened->is_directory ? 0 : file_of_inode(status.st_ino, is_new);
    pthread_mutex_unlock(&lock);
}

/// The file behind a descriptor, if it is one that is recorded.
static int recorded_file(int number) {
    if (number < 0 || number >= MAXIMUM_DESCRIPTOR || !descriptors[number].path) return 0;
    return is_shared_memory(descriptors[number].path) ? 0 : descriptors[number].file;
}

// MARK: Replacements of functions of the C library

static int open_file(int directory, const char *path, int flags, mode_t mode) {
    char *full = full_path(directory, path);
    if (!full) {
        int number = (int)call(SYS_openat, directory, (long)path, flags, mode, 0);
        if (number >= 0 && number < MAXIMUM_DESCRIPTOR && descriptors[number].path) {
            free(descriptors[number].path);
            descriptors[number].path = 0;
        }
        return number;
    }
    struct stat status;
    int is_new = (flags & O_CREAT) && call(SYS_newfstatat, AT_FDCWD, (long)full, (long)&status, AT_SYMLINK_NOFOLLOW, 0);
    if (fails(is_new)) {
        free(full);
        return -1;
    }
    int number = (int)call(SYS_openat, directory, (long)path, flags, mode, 0);
    if (number < 0) {
        free(full);
        return number;
    }
    remember(number, full, is_new);
    if (is_new && !is_shared_memory(full)) record(FF_CREATE, descriptors[number].file, 0, 0, 0, full, 0);
    if ((flags & O_TRUNC) && !is_new) record(FF_TRUNCATE, recorded_file(number), 0, 0, 0, 0, 0);
    return number;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        return open_file(AT_FDCWD, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int directory, const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        return open_file(directory, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

int close(int number) {
    if (number >= 0 && number < MAXIMUM_DESCRIPTOR && descriptors[number].path) {
        pthread_mutex_lock(&lock);
        free(descriptors[number].path);
        descriptors[number] = (descriptor){0, 0, 0};
        pthread_mutex_unlock(&lock);
    }
    return (int)call(SYS_close, number, 0, 0, 0, 0);
}

ssize_t read(int number, void *bytes, size_t count) {
    if (recorded_file(number) && fails(0)) return -1;
    return call(SYS_read, number, (long)bytes, (long)count, 0, 0);
}

static ssize_t read_at(int number, void *bytes, size_t count, off_t offset) {
    if (recorded_file(number) && fails(0)) return -1;
    return call(SYS_pread64, number, (long)bytes, (long)count, offset, 0);
}
ssize_t pread(int number, void *bytes, size_t count, off_t offset) { return read_at(number, bytes, count, offset); }
ssize_t pread64(int number, void *bytes, size_t count, off_t offset) { return read_at(number, bytes, count, offset); }

ssize_t write(int number, const void *bytes, size_t count) {
    int file = recorded_file(number);
    if (!file) return call(SYS_write, number, (long)bytes, (long)count, 0, 0);
    if (fails(1)) return -1;
    long offset = call(SYS_lseek, number, 0, SEEK_CUR, 0, 0);
    ssize_t written = call(SYS_write, number, (long)bytes, (long)count, 0, 0);
    if (written > 0) record(FF_WRITE, file, offset, written, bytes, 0, 0);
    return written;
}

static ssize_t write_at(int number, const void *bytes, size_t count, off_t offset) {
    int file = recorded_file(number);
    if (file && fails(1)) return -1;
    ssize_t written = call(SYS_pwrite64, number, (long)bytes, (long)count, offset, 0);
    if (file && written > 0) record(FF_WRITE, file, offset, written, bytes, 0, 0);
    return written;
}
ssize_t pwrite(int number, const void *bytes, size_t count, off_t offset) { return write_at(number, bytes, count, offset); }
ssize_t pwrite64(int number, const void *bytes, size_t count, off_t offset) { return write_at(number, bytes, count, offset); }

static int synchronize(long system_call, int number) {
    if (number < 0 || number >= MAXIMUM_DESCRIPTOR || !descriptors[number].path) {
        return (int)call(system_call, number, 0, 0, 0, 0);
    }
    if (fails(0)) return -1;
    // The record represents the medium; waiting for the real one would only take time.
    if (descriptors[number].is_directory) {
        record(FF_SYNC_DIRECTORY, 0, 0, 0, 0, descriptors[number].path, 0);
    } else if (recorded_file(number)) {
        record(FF_SYNC, recorded_file(number), 0, 0, 0, 0, 0);
    }
    return 0;
}
int fsync(int number) { return synchronize(SYS_fsync, number); }
int fdatasync(int number) { return synchronize(SYS_fdatasync, number); }

int syncfs(int number) {
    if (number < 0 || number >= MAXIMUM_DESCRIPTOR || !descriptors[number].path) {
        return (int)call(SYS_syncfs, number, 0, 0, 0, 0);
    }
    if (fails(0)) return -1;
    record(FF_SYNC_ALL, 0, 0, 0, 0, descriptors[number].path, 0);
    return 0;
}

static int truncate_to(int number, off_t length) {
    int file = recorded_file(number);
    if (file && fails(0)) return -1;
    int result = (int)call(SYS_ftruncate, number, length, 0, 0, 0);
    if (file && result == 0) record(FF_TRUNCATE, file, length, 0, 0, 0, 0);
    return result;
}
int ftruncate(int number, off_t length) { return truncate_to(number, length); }
int ftruncate64(int number, off_t length) { return truncate_to(number, length); }

/// A call with two names.
static int change_names(int kind, long number, int old_directory, const char *old, int new_directory, const char *new, long flags) {
    char *from = full_path(old_directory, old), *to = full_path(new_directory, new);
    int result = -1;
    if (!(from && to && fails(kind == FF_LINK))) {
        result = (int)call(number, old_directory, (long)old, new_directory, (long)new, flags);
        if (result == 0 && from && to) record(kind, 0, 0, 0, 0, from, to);
    }
    free(from);
    free(to);
    return result;
}
int link(const char *old, const char *new) { return change_names(FF_LINK, SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0); }
int linkat(int old_directory, const char *old, int new_directory, const char *new, int flags) {
    return change_names(FF_LINK, SYS_linkat, old_directory, old, new_directory, new, flags);
}
int rename(const char *old, const char *new) {
    return change_names(FF_RENAME, SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}
int renameat(int old_directory, const char *old, int new_directory, const char *new) {
    return change_names(FF_RENAME, SYS_renameat2, old_directory, old, new_directory, new, 0);
}

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    const long exchange = 2;
    if (number == SYS_renameat2 && (unsigned)e == exchange) {
        return change_names(FF_EXCHANGE, SYS_renameat2, (int)a, (const char *)b, (int)c, (const char *)d, exchange);
    }
    if (!real_syscall) find_syscall();
    return real_syscall(number, a, b, c, d, e, f);
}

static int remove_name(int directory, const char *path, int flags) {
    char *full = full_path(directory, path);
    int result = -1;
    if (!(full && fails(0))) {
        result = (int)call(SYS_unlinkat, directory, (long)path, flags, 0, 0);
        if (result == 0 && full && !is_shared_memory(full)) record(FF_REMOVE, 0, 0, 0, 0, full, 0);
    }
    free(full);
    return result;
}
int unlink(const char *path) { return remove_name(AT_FDCWD, path, 0); }
int unlinkat(int directory, const char *path, int flags) { return remove_name(directory, path, flags); }
int rmdir(const char *path) { return remove_name(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
    char *full = full_path(AT_FDCWD, path);
    int result = -1;
    if (!(full && fails(1))) {
        result = (int)call(SYS_mkdirat, AT_FDCWD, (long)path, mode, 0, 0);
        if (result == 0 && full) record(FF_MAKE_DIRECTORY, 0, 0, 0, 0, full, 0);
    }
    free(full);
    return result;
}

// MARK: What the program calls

int ff_is_available(void) { return 1; }

void ff_begin(const char *path) {
    pthread_mutex_lock(&lock);
    for (long index = 0; index < entry_count; index++) {
        free((void *)entries[index].bytes);
        free((void *)entries[index].path);
        free((void *)entries[index].other);
    }
    entry_count = inode_count = calls = failing_call = 0;
    free(root);
    root = strdup(path);
    root_length = strlen(root);
    pthread_mutex_unlock(&lock);
}

void ff_end(void) {
    pthread_mutex_lock(&lock);
    free(root);
    root = 0;
    failing_call = 0;
    pthread_mutex_unlock(&lock);
}

void ff_mark(long step) { record(FF_MARK, 0, step, 0, 0, 0, 0); }
long ff_count(void) { return entry_count; }
ff_entry ff_entry_at(long index) { return entries[index]; }
long ff_calls(void) { return calls; }

void ff_fail(long call, int error, int goes_on, int only_growth) {
    pthread_mutex_lock(&lock);
    failing_call = call ? calls + call : 0;
    failing_error = error;
    failing_goes_on = goes_on;
    failing_growth_only = only_growth;
    pthread_mutex_unlock(&lock);
}

#else

int ff_is_available(void) { return 0; }
void ff_begin(const char *root) { (void)root; }
void ff_end(void) {}
void ff_mark(long step) { (void)step; }
long ff_count(void) { return 0; }
ff_entry ff_entry_at(long index) { (void)index; return (ff_entry){0}; }
void ff_fail(long call, int error, int goes_on, int only_growth) { (void)call; (void)error; (void)goes_on; (void)only_growth; }
long ff_calls(void) { return 0; }

#endif
