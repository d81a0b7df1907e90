/// Intercepts the file access of a program on Linux: the system calls that change or read files below one directory are recorded,
/// and can be made to fail. Linked into an executable, these functions replace those of the C library for all of its libraries,
/// including SQLite and Foundation.

#ifndef CFILEFAULTS_H
#define CFILEFAULTS_H

enum {
    FF_WRITE = 1, ///< `length` bytes at `offset` of a file
    FF_TRUNCATE,  ///< a file gets the length `offset`
    FF_SYNC,      ///< a file is synchronized
    FF_CREATE,    ///< a file gets its first name, `path`
    FF_LINK,      ///< the file at `path` gets the name `other` besides
    FF_RENAME,    ///< what is at `path` gets the name `other` instead
    FF_EXCHANGE,  ///< what is at `path` and at `other` change places
    FF_REMOVE,    ///< the name `path` goes
    FF_MAKE_DIRECTORY,
    FF_SYNC_DIRECTORY,
    FF_SYNC_ALL,  ///< all files and directories are synchronized
    FF_MARK       ///< the program has said that it has come to step `offset`
};

typedef struct {
    int kind;
    int file;
    long offset;
    long length;
    const unsigned char *bytes;
    const char *path;
    const char *other;
} ff_entry;

/// Returns whether calls can be intercepted: not on other systems, and not where a sanitizer has replaced the C library.
int ff_is_available(void);
/// Begins to record calls below a directory, whose path is absolute. Discards the previous record.
void ff_begin(const char *root);
/// Stops recording, and lets all calls succeed.
void ff_end(void);
/// Adds a mark to the record.
void ff_mark(long step);
/// Returns the number of entries of the record.
long ff_count(void);
/// An entry, from 0; it is valid until the next `ff_begin`.
ff_entry ff_entry_at(long index);

/// Lets the `call`th call from now on, counted from 1, fail with `error`; also all after it when `goes_on` is not 0. With `only_growth`
/// none fail but those that need room on the disk. 0 lets none fail.
void ff_fail(long call, int error, int goes_on, int only_growth);
/// How many calls have been counted since `ff_begin`.
long ff_calls(void);

#endif
