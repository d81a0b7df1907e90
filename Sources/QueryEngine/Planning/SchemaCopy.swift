import DocumentStore
import SQLiteEngine

/// The tables and indexes of a file in memory, without rows: indexes can be tried there, which cost nothing to make.
///
/// What SQLite knows of how many rows there are and how they differ is copied too, so that it plans as it does in the file.
struct SchemaCopy {
    let connection: Connection

    init(of file: DatabaseFile) throws {
        connection = try file.makeScratchConnection()
        let (statements, statistics) = try file.read { context in
            (try Self.statements(on: context.connection), try Self.statistics(on: context.connection))
        }
        // What cannot be made, such as a table of a module that is not there, is missing in the copy: a query that needs it gets
        // no advice. What a stranger's file holds as the text of a table may be more than one statement, which is refused.
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
        // A database in memory has nothing to lose.
        try? connection.close()
    }

    private static func statements(on connection: Connection) throws -> [String] {
        let statement = try connection.prepare(
            """
            SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
            ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', type = 'index'
            """
        )
        defer { statement.finalize() }
        var found: [String] = []
        while try statement.step() { found.append(statement.text(at: 0)) }
        return found
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
