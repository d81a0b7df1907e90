// Full-text search: texts in a column and an FTS4 table beside it, with SQLite's own Porter stemmer and no stop words.
#include "floor.h"

#include "sqlite_support.h"

#include <stdio.h>

static const char *create_index = "CREATE VIRTUAL TABLE f USING fts4(body, tokenize=porter)";

// The share of all occurrences of each term that the row has, as rank() is defined.
static void rank(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const unsigned *info = sqlite3_value_blob(values[0]);
    unsigned pairs = info[0] * info[1];
    double rank = 0;
    for (unsigned i = 0; i < pairs; i++) {
        const unsigned *hits = info + 2 + i * 3;
        if (hits[0] > 0) rank += (double)hits[0] / hits[1];
    }
    sqlite3_result_double(context, rank);
}

static void insert(sqlite3 *database, const char *const *texts, int count, bool indexed) {
    sqlite3_stmt *row = floor_prepare(database, "INSERT INTO t (key, title, body) VALUES (?, ?, ?)");
    sqlite3_stmt *entry = indexed ? floor_prepare(database, "INSERT INTO f (docid, body) VALUES (?, ?)") : NULL;
    char key[32], title[32];
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "fts-%07d", i);
        snprintf(title, sizeof title, "article %d", i);
        sqlite3_bind_text(row, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 2, title, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 3, texts[i], -1, SQLITE_STATIC);
        floor_check(sqlite3_step(row), database, "insert text");
        sqlite3_reset(row);
        if (!entry) continue;
        sqlite3_bind_int64(entry, 1, sqlite3_last_insert_rowid(database));
        sqlite3_bind_text(entry, 2, texts[i], -1, SQLITE_STATIC);
        floor_check(sqlite3_step(entry), database, "index text");
        sqlite3_reset(entry);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(entry);
}

static sqlite3 *fresh(const char *file) {
    sqlite3 *database = floor_open(file, true);
    floor_execute(database, "CREATE TABLE t (key TEXT PRIMARY KEY, title TEXT, body TEXT)");
    return database;
}

double floor_text_insert(const char *file, const char *const *texts, int count) {
    sqlite3 *database = fresh(file);
    floor_execute(database, create_index);
    double start = floor_now();
    floor_execute(database, "BEGIN");
    insert(database, texts, count, true);
    floor_execute(database, "COMMIT");
    double seconds = floor_now() - start;
    sqlite3_close(database);
    return seconds;
}

static double build(sqlite3 *database) {
    double start = floor_now();
    floor_execute(database, "BEGIN");
    floor_execute(database, create_index);
    floor_execute(database, "INSERT INTO f (docid, body) SELECT rowid, body FROM t");
    floor_execute(database, "COMMIT");
    return floor_now() - start;
}

double floor_text_build(const char *file, const char *const *texts, int count) {
    sqlite3 *database = fresh(file);
    floor_execute(database, "BEGIN");
    insert(database, texts, count, false);
    floor_execute(database, "COMMIT");
    double seconds = build(database);
    sqlite3_close(database);
    return seconds;
}

static int search(sqlite3 *database, sqlite3_stmt *statement, const char *pattern) {
    int code, rows = 0;
    sqlite3_bind_text(statement, 1, pattern, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        floor_sink += (unsigned)sqlite3_column_bytes(statement, 0);
        rows++;
    }
    floor_check(code, database, "search");
    sqlite3_reset(statement);
    return rows;
}

double floor_text_search(
    const char *file, const char *const *texts, int count, const char *const *patterns, int pattern_count, int *rows) {
    floor_text_build(file, texts, count);
    sqlite3 *database = floor_open(file, false);
    floor_check(sqlite3_create_function(database, "rank", 1, SQLITE_UTF8, 0, rank, 0, 0), database, "rank");
    sqlite3_stmt *statement = floor_prepare(
        database,
        "SELECT key FROM t JOIN f ON f.docid = t.rowid WHERE f MATCH ? ORDER BY rank(matchinfo(f)) DESC LIMIT 20");
    search(database, statement, patterns[0]);
    *rows = 0;
    double start = floor_now();
    for (int i = 0; i < pattern_count; i++) *rows += search(database, statement, patterns[i]);
    double seconds = floor_now() - start;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return seconds;
}
