// What the two halves of the floor share: opening, checking, time, and the random sequence of the workloads.
#ifndef SQLITE_SUPPORT_H
#define SQLITE_SUPPORT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *key;
    void *version, *body, *extra;
    int version_size, body_size, extra_size;
} FloorRow;

struct FloorRows {
    FloorRow *items;
    int count, capacity;
};

double floor_now(void);
// Ends the process unless `code` is one of SQLite's codes of success.
void floor_check(int code, sqlite3 *database, const char *action);
void floor_execute(sqlite3 *database, const char *sql);
sqlite3_stmt *floor_prepare(sqlite3 *database, const char *sql);
// Opens with the settings of a document database. A fresh file replaces what is there and gets the table and index of a collection.
sqlite3 *floor_open(const char *file, bool fresh);
// Steps the random sequence and gives a number below `limit`.
static inline uint32_t floor_random(uint64_t *state, uint32_t limit) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((*state >> 33) % limit);
}

// Where sums of what was read go, so that no reading can be optimised away.
extern volatile unsigned floor_sink;

#endif
