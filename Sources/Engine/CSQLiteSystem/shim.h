#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "tokenizer.h"

/// Switches off the counting of allocated memory, for which every allocation takes a lock of the whole process. Has no effect if SQLite is
/// already in use.
static inline int csqlite_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// `sqlite3_db_config` is variadic, and Swift does not import variadic C functions.
static inline int csqlite_set_defensive(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, enabled, (int *)0);
}

/// Whether functions and virtual tables that are not marked as harmless may be used by the schema of a file.
static inline int csqlite_set_trusted_schema(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, enabled, (int *)0);
}

/// Whether the views of a file can be used.
static inline int csqlite_set_views(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, enabled, (int *)0);
}

/// Marks the virtual table that is being connected as one that the schema of any file may use.
static inline int csqlite_mark_innocuous(sqlite3 *database) {
    return sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
}

/// Locks the file so that no other connection can use it, as SQLite does when the last connection closes: in WAL mode every
/// connection holds a shared lock as long as it is open. `previous` gets the lock held before.
static inline int csqlite_lock_exclusively(sqlite3 *database, int *previous) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_MISUSE;
    result = sqlite3_file_control(database, "main", SQLITE_FCNTL_LOCKSTATE, previous);
    if (result == SQLITE_OK) result = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
    if (result == SQLITE_OK) result = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
    if (result != SQLITE_OK) file->pMethods->xUnlock(file, *previous);
    return result;
}

/// Goes back to the lock held before.
static inline int csqlite_unlock(sqlite3 *database, int previous) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_MISUSE;
    return file->pMethods->xUnlock(file, previous);
}

/// Reads from the file past the pager, through the descriptor SQLite has: to open another and close it would drop the locks
/// of the whole process. What is beyond the end of the file reads as zeros.
static inline int csqlite_read(sqlite3 *database, void *buffer, int count) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_MISUSE;
    result = file->pMethods->xRead(file, buffer, count, 0);
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
}

/// The index of the write-ahead log in shared memory (https://www.sqlite.org/walformat.html#the_wal_index_header), as long as the connection
/// is open; 0 if there is none. The connection must have read from the file, which must be in WAL mode.
static inline const void *csqlite_log_index(sqlite3 *database) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    void volatile *index = 0;
    result = file->pMethods->xShmMap(file, 0, 32768, 0, &index);
    return result == SQLITE_OK ? (const void *)index : 0;
}

/// What the index says about the log: its header, which every commit changes, and the number of frames that have been copied into the
/// database file.
typedef struct {
    uint64_t header[6];
    uint32_t copied;
} csqlite_log_state;

static inline csqlite_log_state csqlite_read_log_state(const void *index) {
    const volatile uint64_t *words = (const volatile uint64_t *)index;
    csqlite_log_state state;
    for (int i = 0; i < 6; i++) state.header[i] = words[i];
    state.copied = ((const volatile uint32_t *)index)[24];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return state;
}

/// The number of frames in the log, which is at offset 16 of the header in the byte order of the machine.
static inline uint32_t csqlite_log_length(const csqlite_log_state *state) {
    uint32_t length;
    memcpy(&length, (const char *)state->header + 16, sizeof length);
    return length;
}

static inline int csqlite_has_log_state(const void *index, const csqlite_log_state *state) {
    csqlite_log_state now = csqlite_read_log_state(index);
    uint64_t difference = now.copied ^ state->copied;
    for (int i = 0; i < 6; i++) difference |= now.header[i] ^ state->header[i];
    return difference == 0;
}
