#include <sqlite3.h>

/// `sqlite3_db_config` is variadic, and Swift does not import variadic C functions.
static inline int csqlite_set_defensive(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, enabled, (int *)0);
}
