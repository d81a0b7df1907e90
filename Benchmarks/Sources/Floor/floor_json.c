// Queries: JSON text in a column, read with SQLite's own JSON functions.
#include "floor.h"

#include "sqlite_support.h"

#include <stdio.h>

void floor_json_fill(const char *file, const FloorRows *rows) {
    sqlite3 *database = floor_open(file, false);
    floor_execute(database, "DROP TABLE IF EXISTS j; CREATE TABLE j (key TEXT PRIMARY KEY, doc TEXT); BEGIN");
    sqlite3_stmt *statement = floor_prepare(
        database,
        "INSERT INTO j VALUES (?, json_object('type','user','name','user '||?2,'admin',json('false'),'age',?2%90,"
        "'email','user'||?2||'@example.com','address',json_object('street',?2||' park street','zip',10000+?2%90000,"
        "'city','city '||(?2%500)),'tags',json_array('a'||(?2%7),'b'||(?2%11),'c'||(?2%13)),'score',?2*0.37))");
    for (int i = 0; i < rows->count; i++) {
        sqlite3_bind_text(statement, 1, rows->items[i].key, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 2, i);
        floor_check(sqlite3_step(statement), database, "insert JSON");
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    floor_execute(database, "COMMIT");
    sqlite3_close(database);
}

static int read_all(sqlite3 *database, sqlite3_stmt *statement) {
    int code, rows = 0, columns = sqlite3_column_count(statement);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        sqlite3_column_text(statement, 0);
        if (columns > 1) sqlite3_column_text(statement, 1);
        rows++;
    }
    floor_check(code, database, "query");
    sqlite3_reset(statement);
    return rows;
}

double floor_json_query(const char *file, const char *sql, int *rows) {
    sqlite3 *database = floor_open(file, false);
    sqlite3_stmt *statement = floor_prepare(database, sql);
    read_all(database, statement);
    double start = floor_now();
    *rows = read_all(database, statement);
    double seconds = floor_now() - start;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return seconds;
}

double floor_json_point(const char *file, int documents, int count, int *rows) {
    sqlite3 *database = floor_open(file, false);
    sqlite3_stmt *statement = floor_prepare(database, "SELECT key FROM j WHERE json_extract(doc,'$.name') = ?");
    uint64_t state = 7;
    char name[32];
    *rows = 0;
    double start = floor_now();
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "user %u", floor_random(&state, (uint32_t)documents));
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        *rows += read_all(database, statement);
    }
    double seconds = floor_now() - start;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return seconds;
}

double floor_json_create_index(const char *file, const char *name, const char *expression) {
    sqlite3 *database = floor_open(file, false);
    char sql[512];
    snprintf(sql, sizeof sql, "CREATE INDEX \"%s\" ON j (%s)", name, expression);
    double start = floor_now();
    floor_execute(database, sql);
    double seconds = floor_now() - start;
    sqlite3_close(database);
    return seconds;
}

void floor_json_drop_index(const char *file, const char *name) {
    sqlite3 *database = floor_open(file, false);
    char sql[256];
    snprintf(sql, sizeof sql, "DROP INDEX IF EXISTS \"%s\"", name);
    floor_execute(database, sql);
    sqlite3_close(database);
}
