import SQLiteEngine

/// Keeping a file small and its query plans good (Storage format 2.3).
enum Maintenance {
    /// What is done when a file is closed. Nothing depends on it, so failures are passed over.
    static func tidyUp(_ connection: Connection) {
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

    /// Gives free pages back and empties the log. A file whose pages cannot be given back one by one is rewritten once.
    static func compact(_ connection: Connection) throws {
        try connection.execute("PRAGMA optimize")
        if try connection.scalar("PRAGMA auto_vacuum") == 0, try !hasRowIDReferences(connection) {
            try connection.execute("PRAGMA auto_vacuum=incremental; VACUUM")
        } else {
            try connection.execute("PRAGMA incremental_vacuum")
        }
        _ = try connection.checkpoint(.truncate)
    }

    /// Whether index tables refer to documents by row id, which rewriting the file may change (Storage format 2.4).
    private static func hasRowIDReferences(_ connection: Connection) throws -> Bool {
        try connection.scalar(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND (name GLOB 'kv_*::*' OR sql LIKE '%docid INTEGER%') LIMIT 1"
        )
            != nil
    }
}
