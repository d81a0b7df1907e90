// The interface of FTS4's tokenizers. SQLite documents it (https://www.sqlite.org/fts3.html#custom_application_defined_tokenizers)
// and never changes it, but installs no header for it.

typedef struct sqlite3_tokenizer_module sqlite3_tokenizer_module;
typedef struct sqlite3_tokenizer sqlite3_tokenizer;
typedef struct sqlite3_tokenizer_cursor sqlite3_tokenizer_cursor;

/// The methods of a kind of tokenizer.
struct sqlite3_tokenizer_module {
    /// 0: there are no methods but these.
    int iVersion;
    /// Makes a tokenizer from the arguments behind its name in CREATE VIRTUAL TABLE.
    int (*xCreate)(int argc, const char *const *argv, sqlite3_tokenizer **tokenizer);
    int (*xDestroy)(sqlite3_tokenizer *tokenizer);
    /// Begins to take a text apart. The text stays valid until the cursor is closed; a negative count means that it ends with a 0.
    int (*xOpen)(sqlite3_tokenizer *tokenizer, const char *text, int count, sqlite3_tokenizer_cursor **cursor);
    int (*xClose)(sqlite3_tokenizer_cursor *cursor);
    /// Gives the next token, valid until the next call, its place in the text in bytes, and its position; SQLITE_DONE at the end.
    int (*xNext)(sqlite3_tokenizer_cursor *cursor, const char **token, int *count, int *start, int *end, int *position);
};

/// A tokenizer begins with this; SQLite sets it.
struct sqlite3_tokenizer {
    const sqlite3_tokenizer_module *pModule;
};

/// A cursor begins with this; SQLite sets it.
struct sqlite3_tokenizer_cursor {
    sqlite3_tokenizer *pTokenizer;
};

/// Lets SQL register tokenizers on a connection, or not. Variadic, which Swift does not import.
static inline int csqlite_set_tokenizer_registration(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, enabled, (int *)0);
}
