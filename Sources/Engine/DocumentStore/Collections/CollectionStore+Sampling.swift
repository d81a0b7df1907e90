import SQLiteEngine

extension CollectionStore {
    /// Calls `body` with some documents from all parts of the table, for those who want to know what documents look like. Tombstones are left
    /// out.
    ///
    /// - Parameters:
    ///   - count: The approximate number of documents.
    ///   - body: Returns whether to go on.
    /// - Complexity: O(`count` · log *n*).
    package func forEachSampledDocument(_ count: Int, _ body: (DocumentRecord) throws -> Bool) throws {
        try checkExists()
        try file.read { context in
            let columns = "rowid, key, sequence, flags, version, body, \(tables.expirationColumn)"
            let statement = try context.connection.prepare(
                "SELECT \(columns) FROM \(tables.live) WHERE rowid > ?1 AND \(tables.liveCondition) ORDER BY rowid LIMIT ?2"
            )
            defer { statement.finalize() }
            let last = try context.connection.scalar("SELECT max(rowid) FROM \(tables.live)") ?? 0
            let places = Int64(50)
            let perPlace = max(1, (Int64(clamping: count) + places - 1) / places)
            var previous: Int64 = 0
            for place in 0..<places {
                // Documents are numbered in the order in which they were created.
                let start = max(previous, last / places * place)
                statement.reset()
                try statement.bind(start, at: 1)
                try statement.bind(perPlace, at: 2)
                while try statement.step() {
                    try context.refreshSharedKeys()
                    previous = statement.int64(at: 0)
                    let record = try Self.record(from: statement, id: statement.text(at: 1), firstColumn: 2, keys: context.sharedKeys)
                    guard try body(record) else { return }
                }
            }
        }
    }
}
