import SQLiteEngine

/// Repairs what the records of a collection have in common: each document is stored once, and has a sequence of its own.
///
/// The index of the sequences must not exist, because it rejects what is repaired here.
struct CollectionRepair {
    private let tables: CollectionTables
    private let connection: Connection

    init(_ tables: CollectionTables, on connection: Connection) { (self.tables, self.connection) = (tables, connection) }

    /// Of documents that are stored live and as tombstones, removes the older state.
    ///
    /// - Returns: The number of removed records.
    @discardableResult
    func removeOlderStates() throws -> Int {
        guard let tombstones = tables.tombstones else { return 0 }
        let before = try connection.scalar("SELECT total_changes()") ?? 0
        for (table, other, comparison) in [(tables.live, tombstones, ">"), (tombstones, tables.live, ">=")] {
            try connection.execute(
                """
                DELETE FROM \(table) WHERE EXISTS \
                (SELECT 1 FROM \(other) AS o WHERE o.key = \(table).key AND o.sequence \(comparison) \(table).sequence)
                """
            )
        }
        return try Int((connection.scalar("SELECT total_changes()") ?? 0) - before)
    }

    /// Gives a new sequence to documents that have none or that of another one.
    ///
    /// - Returns: The new sequences.
    func renumber() throws -> [Int64] {
        var last = max(try highestSequence(), try storedSequence())
        var assigned: [Int64] = []
        for (place, table) in tables.all.enumerated() {
            // Of two documents, the one in the table of live documents keeps its sequence.
            let elsewhere = tables.all.prefix(place).map { " OR sequence IN (SELECT sequence FROM \($0))" }.joined()
            let statement = try connection.prepare(
                """
                SELECT rowid FROM \(table) WHERE sequence <= 0 OR sequence IS NULL \
                OR rowid NOT IN (SELECT min(rowid) FROM \(table) GROUP BY sequence)\(elsewhere)
                """
            )
            var rows: [Int64] = []
            while try statement.step() { rows.append(statement.int64(at: 0)) }
            statement.finalize()
            for row in rows where last < .max {
                last += 1
                try connection.execute("UPDATE \(table) SET sequence = \(last) WHERE rowid = \(row)")
                assigned.append(last)
            }
        }
        return assigned
    }

    /// Sets the last sequence of the collection, if it is lower than that of a document.
    ///
    /// - Returns: Whether it was changed.
    @discardableResult
    func setLastSequence() throws -> Bool {
        let last = try highestSequence()
        guard try storedSequence() < last else { return false }
        let statement = try connection.prepare(
            """
            INSERT INTO kvmeta (name, lastSeq, purgeCnt) VALUES (?1, ?2, 0) ON CONFLICT (name) DO UPDATE SET lastSeq = ?2
            """
        )
        defer { statement.finalize() }
        try statement.bindText(tables.store, at: 1)
        try statement.bind(last, at: 2)
        try statement.run()
        return true
    }

    private func highestSequence() throws -> Int64 {
        let all = tables.all.map { "SELECT max(sequence) AS last FROM \($0)" }.joined(separator: " UNION ALL ")
        return max(try connection.scalar("SELECT max(last) FROM (\(all))") ?? 0, 0)
    }

    private func storedSequence() throws -> Int64 { try Int64(clamping: StoreCounts(of: tables.store, on: connection).lastSequence) }
}
