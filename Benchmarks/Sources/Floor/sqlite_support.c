#include "sqlite_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile unsigned floor_sink;

__attribute__((noinline)) void floor_run_measured(void (*work)(void *), void *context) {
    work(context);
    // Keeps the call from being the last instruction, which would replace this function by the called one.
    floor_sink++;
}

double floor_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void floor_check(int code, sqlite3 *database, const char *action) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "floor: %s: %s\n", action, database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
    exit(70);
}

void floor_execute(sqlite3 *database, const char *sql) { floor_check(sqlite3_exec(database, sql, 0, 0, 0), database, sql); }

sqlite3_stmt *floor_prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    floor_check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, 0), database, sql);
    return statement;
}

static void remove_file(const char *file) {
    const char *suffixes[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s%s", file, suffixes[i]);
        unlink(path);
    }
}

sqlite3 *floor_open(const char *file, bool fresh) {
    if (fresh) remove_file(file);
    sqlite3 *database = NULL;
    floor_check(sqlite3_open(file, &database), database, file);
    floor_execute(database, "PRAGMA page_size=4096; PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL;"
                            "PRAGMA synchronous=normal; PRAGMA cache_size=-10240; PRAGMA mmap_size=52428800");
    if (fresh) {
        floor_execute(database, "CREATE TABLE kv_default (key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0,"
                                " version BLOB, body BLOB, expiration INTEGER, extra BLOB);"
                                "CREATE INDEX kv_default_expiration ON kv_default (expiration) WHERE expiration NOT NULL");
    }
    return database;
}
