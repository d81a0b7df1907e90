import SQLiteEngine

extension CollectionStore {
    /// Removes a document completely, also if it is damaged. Returns `false` if it does not exist.
    package func purge(_ documentID: String, in writer: Writer) throws -> Bool {
        try checkExists()
        try writer.checkIsInTransaction()
        let state = try writer.state(of: self)
        for (table, isTombstoneTable) in [(tables.live, false), (tables.tombstones, true)] {
            guard let table, let row = try self.row(of: documentID, in: table, on: writer.connection) else { continue }
            try removeRow(
                row.rowID,
                of: documentID,
                fromTombstones: isTombstoneTable,
                isCounted: row.isLive && !isTombstoneTable,
                state: state,
                in: writer
            )
            return true
        }
        return false
    }

    /// Finds the row of a document in a table. Its other columns are not read, because they may be damaged.
    private func row(of documentID: String, in table: String, on connection: Connection) throws -> (rowID: Int64, isLive: Bool)? {
        let statement = try connection.cachedStatement("SELECT rowid, \(tables.liveCondition) FROM \(table) WHERE key = ?")
        defer { statement.reset() }
        try statement.bindText(documentID, at: 1)
        return try statement.step() ? (statement.int64(at: 0), statement.int64(at: 1) != 0) : nil
    }

    /// Sets the expiration time of a document, in milliseconds since 1970; `nil` removes it. Neither the revision nor the sequence changes.
    /// Returns `false` if the document does not exist.
    package func setExpiration(_ milliseconds: Int64?, of documentID: String, in writer: Writer) throws -> Bool {
        try checkExists()
        try writer.checkIsInTransaction()
        for table in tables.all {
            let statement = try writer.connection.cachedStatement("UPDATE \(table) SET expiration = ? WHERE key = ?")
            let time = milliseconds.flatMap { $0 > 0 ? $0 : nil }
            try writer.changing(self) {
                defer { statement.reset() }
                if let time { try statement.bind(time, at: 1) } else { try statement.bindNull(at: 1) }
                try statement.bindText(documentID, at: 2)
                try statement.run()
            }
            guard writer.connection.changes > 0 else { continue }
            writer.recordExpiration(time, in: self)
            return true
        }
        return false
    }

    /// Returns the time when the next document expires, in milliseconds since 1970, or `nil` if there is none.
    package func nextExpiration() throws -> Int64? {
        try checkExists()
        guard tables.hasExpiration else { return nil }
        return try file.read { context in
            try tables.all.compactMap { table in
                // Values of zero and less, and values that are not numbers, mean that the document does not expire (Storage format 3.11).
                try context.connection.scalar("SELECT min(expiration) FROM \(table) WHERE expiration BETWEEN 1 AND \(Int64.max)")
            }
            .min()
        }
    }

    /// Calls `body` with each document that expires, and the time in milliseconds since 1970, in the order of the times, until it returns
    /// `false`.
    package func forEachExpiration(_ body: (_ documentID: String, _ milliseconds: Int64, _ isDeleted: Bool) throws -> Bool) throws {
        try checkExists()
        guard tables.hasExpiration else { return }
        try file.read { context in
            let selects = tables.all.map {
                "SELECT expiration, key, flags FROM \($0) WHERE expiration BETWEEN 1 AND \(Int64.max)"
            }
            let statement = try context.connection.prepare(selects.joined(separator: " UNION ALL ") + " ORDER BY 1, 2")
            defer { statement.finalize() }
            while try statement.step() {
                let flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: statement.int64(at: 2)))
                guard try body(statement.text(at: 1), statement.int64(at: 0), flags.contains(.deleted)) else { return }
            }
        }
    }

    /// Purges the expired documents, and returns their IDs.
    ///
    /// - Parameters:
    ///   - milliseconds: The current time, in milliseconds since 1970.
    ///   - limit: The maximum number of documents to purge.
    package func purgeExpired(now milliseconds: Int64, limit: Int = .max, in writer: Writer) throws -> [String] {
        try checkExists()
        try writer.checkIsInTransaction()
        let state = try writer.state(of: self)
        var purged: [String] = []
        for (table, isTombstoneTable) in [(tables.live, false), (tables.tombstones, true)] {
            guard let table else { continue }
            let expired = try expiredRows(of: table, now: milliseconds, limit: limit - purged.count, in: writer)
            for row in expired {
                try removeRow(
                    row.rowID,
                    of: row.documentID,
                    fromTombstones: isTombstoneTable,
                    isCounted: row.isLive && !isTombstoneTable,
                    state: state,
                    in: writer
                )
                purged.append(row.documentID)
            }
        }
        return purged
    }

    /// Returns the rows of expired documents. Their other columns are not read, because they may be damaged.
    private func expiredRows(
        of table: String,
        now milliseconds: Int64,
        limit: Int,
        in writer: Writer
    ) throws -> [(rowID: Int64, documentID: String, isLive: Bool)] {
        let statement = try writer.connection.cachedStatement(
            "SELECT rowid, key, \(tables.liveCondition) FROM \(table) WHERE expiration BETWEEN 1 AND ? LIMIT ?"
        )
        defer { statement.reset() }
        try statement.bind(milliseconds, at: 1)
        try statement.bind(Int64(limit), at: 2)
        var rows: [(Int64, String, Bool)] = []
        while try statement.step() { rows.append((statement.int64(at: 0), statement.text(at: 1), statement.int64(at: 2) != 0)) }
        return rows
    }
}
