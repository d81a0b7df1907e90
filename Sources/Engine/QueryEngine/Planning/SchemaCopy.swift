import DocumentStore
import SQLiteEngine

/// A copy of the tables and indexes of a file, in memory and without rows, where creating an index costs almost nothing.
///
/// SQLite's statistics are copied too, so that SQLite chooses the same plans as in the file.
struct SchemaCopy {
    let connection: Connection

    init(of file: DatabaseFile) throws {
        connection = try file.makeScratchConnection()
        let (statements, statistics) = try file.read { context in
            (try Self.statements(on: context.connection), try Self.statistics(on: context.connection))
        }
        // An object that cannot be created, such as a table of an unknown module, is left out of the copy; a query that needs it gets no
        // advice. In an untrusted file, the SQL of a table may contain more than one statement, which is rejected.
        for statement in statements { try? connection.prepare(statement).run() }
        guard !statistics.isEmpty else { return }
        try connection.execute("ANALYZE")
        let insertion = try connection.prepare("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)")
        for row in statistics {
            for (index, value) in row.enumerated() {
                if let value {
                    try insertion.bindText(value, at: index + 1)
                } else {
                    try insertion.bindNull(at: index + 1)
                }
            }
            try insertion.run()
        }
        insertion.finalize()
        try connection.execute("ANALYZE sqlite_schema")
    }

    func close() {
        // A database in memory has no data to lose, so errors can be ignored.
        connection.closeLoggingErrors()
    }

    private static func statements(on connection: Connection) throws -> [String] {
        try connection.texts(
            """
            SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
            ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', type = 'index'
            """
        )
    }

    private static func statistics(on connection: Connection) throws -> [[String?]] {
        guard try RegistryTable.hasTable("sqlite_stat1", on: connection) else { return [] }
        let statement = try connection.prepare("SELECT tbl, idx, stat FROM sqlite_stat1")
        defer { statement.finalize() }
        var found: [[String?]] = []
        while try statement.step() { found.append((0..<3).map { statement.optionalText(at: $0) }) }
        return found
    }
}
