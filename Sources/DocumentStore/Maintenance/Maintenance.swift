import SQLiteEngine

/// Reduces the size of a file and updates the statistics for query plans (Storage format 2.3).
enum Maintenance {
    /// Optimizes a file when it is closed. Errors are ignored, because nothing depends on it.
    static func cleanUp(_ connection: Connection) {
        // Closing must not wait for another process's write.
        connection.busyTimeout = .zero
        try? connection.execute("PRAGMA analysis_limit=400; PRAGMA optimize")
        let free = (try? connection.scalar("PRAGMA freelist_count")) ?? nil
        let pages = (try? connection.scalar("PRAGMA page_count")) ?? nil
        let size = (try? connection.scalar("PRAGMA page_size")) ?? nil
        if let free, let pages, let size, free * 4 > pages || free * size > 10 << 20 {
            try? connection.execute("PRAGMA incremental_vacuum")
        }
    }

    /// Releases free pages and truncates the log. A file that does not support incremental vacuum is rewritten once.
    static func compact(_ connection: Connection) throws {
        try connection.execute("PRAGMA optimize")
        if try connection.scalar("PRAGMA auto_vacuum") == 0, try !hasRowIDReferences(connection) {
            try connection.execute("PRAGMA auto_vacuum=incremental; VACUUM")
        } else {
            try connection.execute("PRAGMA incremental_vacuum")
        }
        _ = try connection.checkpoint(.truncate)
    }

    /// Returns whether index tables refer to documents by row id, which could change if the file were rewritten (Storage format 2.4).
    private static func hasRowIDReferences(_ connection: Connection) throws -> Bool {
        try connection.scalar(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND (name GLOB 'kv_*::*' OR sql LIKE '%docid INTEGER%') LIMIT 1"
        )
            != nil
    }
}
