// Records: the same bytes as a collection's rows, written and read by key.
#include "floor.h"

#include "sqlite_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *copy_column(sqlite3_stmt *statement, int column, int *size) {
    const void *bytes = sqlite3_column_blob(statement, column);
    *size = sqlite3_column_bytes(statement, column);
    void *copy = malloc(*size > 0 ? (size_t)*size : 1);
    if (!copy) abort();
    if (*size > 0) memcpy(copy, bytes, (size_t)*size);
    return copy;
}

static FloorRow *add_row(FloorRows *rows) {
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? rows->capacity * 2 : 1024;
        rows->items = realloc(rows->items, sizeof(FloorRow) * (size_t)rows->capacity);
        if (!rows->items) abort();
    }
    return &rows->items[rows->count++];
}

FloorRows *floor_rows_load(const char *database_file) {
    sqlite3 *database = NULL;
    floor_check(sqlite3_open_v2(database_file, &database, SQLITE_OPEN_READONLY, 0), database, database_file);
    sqlite3_stmt *statement = floor_prepare(database, "SELECT key, version, body, extra FROM kv_default ORDER BY key");
    FloorRows *rows = calloc(1, sizeof *rows);
    if (!rows) abort();
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        FloorRow *row = add_row(rows);
        row->key = strdup((const char *)sqlite3_column_text(statement, 0));
        row->version = copy_column(statement, 1, &row->version_size);
        row->body = copy_column(statement, 2, &row->body_size);
        row->extra = copy_column(statement, 3, &row->extra_size);
    }
    floor_check(code, database, "reading the rows");
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return rows;
}

int floor_rows_count(const FloorRows *rows) { return rows->count; }

void floor_rows_free(FloorRows *rows) {
    for (int i = 0; i < rows->count; i++) {
        FloorRow *row = &rows->items[i];
        free(row->key);
        free(row->version);
        free(row->body);
        free(row->extra);
    }
    free(rows->items);
    free(rows);
}

static void step_once(sqlite3 *database, sqlite3_stmt *statement, const char *action) {
    floor_check(sqlite3_step(statement), database, action);
    sqlite3_reset(statement);
}

static sqlite3_stmt *prepare_insert(sqlite3 *database) {
    return floor_prepare(database,
                         "INSERT OR IGNORE INTO kv_default (key,sequence,flags,version,body,extra) VALUES (?,?,?,?,?,?)");
}

static void insert(sqlite3 *database, sqlite3_stmt *statement, const FloorRow *row, int sequence) {
    sqlite3_bind_text(statement, 1, row->key, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 2, sequence);
    sqlite3_bind_int(statement, 3, 0);
    sqlite3_bind_blob(statement, 4, row->version, row->version_size, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 5, row->body, row->body_size, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 6, row->extra, row->extra_size, SQLITE_STATIC);
    step_once(database, statement, "insert");
}

double floor_insert_batch(const char *file, const FloorRows *rows) {
    sqlite3 *database = floor_open(file, true);
    sqlite3_stmt *statement = prepare_insert(database);
    double start = floor_now();
    floor_execute(database, "BEGIN");
    for (int i = 0; i < rows->count; i++) insert(database, statement, &rows->items[i], i + 1);
    floor_execute(database, "COMMIT");
    double seconds = floor_now() - start;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return seconds;
}

double floor_insert_each(const char *file, const FloorRows *rows, int count, bool full_sync) {
    sqlite3 *database = floor_open(file, true);
    if (full_sync) floor_execute(database, "PRAGMA synchronous=full");
    sqlite3_stmt *statement = prepare_insert(database);
    sqlite3_stmt *begin = floor_prepare(database, "BEGIN IMMEDIATE"), *commit = floor_prepare(database, "COMMIT");
    double start = floor_now();
    for (int i = 0; i < count && i < rows->count; i++) {
        step_once(database, begin, "begin");
        insert(database, statement, &rows->items[i], i + 1);
        step_once(database, commit, "commit");
    }
    double seconds = floor_now() - start;
    sqlite3_finalize(statement);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_close(database);
    return seconds;
}

static void update(sqlite3 *database, sqlite3_stmt *get, sqlite3_stmt *put, const FloorRow *row, int sequence) {
    sqlite3_bind_text(get, 1, row->key, -1, SQLITE_STATIC);
    floor_check(sqlite3_step(get), database, "get");
    int old_sequence = sqlite3_column_int(get, 0);
    (void)sqlite3_column_blob(get, 3);
    sqlite3_reset(get);
    sqlite3_bind_int(put, 1, sequence);
    sqlite3_bind_blob(put, 2, row->version, row->version_size, SQLITE_STATIC);
    sqlite3_bind_blob(put, 3, row->body, row->body_size, SQLITE_STATIC);
    sqlite3_bind_blob(put, 4, row->extra, row->extra_size, SQLITE_STATIC);
    sqlite3_bind_text(put, 5, row->key, -1, SQLITE_STATIC);
    sqlite3_bind_int(put, 6, old_sequence);
    step_once(database, put, "update");
}

double floor_update_batch(const char *file, const FloorRows *rows) {
    sqlite3 *database = floor_open(file, false);
    sqlite3_stmt *get = floor_prepare(database, "SELECT sequence,flags,version,body,extra FROM kv_default WHERE key=?");
    sqlite3_stmt *put = floor_prepare(
        database, "UPDATE kv_default SET sequence=?,version=?,body=?,extra=? WHERE key=? AND sequence=?");
    double start = floor_now();
    floor_execute(database, "BEGIN");
    for (int i = 0; i < rows->count; i++) update(database, get, put, &rows->items[i], rows->count + i + 1);
    floor_execute(database, "COMMIT");
    double seconds = floor_now() - start;
    sqlite3_finalize(get);
    sqlite3_finalize(put);
    sqlite3_close(database);
    return seconds;
}

static void delete_row(sqlite3 *database, sqlite3_stmt *get, sqlite3_stmt *put, sqlite3_stmt *cut, const FloorRow *row, int sequence) {
    static const unsigned char empty_dictionary[2] = {0x70, 0};
    sqlite3_bind_text(get, 1, row->key, -1, SQLITE_STATIC);
    floor_check(sqlite3_step(get), database, "get");
    sqlite3_int64 number = sqlite3_column_int64(get, 0);
    (void)sqlite3_column_blob(get, 4);
    sqlite3_reset(get);
    sqlite3_bind_int64(cut, 1, number);
    step_once(database, cut, "delete");
    sqlite3_bind_text(put, 1, row->key, -1, SQLITE_STATIC);
    sqlite3_bind_int(put, 2, sequence);
    sqlite3_bind_blob(put, 3, row->version, row->version_size, SQLITE_STATIC);
    sqlite3_bind_blob(put, 4, empty_dictionary, sizeof empty_dictionary, SQLITE_STATIC);
    sqlite3_bind_blob(put, 5, row->extra, row->extra_size, SQLITE_STATIC);
    step_once(database, put, "insert of a deleted document");
}

double floor_delete_batch(const char *file, const FloorRows *rows) {
    sqlite3 *database = floor_open(file, false);
    floor_execute(database, "CREATE TABLE kv_del_default (key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0,"
                            " version BLOB, body BLOB, expiration INTEGER, extra BLOB)");
    sqlite3_stmt *get = floor_prepare(database, "SELECT rowid,sequence,flags,version,body,extra FROM kv_default WHERE key=?");
    sqlite3_stmt *put = floor_prepare(
        database, "INSERT INTO kv_del_default (key,sequence,flags,version,body,extra) VALUES (?,?,1,?,?,?)");
    sqlite3_stmt *cut = floor_prepare(database, "DELETE FROM kv_default WHERE rowid=?");
    double start = floor_now();
    floor_execute(database, "BEGIN");
    for (int i = 0; i < rows->count; i++) delete_row(database, get, put, cut, &rows->items[i], rows->count + i + 1);
    floor_execute(database, "COMMIT");
    double seconds = floor_now() - start;
    sqlite3_finalize(get);
    sqlite3_finalize(put);
    sqlite3_finalize(cut);
    sqlite3_close(database);
    return seconds;
}

double floor_read_random(const char *file, const FloorRows *rows, int count) {
    sqlite3 *database = floor_open(file, false);
    sqlite3_stmt *get = floor_prepare(
        database, "SELECT sequence,flags,version,body,length(extra) FROM kv_default WHERE key=?");
    uint64_t state = 42;
    unsigned sum = 0;
    double start = floor_now();
    for (int i = 0; i < count; i++) {
        const FloorRow *row = &rows->items[floor_random(&state, (uint32_t)rows->count)];
        sqlite3_bind_text(get, 1, row->key, -1, SQLITE_STATIC);
        floor_check(sqlite3_step(get), database, "get");
        const unsigned char *body = sqlite3_column_blob(get, 3);
        sum += body[sqlite3_column_bytes(get, 3) - 1];
        sqlite3_reset(get);
    }
    double seconds = floor_now() - start;
    floor_sink = sum;
    sqlite3_finalize(get);
    sqlite3_close(database);
    return seconds;
}
