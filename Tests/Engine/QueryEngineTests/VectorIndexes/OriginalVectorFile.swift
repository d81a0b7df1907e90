import DocumentStore
import SQLiteEngine
import TestSupport
import VectorSearch

/// Puts into a file what the original's extension for vector search leaves there (Vector search 10.1): rows of the registry, virtual tables of a module
/// that is not here, their triggers, and the tables behind them.
struct OriginalVectorFile {
    let words: VectorDatabase

    /// Adds an index to the collection `words`.
    ///
    /// - Parameter creation: The beginning of the statement that creates the virtual table, in which `$` stands for its name.
    func addIndex(
        _ name: String = "words_index",
        arguments: String = "dimensions=2,clustering=flat2,encoding=none",
        expression: String = "=nvector",
        isLazy: Bool = false,
        isRegistered: Bool = true,
        creation: String = #"CREATE VIRTUAL TABLE "$" USING vectorsearch"#
    ) throws {
        let connection = try Connection(path: words.database.file.bundle.sqliteFile, mode: .readWrite)
        defer { connection.closeLoggingErrors() }
        // The triggers call functions of the original, which are only looked up when a trigger is fired.
        let table = VectorIndexTables(indexNamed: name, ofTable: "kv_.words").name
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT,
                whereClause TEXT, indexTableName TEXT, lastSeq TEXT);
            CREATE TABLE "\(table)_data" (id INTEGER PRIMARY KEY, content BLOB);
            INSERT INTO "\(table)_data" VALUES (1, x'00');
            """
        )
        if isRegistered {
            try connection.execute(
                "INSERT INTO indexes (name, type, keyStore, expression, indexTableName, lastSeq) VALUES ('\(name)', 4, '.words', "
                    + "'\(expression)', '\(table)', \(isLazy ? "'[]'" : "NULL"))"
            )
        }
        try connection.setDefensive(false)
        try connection.execute(
            """
            PRAGMA writable_schema=ON;
            \(virtualTable(table, "\(creation.replacing("$", with: table))(\(arguments))"))
            \(trigger("\(table)::preupdate", "BEFORE UPDATE OF body", "DELETE FROM \"\(table)\" WHERE docid = old.rowid"))
            \(trigger("\(table)::del", "AFTER DELETE", "DELETE FROM \"\(table)\" WHERE docid = old.rowid"))
            """
        )
        if !isLazy {
            let vector = "fl_vector_to_index(new.body, ''vector'', 2)"
            let insertion = "INSERT INTO \"\(table)\" (docid, vector) VALUES (new.rowid, \(vector))"
            try connection.execute(
                trigger("\(table)::ins", "AFTER INSERT", insertion, condition: "WHEN (\(vector) IS NOT NULL) ")
                    + trigger("\(table)::postupdate", "AFTER UPDATE OF body", insertion, condition: "WHEN (\(vector) IS NOT NULL) ")
            )
        }
        try endSchemaChange(connection)
    }

    /// Adds a virtual table without triggers.
    func addTable(_ name: String, creation: String) throws {
        let connection = try Connection(path: words.database.file.bundle.sqliteFile, mode: .readWrite)
        defer { connection.closeLoggingErrors() }
        try connection.setDefensive(false)
        try connection.execute("PRAGMA writable_schema=ON; \(virtualTable(name, creation))")
        try endSchemaChange(connection)
    }

    private func endSchemaChange(_ connection: Connection) throws {
        try connection.execute("PRAGMA writable_schema=RESET")
        // Other connections see the new schema.
        try connection.execute("CREATE TABLE \"other\" (x); DROP TABLE \"other\"")
    }

    private func virtualTable(_ name: String, _ sql: String) -> String {
        "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) "
            + "VALUES ('table', '\(name)', '\(name)', 0, '\(sql.replacing("'", with: "''"))');"
    }

    private func trigger(_ name: String, _ event: String, _ body: String, condition: String = "") -> String {
        "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('trigger', '\(name)', 'kv_.words', 0, "
            + "'CREATE TRIGGER \"\(name)\" \(event) ON \"kv_.words\" \(condition)BEGIN \(body); END');"
    }

    /// The names of tables and triggers of vector indexes that are not those of this library, and the number of rows of their kind in the registry.
    func remains() throws -> [String] {
        try words.database.file.read { context in
            let objects = try context.connection.texts(
                "SELECT name FROM sqlite_master WHERE name LIKE '%:vector:%' AND type IN ('table', 'trigger') ORDER BY name"
            )
            let rows = try context.connection.texts("SELECT name FROM indexes WHERE type = 4")
            return objects.filter { VectorIndexTables(owning: $0) == nil } + rows
        }
    }
}
